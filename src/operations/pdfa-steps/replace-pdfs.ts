// Replaces the PDFs embedded in a PDF. The counterpart of extract-pdfs.ts.

import { deflateSync } from "node:zlib";
import * as z from "zod";
import { memoryBody } from "../../document/compression/recode-stream.ts";
import { defineOperation } from "../../document/contract/operation.ts";
import { Dictionary, Name, PdfStream } from "../../document/objects/values.ts";
import { pdfToPdf } from "../../document/pages/open-pdf.ts";
import { embeddedPdfs } from "../../document/pdfa/document/embedded-pdfs.ts";

const paramsSchema = z.object({
  /** For each input after the first: the number, from 0, of the embedded PDF that it replaces. */
  indexes: z.array(z.int()).readonly(),
});
export type ReplacePdfsParams = z.infer<typeof paramsSchema>;

/** @throws EngineFailure the failure that the document or the engine caused */
const run = pdfToPdf<ReplacePdfsParams>(async ({ file }, { indexes }, { others, signal }) => {
  const places = new Map(indexes.map((index, place) => [index, place]));
  let index = -1;
  for (const place of embeddedPdfs(file)) {
    index++;
    const bytes = await others[places.get(index) ?? -1]?.bytes();
    if (!bytes) continue;
    signal.throwIfAborted();
    const dictionary = place.stream.dictionary.clone().set("Filter", Name.of("FlateDecode"));
    dictionary.delete("DecodeParms");
    const parameters = file.dictionary(dictionary.get("Params"))?.clone() ?? new Dictionary();
    parameters.delete("CheckSum");
    dictionary.set("Params", parameters.set("Size", bytes.length));
    file.put(place.reference, new PdfStream(dictionary, memoryBody(deflateSync(bytes))));
  }
});

export const replacePdfs = defineOperation({ name: "replace-pdfs", params: paramsSchema, run });
