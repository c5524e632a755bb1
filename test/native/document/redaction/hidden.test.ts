// Redacts texts beside or behind what no viewer shows. poppler and qpdf judge.
// Contract: docs/api.md#pdf-with-redacted-text-preview, #pdf-with-redacted-text-applied
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { HELVETICA } from "../../../fixtures/form-pdfs.ts";
import { onePage, pdfOf, stream } from "../../../support/hostile-pdfs.ts";
import { textOf, uncompressed } from "../../../support/pdf-readers.ts";
import { literal, mark, marksIn, redact } from "../../../support/redactions.ts";

const read = (pdf: Uint8Array): string => textOf(pdf).join("").replace(/\s/g, "");
const pageOf = (content: string) => onePage(content, "/Font<</F 5 0 R>>", [HELVETICA]);

describe("a hidden layer between the glyphs of a match", () => {
  const pdf = (state: string) =>
    pdfOf([
      `<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[6 0 R]/D<<${state}>>>>>>`,
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R
        /Resources<</Font<</F 5 0 R>>/Properties<</L 6 0 R>>>>>>`,
      stream(`BT /F 20 Tf 50 700 Td (Visible Her) Tj ET /OC /L BDC BT /F 20 Tf 146 700 Td (draft HERON) Tj ET EMC
        BT /F 20 Tf 146.7 700 Td (on here) Tj ET`),
      HELVETICA,
      "<</Type/OCG/Name(layer)>>",
    ]);

  test("does not keep it from being removed", async () => {
    const redacted = await redact(pdf("/OFF[6 0 R]"), literal("Heron"));
    expect(read(redacted)).toContain("Visible");
    expect(read(redacted)).toContain("here");
    expect(uncompressed(redacted)).not.toMatch(/Her|\(on/);
  });

  test("is searched, too, and no match is marked twice", async () => {
    expect(marksIn(await mark(pdf("/OFF[6 0 R]"), literal("HERON")))).toBe(1);
    expect(marksIn(await mark(pdf("/OFF[6 0 R]"), literal("Visible")))).toBe(1);
    expect(marksIn(await mark(pdf(""), literal("Visible")))).toBe(1);
    expect(uncompressed(await redact(pdf("/OFF[6 0 R]"), literal("HERON")))).not.toContain("HERON");
  });
});

test("replacement texts that match only together are replaced", async () => {
  const words = ["Project", "Heron", "Her", "on", "stays"];
  const spans = words.map(
    (word, at) => `/Span<</ActualText(${word})>>BDC BT /F 20 Tf 50 ${600 - at * 40} Td (\\${200 + at}) Tj ET EMC`,
  );
  const pdf = pageOf(`BT /F 20 Tf 50 700 Td (Project Heron) Tj ET ${spans.join(" ")}`);
  const phrase = uncompressed(await redact(pdf, literal("Project Heron")));
  expect(phrase).not.toMatch(/Project|\(Heron\)/);
  expect(phrase).toMatch(/ActualText ?\(Her\)/);
  const word = uncompressed(await redact(pdf, literal("Heron")));
  expect(word).not.toMatch(/\((?:Heron|Her|on)\)/);
  expect(word).toMatch(/ActualText ?\(stays\)/);
  expect(word).toMatch(/ActualText ?\(Project\)/);
  const all = uncompressed(await redact(pdf, [{ type: "regex", value: "(?s).+" }]));
  for (const one of words) expect(all).not.toContain(`(${one})`);
});

test("so are those of property lists", async () => {
  const span = (name: string, text: string, y: number) =>
    `/Span ${name} BDC BT /F 20 Tf 50 ${y} Td (${text}) Tj ET EMC`;
  const lists = "/Properties<</A<</ActualText(Project)/MCID 0>>/B 6 0 R/C<</ActualText(stays)>>>>";
  const pdf = onePage(
    `${span("/A", "\\200", 700)} ${span("/B", "\\201", 600)} ${span("/C", "\\202", 500)}`,
    `/Font<</F 5 0 R>>${lists}`,
    [HELVETICA, "<</ActualText 7 0 R/Other 5 0 R>>", "(Heron)"],
  );
  const redacted = uncompressed(await redact(pdf, literal("Project Heron")));
  expect(redacted.match(/\/Span +<<\/ActualText<feff(2588)+>(\/MCID 0)?>> +BDC/g)).toHaveLength(2);
  expect(redacted).toMatch(/\/Span \/C BDC/);
  expect(redacted).toMatch(/ActualText ?\(stays\)/);
  expect(redacted).not.toMatch(/\((?:Project|Heron)\)/);
});

test("a property list that other content names keeps its text", async () => {
  const lists = "/Properties<</A<</ActualText(Project)>>/B<</ActualText(Heron)>>>>";
  const span = (name: string) => `/Span ${name} BDC BT /F 20 Tf 50 700 Td (x) Tj ET EMC`;
  const other = `BT /F 20 Tf 50 600 Td (Above) Tj ET ${span("/A")}`;
  const form = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources 6 0 R";
  const pdf = onePage(`${span("/A")} ${span("/B")} /X Do`, `/Font<</F 5 0 R>>/XObject<</X 7 0 R>>/Properties 8 0 R`, [
    HELVETICA,
    "<</Font<</F 5 0 R>>/Properties 8 0 R>>",
    stream(other, form),
    lists.replace("/Properties", ""),
  ]);
  const redacted = uncompressed(await redact(pdf, literal("Project Heron")));
  expect(redacted).toMatch(/ActualText ?\(Project\)/);
  expect(redacted).not.toContain("(Heron)");
});

test("tiny glyphs between those of a match do not keep it", async () => {
  const pdf = pageOf("BT /F 20 Tf 50 700 Td (Above Her) Tj /F 0.01 Tf (draft) Tj /F 20 Tf (on) Tj ET");
  expect(read(await redact(pdf, literal("Heron")))).toBe("Above");
  expect(marksIn(await mark(pdf, literal("draft")))).toBe(1);
});

test.each([
  ["a font size of zero", "BT /F 0 Tf 50 600 Td (Heron) Tj ET"],
  ["no horizontal scale", "BT /F 20 Tf 0 Tz 50 600 Td (Heron) ' ET"],
  ["a flat matrix of the page", "q 1 0 0 0 0 0 cm BT /F 20 Tf 50 600 Td [(He) 20 (ron)] TJ ET Q"],
  ["a flat matrix of the text", 'BT /F 20 Tf 1 2 2 4 50 600 Tm 3 2 (Heron) " ET'],
])("text with %s is removed", async (_, content) => {
  const after = "BT /F 20 Tf 100 Tz 50 500 Td (Neighbor) Tj 0 -30 Td (Heron) Tj ET";
  const pdf = pageOf(`BT /F 20 Tf 50 700 Td (Above) Tj ET ${content} ${after}`);
  const redacted = await redact(pdf, literal("Heron"));
  expect(read(redacted)).toBe("AboveNeighbor");
  expect(uncompressed(redacted)).not.toMatch(/ron\)|486[57]/);
});

test.each([
  ["gray", "/ColorSpace/DeviceGray/BitsPerComponent 8", 16],
  ["indexed", "/ColorSpace[/Indexed/DeviceRGB 1 <000000ffffff>]/BitsPerComponent 4", 8],
  ["CMYK", "/ColorSpace[/ICCBased 7 0 R]/BitsPerComponent 8", 64],
  ["mask", "/ImageMask true", 4],
])("compressed bytes behind the samples of an image are removed: %s", async (_, entries, length) => {
  const samples = Buffer.alloc(length, 0x55);
  const imageOf = (data: Buffer) =>
    stream(deflateSync(data), `/Type/XObject/Subtype/Image/Width 4/Height 4/Filter/FlateDecode${entries}`);
  const more = [
    HELVETICA,
    imageOf(Buffer.concat([samples, Buffer.from("\0Heron and its nest\n")])),
    stream("", "/N 4"),
  ];
  const content = "BT /F 20 Tf 50 700 Td (Heron) Tj ET q 50 0 0 50 50 50 cm /X Do Q";
  const redacted = await redact(onePage(content, "/Font<</F 5 0 R>>/XObject<</X 6 0 R>>", more), literal("Heron"));
  expect(uncompressed(redacted)).not.toContain("Heron");
  expect(uncompressed(redacted)).toContain("U".repeat(length));
});
