// Replaces the PDFs embedded in a PDF. The counterpart of extract-pdfs.ts.

import { deflateSync } from "node:zlib";
import * as z from "zod";
import { memoryBody } from "../../document/compression/recode-stream.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { Budget } from "../../document/objects/budget.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { Dictionary, Name, PdfStream } from "../../document/objects/values.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { unprotect } from "../../document/pages/unprotect.ts";
import { embeddedPdfs } from "../../document/pdfa/document/embedded-pdfs.ts";

const paramsSchema = z.object({
  /** For each input after the first: the number, from 0, of the embedded PDF that it replaces. */
  indexes: z.array(z.int()).readonly(),
});
export type ReplacePdfsParams = z.infer<typeof paramsSchema>;

/** @throws EngineFailure the failure of document or engine */
const run: Run<ReplacePdfsParams> = async function* ([document, ...others], { indexes }, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const original = await document!.bytes();
  const objects = await MupdfSource.open(original, engineBytes, budget);
  try {
    const file = PdfFile.of(objects, budget);
    const notices = unprotect(file, objects, original);
    const places = new Map(indexes.map((index, place) => [index, place]));
    let index = -1;
    for (const place of embeddedPdfs(file)) {
      index++;
      const bytes = await others[places.get(index) ?? -1]?.bytes();
      if (!bytes) continue;
      context.signal.throwIfAborted();
      const dictionary = place.stream.dictionary.clone().set("Filter", Name.of("FlateDecode"));
      dictionary.delete("DecodeParms");
      const parameters = file.dictionary(dictionary.get("Params"))?.clone() ?? new Dictionary();
      parameters.delete("CheckSum");
      dictionary.set("Params", parameters.set("Size", bytes.length));
      file.put(place.reference, new PdfStream(dictionary, memoryBody(deflateSync(bytes))));
    }
    yield { extension: "pdf", type: "application/pdf", body: writeFile(file), notices: () => notices };
  } finally {
    objects.close();
  }
};

export const replacePdfs = defineOperation({ name: "replace-pdfs", params: paramsSchema, run });
