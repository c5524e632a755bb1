// Makes a PDF/A-4 of a file that conforms to PDF/A-2u: PDF 2.0, without an Info dictionary, which XMP replaces. Yields one
// output.
import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { withPart4 } from "../../document/formats/xmp/claims.ts";
import { Dictionary, Name, PdfStream, plainBody } from "../../document/objects/values.ts";
import { FileWriter } from "../../document/objects/writer.ts";
import { metadataOf } from "../../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";

/** @throws EngineFailure */
const run: Run<Record<string, never>> = async function* ([input], _, context) {
  using pdf = await openPdf(await input!.bytes(), context);
  const { file } = pdf;
  const { packet } = metadataOf(pdf);
  const catalog = file.catalog.clone();
  if (packet) {
    const entries = Dictionary.of({ Type: Name.of("Metadata"), Subtype: Name.of("XML") });
    catalog.set("Metadata", file.add(new PdfStream(entries, plainBody(withPart4(packet)))));
  }
  catalog.delete("Version");
  file.catalog = catalog;
  // Private data of programs need the date of the last change (ISO 19005-4, 6.1.3).
  const date = catalog.has("PieceInfo") ? file.dictionary(file.trailer.get("Info"))?.get("ModDate") : undefined;
  file.trailer.set("Info", date === undefined ? null : file.add(Dictionary.of({ ModDate: date })));
  yield pdfOutput(new FileWriter("2.0", "new").finish(file), pdf.notices);
};

export const upgradePdfa = defineOperation({ name: "upgrade-pdfa", params: z.object({}), run });
