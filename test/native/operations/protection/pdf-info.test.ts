// Contract: docs/api.md#pdf-info
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type PdfInfoParams, readPdfInfo } from "../../../../src/operations/read-pdf-info.ts";
import { attachmentPdf, KINDS } from "../../../fixtures/encrypted-attachments.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { encrypted, textPdf } from "../../../fixtures/pdfs.ts";
import { outputsOf } from "../../../support/operations.ts";
import { withFile } from "../../../support/pdf-readers.ts";

type Passwords = Pick<PdfInfoParams, "currentOpenPassword">;

async function ask(passwords: Passwords, pdf: Uint8Array, ...queries: PdfInfoParams["queries"]) {
  const [answer] = await outputsOf(readPdfInfo, [pdf], {
    queries: queries.length > 0 ? queries : ["all"],
    ...passwords,
  });
  return JSON.parse(new TextDecoder().decode(answer));
}

test("a wrong password is reported", async () => {
  const pdf = encrypted(await textPdf(1), "opens", "owns");
  const wrong = await ask({ currentOpenPassword: "wrong" }, pdf, "title", "requires_password_to_open");
  expect(wrong).toEqual({
    ...{ requires_password_to_open: true, allQueriesProcessed: false },
    warning: "The password is wrong. The document needs a password, without which there are no answers to title.",
  });
  const right = await ask({ currentOpenPassword: "opens" }, pdf, "title", "requires_password_to_open");
  expect(right).toMatchObject({ requires_password_to_open: true, allQueriesProcessed: true });
});

test("a document whose attachments alone are encrypted opens without a password", async () => {
  const kind = KINDS["the document's filter for embedded files"]!;
  expect(await ask({}, attachmentPdf(kind, "secret"), "requires_password_to_open", "page_count")).toEqual({
    ...{ requires_password_to_open: false, page_count: 1, allQueriesProcessed: true },
  });
});

test.each([
  ["RC4 with 40 bits", ["40", "--print=n", "--modify=y"]],
  ["RC4 with 128 bits", ["128", "--use-aes=n", "--print=none"]],
  ["AES with 128 bits", ["128", "--use-aes=y", "--print=none"]],
  ["AES with 256 bits", ["256", "--print=none"]],
])("what %s do not encrypt has answers without a password", async (_, options) => {
  const builder = new PdfBuilder();
  builder.page("a", "/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Contents(c)>>]/Rotate 90");
  builder.page("b");
  builder.catalog = "/MarkInfo<</Marked true>>/Lang(en)";
  const encrypt = (...more: string[]) =>
    withFile(builder.bytes(), (path) =>
      execFileSync("qpdf", ["--allow-weak-crypto", ...more, "--encrypt", "u", "o", ...options, "--", path, "-"]),
    );
  const answers = await ask({}, encrypt("--object-streams=disable"));
  expect(answers).toMatchObject({
    ...{ requires_password_to_open: true, page_count: 2, tagged: true, contains_annotations: true },
    ...{ restrict_permissions_set: true, contains_signature: false, contains_acroforms: false },
    page_sizes: [expect.objectContaining({ width: 200, height: 300 }), expect.objectContaining({ width: 300 })],
    allQueriesProcessed: false,
  });
  for (const query of ["doc_language", "title", "fonts", "images"]) expect(answers).not.toHaveProperty(query);
  expect(await ask({}, encrypt("--object-streams=generate"))).not.toHaveProperty("page_count");
});
