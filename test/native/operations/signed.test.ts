// Tests that every operation that rewrites signed documents removes the signatures, keeps their appearance, and reports
// the loss.
// Contract: docs/api.md#notices
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Notice } from "../../../src/document/contract/notice.ts";
import type { Operation } from "../../../src/document/contract/operation.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { flattenTransparency } from "../../../src/operations/container-only/flatten-transparency.ts";
import { linearizePdf } from "../../../src/operations/linearize-pdf.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { repairPdfa } from "../../../src/operations/pdfa-steps/repair-pdfa.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { noticeSentences } from "../../../src/service/http/responses/notices.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { encrypted } from "../../fixtures/pdfs.ts";
import { certifiedPdf, enabledPdf, lockedPdf, signedPdf } from "../../fixtures/signed-pdfs.ts";
import { corpusFile } from "../../support/corpus.ts";
import { stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf } from "../../support/operations.ts";
import { PdfJson, said } from "../../support/pdf-json.ts";
import { picturesOf, qpdfComplaints, uncompressed, withFile } from "../../support/pdf-readers.ts";

interface Made {
  readonly outputs: Uint8Array[];
  readonly notices: string[];
}

async function made<P>(operation: Operation<P>, pdfs: readonly Uint8Array[], params: P): Promise<Made> {
  const outputs: Uint8Array[] = [];
  const lost: Notice[] = [];
  const context = { ...CONTEXT, heapLimitBytes: 256 * 2 ** 20 };
  for await (const output of operation.run(
    pdfs.map((pdf) => inputOf(pdf)),
    params,
    context,
  )) {
    if (output.type === "application/pdf") outputs.push(await bytesOf(output));
    lost.push(...(output.notices?.() ?? []));
  }
  return { outputs, notices: noticeSentences(lost) };
}

const pages = [parsePages("1-last", true)!];
const OPERATIONS: Readonly<Record<string, (pdf: Uint8Array) => Promise<Made>>> = {
  compress: (pdf) => made(compressPdf, [pdf], { level: "low" }),
  "compress for the web": (pdf) =>
    made(compressPdf, [pdf], { level: "custom", profile: { cleanup: { "optimize-for-fast-web-view": true } } }),
  linearize: (pdf) => made(linearizePdf, [pdf], {}),
  flatten: (pdf) => made(flattenTransparency, [pdf], { quality: "low" }),
  merge: (pdf) => made(mergePdfs, [pdf], { pages }),
  split: (pdf) => made(splitPdf, [pdf], { pages }),
  "repair for PDF/A": (pdf) => made(repairPdfa, [pdf], { level: { part: 2, conformance: "b" }, failures: [] }),
};
const NAMES = Object.keys(OPERATIONS);
const ONE = "1 digital signature was removed";
const TWO = "2 digital signatures were removed";

/** Draws with MuPDF because, unlike poppler, it draws a mark of its own for a missing signature. */
const drawnByMupdf = (pdf: Uint8Array): Buffer =>
  withFile(pdf, (path, folder) => {
    const picture = join(folder, "1.pgm");
    execFileSync("mutool", ["draw", "-q", "-r", "36", "-c", "gray", "-o", picture, path, "1"], { stdio: "ignore" });
    return readFileSync(picture);
  });

