// Tests the reading, inflating, hashing and writing of objects with workerd's versions of Node's modules.
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { inflate } from "../../src/document/objects/parsing/inflate.ts";
import { Dictionary, Name } from "../../src/document/objects/values.ts";
import { splitPdf } from "../../src/operations/split-pdf.ts";
import { outputsOf } from "../support/operations.ts";

const PDF = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 9.5 9]/Resources<</Font<</F 6 0 R/G 6 0 R>>>>>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Contents 5 0 R/Title(\\344)>>endobj
4 0 obj<</Type/Page/Parent 2 0 R>>endobj
5 0 obj<</Length 26>>stream
BT /F 3 Tf 0 g (first) Tj ET
endstream endobj
6 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>`;

test("a document is split inside of workerd", async () => {
  const outputs = await outputsOf(splitPdf, [new TextEncoder().encode(PDF)], {});
  expect(outputs.length).toBe(2);
  for (const output of outputs)
    expect(Buffer.from(output).toString("latin1")).toMatch(/^%PDF-1\.7\n.*\nstartxref\n\d+\n%%EOF\n$/s);
});

test("inflating is bounded, and what is damaged is left to the engine", () => {
  const dictionary = Dictionary.of({ Filter: Name.of("FlateDecode") });
  const deflated = deflateSync(new Uint8Array(1_000_000));
  expect(inflate(dictionary, () => deflated, 1_000_000)?.length).toBe(1_000_000);
  expect(() => inflate(dictionary, () => deflated, 999_999)).toThrow(/^too-large/);
  expect(inflate(dictionary, () => deflated.subarray(0, 500), 1_000_000)).toBe(undefined);
});
