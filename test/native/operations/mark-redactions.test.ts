// Contract: docs/api.md#pdf-with-redacted-text-preview, #pdf-with-redacted-text-applied
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Notice } from "../../../src/document/contract/notice.ts";
import type { Operation } from "../../../src/document/contract/operation.ts";
import { applyRedactions } from "../../../src/operations/apply-redactions.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { flattenAnnotations } from "../../../src/operations/flatten-annotations.ts";
import { markRedactions } from "../../../src/operations/mark-redactions.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { HELVETICA } from "../../fixtures/form-pdfs.ts";
import { encrypted, textPdf } from "../../fixtures/pdfs.ts";
import { onePage, stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";
import { picturesOf, qpdfComplaints, textOf, uncompressed, withFile } from "../../support/pdf-readers.ts";
import { apply, literal, mark, marksIn, type Redactions, redact } from "../../support/redactions.ts";

const page = (content: string, resources = "", more: Parameters<typeof onePage>[2] = []) =>
  onePage(content, `/Font<</F 5 0 R>>${resources}`, [HELVETICA, ...more]);
const ALL = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;
/** Returns a document with another text in its bytes; readers repair the offsets. */
const textReplaced = (pdf: Uint8Array, text: string, by: string) =>
  new Uint8Array(Buffer.from(Buffer.from(pdf).toString("latin1").replaceAll(text, by), "latin1"));

/** Returns the words of a PDF and their boxes, as poppler reads them. */
function wordsOf(pdf: Uint8Array): readonly (readonly [word: string, ...box: number[]])[] {
  const html = withFile(pdf, (path) => execFileSync("pdftotext", ["-bbox", path, "-"], { encoding: "utf8" }));
  const pattern = /xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g;
  return [...html.matchAll(pattern)].map(([, a, b, c, d, word]) => [word!, Number(a), Number(b), Number(c), Number(d)]);
}

describe("a preview", () => {
  test("marks each match once, visibly, and keeps the text", async () => {
    const pdf = page("BT /F 12 Tf 72 700 Td (One HERON and two HERON) Tj ET");
    const marked = await mark(pdf, literal("HERON"));
    expect(qpdfComplaints(marked)).toBe("");
    expect(marksIn(marked)).toBe(2);
    expect(textOf(marked).join("")).toContain("One HERON and two HERON");
    const red = picturesOf(marked, 72)[0]!
      .toString("latin1")
      .match(/\xff[^\xff]\xb3|\xff\xb3\xb3|\xff\xb2\xb2/g);
    expect(red?.length).toBeGreaterThan(200);
    expect(marksIn(await mark(marked, literal("HERON")))).toBe(2);
    expect(marksIn(await mark(marked, literal("two")))).toBe(3);
    const applied = await apply(await mark(marked, literal("two")));
    expect(textOf(applied).join("").trim().split(/\s+/)).toEqual(["One", "and"]);
  });

  test("whose mark was deleted keeps the text, and says so", async () => {
    const marked = await mark(page("BT /F 12 Tf 72 700 Td (One HERON here) Tj ET"), literal("HERON"));
    const unmarked = Buffer.from(uncompressed(marked).replaceAll("/Subtype /Redact", "/Subtype /Square"), "latin1");
    const notices: Notice[] = [];
    for await (const output of applyRedactions.run([inputOf(unmarked)], { rgbColor: [0, 0, 0] }, CONTEXT)) {
      expect(textOf(await bytesOf(output)).join("")).toContain("HERON");
      notices.push(...(output.notices?.() ?? []));
    }
    expect(notices).toContainEqual({ code: "matches-kept", count: 1 });
  });

  test("names pages whose text has no known characters", async () => {
    const more = [
      "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[7 0 R]>>",
      "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500>>",
    ];
    const pdf = onePage("BT /G 12 Tf 72 700 Td <00120034> Tj ET", "/Font<</G 6 0 R>>", [HELVETICA, ...more]);
    for await (const output of markRedactions.run([inputOf(pdf)], { redactions: literal("x") }, CONTEXT)) {
      await bytesOf(output);
      expect(output.notices?.()).toContainEqual({ code: "text-unreadable", count: 1, subjects: [{ name: "1" }] });
    }
  });
});

const LINES: Readonly<Record<string, string>> = {
  "one string": "BT /F 12 Tf 72 700 Td (Left HERON right) Tj ET",
  "leading operators": "BT /F 12 Tf 13 TL 72 700 Td (Upper HERON line) Tj T* (Middle HERON line) Tj (Lower line) ' ET",
  "a spaced line": "BT /F 12 Tf 14 TL 72 700 Td (Upper line) Tj 3 1 (Lower HERON line) \" (Next line) ' ET",
  "TD as a leading": "BT /F 12 Tf 72 700 TD (Upper) Tj 0 -20 TD (HERON one) Tj T* (two) Tj ET",
  "kerned glyphs": "BT /F 12 Tf 72 700 Td [(Le)-30(ft )20(HER)40(ON)-60( ri)10(ght)] TJ ET",
  "scaled glyphs": "BT /F 12 Tf 80 Tz 2 Tc 5 Tw 3 Ts 72 700 Td (Left HERON right) Tj ET",
  "close lines": "BT /F 12 Tf 10 TL 72 700 Td (Abcpqy line) Tj T* (x HERON y) Tj T* (Abcpqy line) Tj ET",
  "turned text": "BT /F 12 Tf 0 1 -1 0 300 300 Tm (Left HERON right) Tj ET",
  "a scaled space": "q .5 0 0 .5 100 100 cm BT /F 24 Tf 72 700 Td (Left HERON right) Tj ET Q",
  columns: "BT /F 12 Tf 72 700 Td (Left HERON) Tj 200 0 Td (Right column) Tj -200 -14 Td (Left next) Tj ET",
};

test.each(Object.entries(LINES))("the neighbors stay where they are: %s", async (_, content) => {
  const pdf = page(content);
  const before = wordsOf(pdf).filter(([word]) => word !== "HERON");
  const after = wordsOf(await redact(pdf, literal("HERON")));
  expect(after.map(([word]) => word).toSorted()).toEqual(before.map(([word]) => word).toSorted());
  for (const [word, ...box] of before) {
    const distances = after
      .filter(([other]) => other === word)
      .map(([, ...other]) => Math.max(...box.map((value, at) => Math.abs(value - other[at]!))));
    expect([word, Math.min(...distances) <= 0.01]).toEqual([word, true]);
  }
});

test("boxes have the color, pixels under them are gone, and all others stay", async () => {
  const samples = Buffer.from(Array.from({ length: 200 * 100 * 3 }, (_, at) => (at * 37) % 251));
  const image = stream(
    samples,
    "/Type/XObject/Subtype/Image/Width 200/Height 100/BitsPerComponent 8/ColorSpace/DeviceRGB",
  );
  const pdf = page(
    "q 400 0 0 200 100 400 cm /I Do Q BT /F 20 Tf 3 Tr 150 500 Td (scan HERON scan) Tj ET",
    "/XObject<</I 6 0 R>>",
    [image],
  );
  const applied = await redact(pdf, literal("HERON"), [255, 0, 255]);
  const [before, after] = [picturesOf(pdf, 72)[0]!, picturesOf(applied, 72)[0]!];
  const header = before.length - 612 * 792 * 3;
  let changed = 0;
  for (let at = header; at < before.length; at += 3) {
    if (Math.max(...[0, 1, 2].map((part) => Math.abs(before[at + part]! - after[at + part]!))) <= 1) continue;
    changed++;
    const [x, y] = [((at - header) / 3) % 612, 792 - Math.floor((at - header) / 3 / 612)];
    expect([x > 192 && x < 278 && y > 488 && y < 522, x, y]).toEqual([true, x, y]);
  }
  expect(changed).toBeGreaterThan(60 * 15);
  expect(after.subarray(header).toString("hex")).toContain("ff00ff".repeat(50));
  const pictures = withFile(applied, (path, folder) => {
    execFileSync("pdfimages", ["-png", path, `${folder}/i`]);
    return execFileSync("pngtopnm", [`${folder}/i-000.png`], { maxBuffer: 2 ** 24 });
  });
  // The box covers about 70 by 20 points of an image with half a pixel per point.
  const kept = pictures.subarray(pictures.length - samples.length);
  const cleared = samples.reduce((count, sample, at) => count + Number(sample !== kept[at]), 0) / 3;
  expect(cleared).toBeGreaterThan(250);
  expect(cleared).toBeLessThan(600);
});

test("the pixels beside a box keep their colors in CMYK", async () => {
  const samples = Buffer.from(Array.from({ length: 200 * 100 * 4 }, (_, at) => (at * 37) % 251));
  const image = stream(
    samples,
    "/Type/XObject/Subtype/Image/Width 200/Height 100/BitsPerComponent 8/ColorSpace/DeviceCMYK",
  );
  const content = "q 400 0 0 200 100 400 cm /I Do Q BT /F 20 Tf 3 Tr 150 500 Td (scan HERON scan) Tj ET";
  const pdf = page(content, "/XObject<</I 6 0 R>>", [image]);
  const [before, after] = [pdf, await redact(pdf, literal("HERON"))].map((one) => picturesOf(one, 72)[0]!);
  const header = before!.length - 612 * 792 * 3;
  const rows = (picture: Buffer) => picture.subarray(header + 612 * 3 * 305, header + 612 * 3 * 390);
  expect(rows(after!).equals(rows(before!))).toBe(true);
});

test("contents that are split within an operation keep the texts beside a match", async () => {
  const [first, second] = ["BT /F 12 Tf 72 700 Td [(Left heron)", "-300 (HERON here)] TJ ET"].map((part) =>
    stream(part),
  );
  const pdf = onePage("", "/Font<</F 5 0 R>>", [HELVETICA, first!, second!]);
  const split = Buffer.from(
    Buffer.from(pdf).toString("latin1").replace("/Contents 4 0 R", "/Contents[6 0 R 7 0 R]"),
    "latin1",
  );
  const applied = await redact(split, [{ type: "regex", value: "(?i)heron" }]);
  expect(textOf(applied).join("").trim().split(/\s+/)).toEqual(["Left", "here"]);
});

test("presets are removed, and the words beside them stay", async () => {
  const pdf = page(
    "BT /F 10 Tf 72 700 Td (Mail ann.lee@example.org or pay DE89 3704 0044 0532 0130 00 by 2031-02-03.) Tj ET",
  );
  const names = ["email", "international_bank_account_number", "date"] as const;
  const applied = await redact(
    pdf,
    names.map((value) => ({ type: "preset", value })),
  );
  expect(textOf(applied).join("").trim().split(/\s+/)).toEqual(["Mail", "or", "pay", "by", "."]);
});

const cells = (...texts: string[]) =>
  texts.map((text, at) => `BT /F 10 Tf ${72 + at * 110} 700 Td (${text}) Tj ET`).join("\n");

test.each<[name: string, content: string, left: string, redactions: Redactions]>([
  [
    "cells beside each other",
    cells("4111 1111 1111 1111", "123", "415-555-2671", "415-555-2672"),
    "123",
    [
      { type: "preset", value: "credit_card" },
      { type: "preset", value: "phone_number" },
    ],
  ],
  [
    "a date that arises",
    "BT /F 10 Tf 72 700 Td (May 12/31/2019 2021) Tj ET",
    "May 2021",
    [{ type: "preset", value: "date" }],
  ],
  ["a text that arises", "BT /F 10 Tf 72 700 Td (A AxB C) Tj ET", "A C", [{ type: "regex", value: "AxB|A C" }]],
  ["letters that arise", "BT /F 10 Tf 72 700 Td (A'C B:C) Tj ET", "AC B C", [{ type: "regex", value: "[':]|[AB] ?C" }]],
  [
    "a number that arises across a line",
    "BT /F 10 Tf 12 TL 72 700 Td (0171 a@b.com) Tj T* (1234567) Tj ET",
    "0171 1234567",
    [
      { type: "preset", value: "email" },
      { type: "regex", value: "0171 1234567" },
    ],
  ],
  [
    "words longer than their line",
    "BT /F 10 Tf 12 TL 72 700 Td (Long mail: john.doe@exam) Tj T* (ple-company.com is here) Tj " +
      "0 -30 Td (joe@breaks.example.co) Tj T* (m) Tj 0 -30 Td (ssn 123-45-67) Tj T* (89 split) Tj ET",
    "Long mail: is here ssn split",
    [
      { type: "preset", value: "email" },
      { type: "preset", value: "us_ssn" },
    ],
  ],
  [
    "lines below addresses",
    "BT /F 10 Tf 12 TL 72 700 Td (Contact: ann@example.com) Tj T* (today at noon) Tj " +
      "0 -30 Td (ann@example.org) Tj T* (www.example.org) Tj T* (joe@example.org) Tj T* (Phone) Tj ET",
    "Contact: today at noon www.example.org Phone",
    [{ type: "preset", value: "email" }],
  ],
])("%s", async (_, content, left, redactions) => {
  const applied = await redact(page(content), redactions);
  expect(textOf(applied).join("").trim().split(/\s+/).join(" ")).toBe(left);
});

test("a document with an owner password, and one without marks", async () => {
  const pdf = encrypted(await textPdf(2), "", "owner");
  expect(textOf(await redact(pdf, literal("zzz")))).toHaveLength(2);
  expect(await reasonOf(() => mark(encrypted(pdf, "user", "owner"), literal("a")))).toBe("password-protected");
});

/** Runs an operation, and returns its only output and the codes and counts of its notices. */
async function noticed<P>(operation: Operation<P>, pdf: Uint8Array, params: P) {
  const notices: Record<string, number> = {};
  let bytes = new Uint8Array(0);
  for await (const output of operation.run([inputOf(pdf)], params, CONTEXT)) {
    bytes = Buffer.from(await bytesOf(output));
    for (const { code, count } of output.notices?.() ?? []) notices[code] = count;
  }
  return { bytes, notices, text: textOf(bytes).join(""), raw: uncompressed(bytes) };
}
const applied = (pdf: Uint8Array) => noticed(applyRedactions, pdf, { rgbColor: [0, 0, 0] });
const redactMark = (area: string) => `<</Type/Annot/Subtype/Redact/Rect[${area}]>>`;
const look = (text: string) =>
  stream(
    `BT /F 12 Tf 2 4 Td (${text}) Tj ET`,
    "/Type/XObject/Subtype/Form/BBox[0 0 150 20]/Resources<</Font<</F 5 0 R>>>>",
  );

describe("marks of other programs", () => {
  test("remove annotations and fields under them, and no others", async () => {
    const at = (y: number) => `/Rect[50 ${y} 200 ${y + 20}]/F 4`;
    const pdf = textReplaced(
      onePage(
        "BT /F 12 Tf 50 600 Td (NEIGHBOR) Tj ET",
        "/Font<</F 5 0 R>>",
        [
          HELVETICA,
          `<</Type/Annot/Subtype/Widget/FT/Tx/T(one)/V(FIELD)/DV(FIELD)${at(500)}/AP<</N 9 0 R>>>>`,
          `<</Type/Annot/Subtype/Widget/Parent 8 0 R${at(460)}/AP<</N 9 0 R>>>>`,
          "<</FT/Tx/T(two)/V(FIELD)/Kids[7 0 R]>>",
          look("FIELD"),
          `<</Type/Annot/Subtype/Stamp/Contents(STAMP)${at(420)}/AP<</N 11 0 R>>/Popup 13 0 R>>`,
          look("STAMP"),
          `<</Type/Annot/Subtype/Text/Contents(REPLY)/IRT 10 0 R${at(300)}>>`,
          "<</Type/Annot/Subtype/Popup/Parent 10 0 R/Contents(STAMP)/Rect[400 0 500 90]>>",
          `<</Type/Annot/Subtype/Widget/FT/Tx/T(three)/V(STAYS)${at(520)}/AP<</N 15 0 R>>>>`,
          look("STAYS"),
        ],
        `/Annots[6 0 R 7 0 R 10 0 R 12 0 R 13 0 R 14 0 R ${redactMark("40 410 210 520")}]`,
      ),
      "/Pages 2 0 R",
      "/Pages 2 0 R/AcroForm<</Fields[6 0 R 8 0 R 14 0 R]>>",
    );
    const { notices, text, raw, bytes } = await applied(pdf);
    expect(qpdfComplaints(bytes)).toBe("");
    expect(notices).toEqual({ "marked-annotations-removed": 3, "only-areas-redacted": 1 });
    expect(raw).not.toMatch(/FIELD|STAMP|\((?:one|two)\)/);
    expect([raw.includes("REPLY"), text.trim().split(/\s+/)]).toEqual([true, ["NEIGHBOR", "STAYS"]]);
  });

  test.each([
    ["counterclockwise, as ISO 32000 has it", "70 695 200 695 200 712 70 712"],
    ["clockwise", "70 712 200 712 200 695 70 695"],
    ["as most programs write them", "70 712 200 712 70 695 200 695"],
  ])("whose corners are %s, remove all glyphs", async (_, quad) => {
    const mark = `/Annots[<</Type/Annot/Subtype/Redact/Rect[70 695 200 712]/QuadPoints[${quad}]>>]`;
    const { text } = await applied(
      onePage(
        "BT /F 12 Tf 72 700 Td (SECRET of HERON) Tj 150 0 Td (stays) Tj ET",
        "/Font<</F 5 0 R>>",
        [HELVETICA],
        mark,
      ),
    );
    expect(text.trim()).toBe("stays");
  });

  test("remove outlines that stand out of them a little, and no line that passes through", async () => {
    const paths = "1 0 0 rg 102 101 20 25 re f 0 0 1 rg 90 118 400 1 re f";
    const { raw } = await applied(onePage(paths, "", [], `/Annots[${redactMark("100 103 200 123")}]`));
    expect([raw.includes("1 0 0 rg"), /90 118 (?:m|400)/.test(raw)]).toEqual([false, true]);
  });

  test("report patterns that they cannot change, and that there are none", async () => {
    const tile = stream(
      "/F Do",
      "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</XObject<</F 7 0 R>>>>",
    );
    const pdf = (more: string) => onePage("0 0 9 9 re f", "/Pattern<</P 6 0 R>>", [HELVETICA, tile, look("x")], more);
    const marked = await applied(pdf(`/Annots[${redactMark("100 103 200 123")}]`));
    expect(marked.notices).toEqual({ "patterns-kept": 1, "only-areas-redacted": 1 });
    expect((await applied(pdf(""))).notices).toEqual({ "nothing-marked": 1 });
  });

  test("keep lines that inherit their distance from the page", async () => {
    const lines = stream(
      "BT /F 12 Tf 50 300 Td (SECRET one) Tj T* (two) Tj T* (three) Tj ET",
      "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F 5 0 R>>>>",
    );
    const marked = (content: string) => page(content, "/XObject<</K 6 0 R>>", [lines]);
    const places = (pdf: Uint8Array) => wordsOf(pdf).map(([word, x, y]) => `${word} ${x!.toFixed(2)} ${y!.toFixed(2)}`);
    const before = places(marked("20 TL /K Do")).filter((word) => !word.startsWith("SECRET"));
    expect(places(await redact(marked("20 TL /K Do"), literal("SECRET")))).toEqual(before);
    expect(await reasonOf(() => redact(marked("20 TL /K Do 30 TL /K Do"), literal("SECRET")))).toBe("too-complex");
  });
});

describe("the record of a preview", () => {
  test.each<[string, (pdf: Uint8Array) => Promise<Uint8Array[]>]>([
    ["compressed", (pdf) => outputsOf(compressPdf, [pdf], { level: "medium" })],
    ["split", (pdf) => outputsOf(splitPdf, [pdf], {})],
    ["merged", (pdf) => outputsOf(mergePdfs, [onePage("0 0 9 9 re f"), pdf], { pages: [ALL, ALL] })],
    ["flattened", (pdf) => outputsOf(flattenAnnotations, [pdf], {})],
    [
      "its catalog lost",
      async (pdf) => [textReplaced(Buffer.from(uncompressed(pdf), "latin1"), "/PieceInfo", "/PieceXnfo")],
    ],
  ])("stays with a document: %s", async (_, change) => {
    const planted = textReplaced(
      page("BT /F 12 Tf 72 700 Td (One HERON here) Tj ET", "", [
        "<</Title(The HERON)/First 7 0 R/Last 7 0 R>>",
        "<</Title(HERON chapter)/Parent 6 0 R/Dest[3 0 R/Fit]>>",
      ]),
      "/Pages 2 0 R",
      "/Pages 2 0 R/Outlines 6 0 R",
    );
    const { text, raw, notices } = await applied((await change(await mark(planted, literal("HERON")))).at(-1)!);
    expect([text.trim().split(/\s+/), raw.match(/HERON/g)]).toEqual([["One", "here"], null]);
    expect(notices["only-areas-redacted"]).toBeUndefined();
  });

  test("is of no use without a match, and pixels are not read", async () => {
    const image = stream(
      Buffer.alloc(3),
      "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB",
    );
    const scan = onePage("q 400 0 0 400 0 0 cm /I Do Q", "/XObject<</I 5 0 R>>", [image]);
    const { notices } = await noticed(markRedactions, scan, { redactions: literal("HERON") });
    expect(notices).toEqual({ "no-matches": 1, "pixels-unread": 1 });
  });
});
