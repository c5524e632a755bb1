// Tests level a and PDF/A-4 of POST /pdfa.
// Contract: docs/api.md#pdfa
import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import type { ValidationReport } from "../../src/operations/validate-pdf.ts";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { keyedClient, upload } from "../support/client.ts";

const client = keyedClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await textPdf(1);
});
const make = async (file: Uint8Array, output_type: string) =>
  (await client.make("/pdfa", { file: upload(file), output: "a", output_type }))[0]!.bytes;
const validation = async (file: Uint8Array) => {
  const { body } = await client.post("/validated-pdf", { file: upload(file) });
  return body as unknown as ValidationReport;
};

test("a tagged document keeps its tags; another one gives 422 with the rules", async () => {
  for (const level of ["PDF/A-1a", "PDF/A-2a", "PDF/A-3a"]) {
    const made = await make(taggedPdf(), level);
    expect(await validation(made)).toMatchObject({ profile: level, compliant: true });
    const tree = execFileSync("pdfinfo", ["-struct-text", "-"], { input: made, encoding: "utf8" });
    expect(tree.replace(/\s+/g, " ")).toContain('H1 (block) "A heading"');
    const { status, body } = await client.post("/pdfa", { file: upload(pdf), output: "a", output_type: level });
    expect([status, body.error]).toEqual([
      422,
      expect.stringMatching(/^The input file cannot be converted to PDF\/A-[123]a: rule 6\.[78]\.2\.2 \(test 1\) is/),
    ]);
  }
});

test("a PDF/A-4 has version 2.0 and its metadata in XMP only, also after other operations", async () => {
  const described = await client.make("/pdf-with-metadata", {
    file: upload(pdf),
    output: "a",
    metadata: '{"title":"A title"}',
  });
  let made = await make(described[0]!.bytes, "PDF/A-4");
  for (const path of [undefined, "/linearized-pdf", "/compressed-pdf"]) {
    const more = path === "/compressed-pdf" ? { compression_level: "low" } : {};
    if (path) made = (await client.make(path, { file: upload(made), output: "a", ...more }))[0]!.bytes;
    expect(await validation(made)).toEqual(
      expect.objectContaining({ profile: "PDF/A-4", claims: ["PDF/A-4"], compliant: true }),
    );
  }
  const text = execFileSync("pdfinfo", ["-"], { input: made, encoding: "utf8" });
  expect(text).toMatch(/PDF version: +2\.0/);
  const { body } = await client.post("/pdf-info", { file: upload(made), queries: "title" });
  expect(body).toMatchObject({ title: "A title" });
  // It conforms already.
  expect(Buffer.from(await make(made, "PDF/A-4")).equals(made)).toBe(true);
});

/** Returns a page whose heading is tagged. */
function taggedPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const [tree, root, heading] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const content = "/H1 <</MCID 0>> BDC BT /F 24 Tf 30 150 Td (A heading) Tj ET EMC";
  const page = builder.page(content, "/StructParents 0");
  builder.set(heading, `<</Type/StructElem/S/H1/P ${root}/Pg ${page}/K 0>>`);
  builder.set(root, `<</Type/StructElem/S/Document/P ${tree}/K[${heading}]>>`);
  builder.set(tree, `<</Type/StructTreeRoot/K ${root}/ParentTree<</Nums[0[${heading}]]>>>>`);
  builder.catalog = `/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot ${tree}`;
  return builder.bytes();
}