describe.each(NAMES)("%s", (name) => {
  const run = OPERATIONS[name]!;
  test.each<[string, () => Uint8Array, string[]]>([
    ["a signature with a look", signedPdf, [ONE]],
    ["one that certifies and permits nothing", certifiedPdf, [ONE]],
    ["two, one of which locks a field, one without a look", lockedPdf, [TWO]],
    ["one below an owner password", () => encrypted(signedPdf(), "", "owner"), [ONE, PROTECTION]],
    ["usage rights alone", enabledPdf, ["usage rights for Adobe Reader were removed"]],
  ])("%s", async (_, pdf, notices) => {
    const before = pdf();
    const { outputs, notices: told } = await run(before);
    // Notices about fonts are not part of this test.
    expect(told.filter((sentence) => !sentence.includes("font"))).toEqual(notices);
    const [after] = outputs;
    expect(qpdfComplaints(after!)).toBe("");
    expect(said(after!, "pdfsig")).not.toMatch(/Signature #|Total document signed|signature form field/);
    const content = uncompressed(after!);
    for (const gone of ["/ByteRange", "/Perms", "/DSS", "/Lock", "/SigFlags 3", "/Sig "])
      expect(content).not.toContain(gone);
    if (name === "flatten" || name.includes("PDF/A")) return;
    expect(picturesOf(after!)[0]!.equals(picturesOf(before)[0]!)).toBe(true);
    expect(drawnByMupdf(after!).equals(drawnByMupdf(before))).toBe(true);
  });

  test("what it showed stays, as do other fields with their flags", async () => {
    const [pdf] = (await run(lockedPdf())).outputs;
    const document = new PdfJson(pdf!);
    const annotations = document.annotations(1).map((annotation) => annotation["/Subtype"]);
    expect(annotations).toEqual(["/Stamp", "/Widget"]);
    expect(document.annotations(1)[0]).toHaveProperty("/AP");
    const fields = document.at(document.catalog, "AcroForm", "Fields");
    expect(fields.map((field: unknown) => document.get(field))).toMatchObject([
      { "/T": "u:Text", "/Ff": 1, "/V": "u:kept" },
    ]);
  });

  test.skipIf(!corpusFile("pdf/minimal-signed-twice-both-created.pdf"))("a real one, signed twice", async () => {
    const { outputs, notices } = await run(corpusFile("pdf/minimal-signed-twice-both-created.pdf")!);
    // The document has no transparency, so it does not change.
    if (name === "flatten") {
      expect(said(outputs[0]!, "pdfsig")).toContain("Signature #2");
      expect(notices).toEqual([]);
      return;
    }
    expect(notices).toEqual([TWO]);
    expect(said(outputs[0]!, "pdfsig")).not.toMatch(/Signature #|signature form field/);
  });
});

const PROTECTION = "protection by an owner password was removed";

describe("only what is lost is told", () => {
  const plain = () => {
    const builder = new PdfBuilder();
    builder.page("/G gs (not signed) pop", "", "/ExtGState<</G<</ca .5>>>>");
    return builder.bytes();
  };
  test.each(NAMES)("%s: nothing of a document that has nothing to lose", async (name) => {
    expect((await OPERATIONS[name]!(plain())).notices).toEqual([]);
  });

  test.each(NAMES)("%s: protection by an owner password", async (name) => {
    const { outputs, notices } = await OPERATIONS[name]!(encrypted(plain(), "", "owner"));
    const isKept = uncompressedTrailer(outputs[0]!).includes("/Encrypt");
    expect(notices).toEqual(isKept ? [] : [PROTECTION]);
    expect(isKept).toBe(name === "linearize");
  });

  test.each(NAMES)("%s: an XFA form, where it goes", async (name) => {
    const builder = new PdfBuilder();
    builder.page("/G gs (form) pop", "", "/ExtGState<</G<</ca .5>>>>");
    const field = builder.add("<</FT/Tx/T(a)/V(b)>>");
    builder.catalog = `/AcroForm<</Fields[${field}]/XFA ${builder.stream("<xdp/>")}>>`;
    const { outputs, notices } = await OPERATIONS[name]!(builder.bytes());
    const isKept = uncompressed(outputs[0]!).includes("/XFA");
    expect(notices).toEqual(isKept ? [] : ["the XFA form was removed, its AcroForm was kept"]);
    expect(isKept).toBe(!/merge|split|PDF/.test(name));
  });

  test("signatures of several inputs are added up, those of several outputs are not", async () => {
    const both = await made(mergePdfs, [lockedPdf(), signedPdf()], { pages: [...pages, ...pages] });
    expect(both.notices).toEqual(["3 digital signatures were removed"]);
    const apart = await made(splitPdf, [lockedPdf()], {});
    expect([apart.outputs.length, apart.notices]).toEqual([2, [TWO]]);
  });
});

describe("content that is damaged", () => {
  const content = deflateSync(Buffer.from(`BT /F 24 Tf 30 150 Td (Damaged) Tj ET ${"0 0 m 9 9 l S ".repeat(500)}`));
  const damaged = () => {
    const builder = new PdfBuilder();
    builder.page("sound");
    for (const bytes of [content.subarray(0, content.length >> 1), content]) {
      const page = builder.page("replaced");
      const part = builder.add(stream(bytes, "/Filter/FlateDecode"));
      builder.set(
        page,
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 3 0 R>>>>/Contents ${part}>>`,
      );
    }
    return builder.bytes();
  };
  test.each(["compress", "merge", "split"])("%s: it is passed on, and told", async (name) => {
    const { notices } = await OPERATIONS[name]!(damaged());
    expect(notices).toEqual(["damaged content of 1 page was passed on"]);
  });

  test("only of pages that are taken", async () => {
    const of = async (expression: string) =>
      (await made(splitPdf, [damaged()], { pages: [parsePages(expression, true)!] })).notices;
    expect([await of("1"), await of("2,3"), await of("3")]).toEqual([
      [],
      ["damaged content of 1 page was passed on"],
      [],
    ]);
  });
});

const uncompressedTrailer = (pdf: Uint8Array): string => Buffer.from(pdf).toString("latin1");
