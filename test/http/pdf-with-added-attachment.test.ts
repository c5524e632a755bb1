// Tests POST /pdf-with-added-attachment: its second file, and the error of a PDF/A.
// Contract: docs/api.md#pdf-with-added-attachment
import { expect, test } from "vitest";
import { PdfBuilder, plainPdf } from "../fixtures/pdf-builder.ts";
import { pdfaClaim } from "../fixtures/pdfa-claim.ts";
import { privateClient, upload } from "../support/client.ts";

const client = privateClient();
const file_to_attach = () => upload(Buffer.from("<a/>"), "data.xml");

test("the response has the IDs of both files, and the ID of a stored file can be attached", async () => {
  const file = upload(plainPdf("A"), "letter.pdf");
  const { status, body } = await client.post("/pdf-with-added-attachment", { file, file_to_attach: file_to_attach() });
  expect(status).toBe(200);
  expect(body.inputId).toHaveLength(2);
  const [id, id_to_attach] = body.inputId as string[];
  const again = await client.post("/pdf-with-added-attachment", { id: id!, id_to_attach: id_to_attach! });
  expect(again.body.inputId).toEqual([id, id_to_attach]);
});

test("a PDF/A-2 does not allow attachments, and an attachment is required", async () => {
  const builder = new PdfBuilder();
  builder.page("A");
  builder.catalog = `/Metadata ${builder.stream(pdfaClaim("2"), "/Type/Metadata/Subtype/XML")}`;
  const file = upload(builder.bytes(), "archived.pdf");
  const { status, body } = await client.post("/pdf-with-added-attachment", { file, file_to_attach: file_to_attach() });
  expect([status, body.error]).toEqual([
    400,
    "The input file declares PDF/A-2b, which does not allow this attachment.",
  ]);
  const without = await client.post("/pdf-with-added-attachment", { file });
  expect(without.body.error).toBe("The 'file_to_attach' field is required.");
});
