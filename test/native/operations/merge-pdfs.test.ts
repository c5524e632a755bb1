// Tests merging: pages, limits, hostile inputs, and pairs of real documents.
// Contract: docs/api.md#merged-pdf
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { Context } from "../../../src/document/contract/operation.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { encrypted, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { corpusDir } from "../../support/corpus.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { CONTEXT, inputOf } from "../../support/operations.ts";
import { merged, mergedIn, type OutlineItem, PdfJson, said } from "../../support/pdf-json.ts";
import { infoOf, picturesOf, qpdfComplaints, textOf, withFile } from "../../support/pdf-readers.ts";

const words = (pdf: Uint8Array) => textOf(pdf).map((text) => text.trim());

async function failure(work: Promise<unknown>): Promise<EngineFailure | OutOfRange> {
  return work.then(
    () => expect.unreachable("it must fail"),
    (error) => error,
  );
}

describe("merge-pdfs", () => {
  test("pages in the order of the inputs and of their expressions", async () => {
    const [a, b] = [plainPdf("a1", "a2", "a3", "a4"), plainPdf("b1", "b2", "b3")];
    expect(words(await merged(a, b, a))).toEqual(["a1", "a2", "a3", "a4", "b1", "b2", "b3", "a1", "a2", "a3", "a4"]);
    expect(words(await merged([b, "last-1"], [a, "even,1,1"]))).toEqual(["b3", "b2", "b1", "a2", "a4", "a1", "a1"]);
    expect(words(await merged([a, "odd"]))).toEqual(["a1", "a3"]);
  });

  test("a page beyond the last is out of range", async () => {
    const error = (await failure(merged(plainPdf("a"), [plainPdf("b"), "1,2"]))) as OutOfRange;
    expect(error).toBeInstanceOf(OutOfRange);
    expect(error).toMatchObject({ parameter: "pages", value: "1,2" });
    expect(error.why).toMatch(/, number 2 of the 2 inputs, has 1 page\.$/);
  });

  test("password-protected inputs are refused, an owner's password alone is not", async () => {
    const pdf = plainPdf("a");
    const locked = (await failure(merged(pdf, encrypted(pdf, "user", "owner")))) as EngineFailure;
    expect(locked).toMatchObject({ reason: "password-protected" });
    expect(locked.why).toMatch(/, number 2 of the 2 inputs, needs a password\.$/);
    const open = await merged(encrypted(plainPdf("b"), "", "owner"), pdf);
    expect(words(open)).toEqual(["b", "a"]);
    expect(infoOf(open).Encrypted).toBe("no");
  });

  test("damaged inputs are repaired or refused", async () => {
    const repaired = await merged(withoutXref(plainPdf("a")), plainPdf("b"));
    expect(words(repaired)).toEqual(["a", "b"]);
    expect(qpdfComplaints(repaired)).toBe("");
  });

  test("an input that cannot be read is named, and a sole one is not", async () => {
    const [good, locked] = [plainPdf("a"), encrypted(plainPdf("b"), "user", "owner")];
    const text = new Uint8Array(Buffer.from("no PDF"));
    const empty = new Uint8Array(
      Buffer.from("%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 1 0 R>>\n"),
    );
    for (const [inputs, reason, why] of [
      [[good, text], "not-a-pdf", "number 2 of the 2 inputs, is not a PDF."],
      [[text, good, good], "not-a-pdf", "number 1 of the 3 inputs, is not a PDF."],
      [[good, good, empty], "damaged", "number 3 of the 3 inputs, is damaged."],
      [[good, locked, text], "password-protected", "number 2 of the 3 inputs, needs a password."],
    ] as const) {
      const error = (await failure(merged(...inputs))) as EngineFailure;
      expect([error.reason, error.why]).toEqual([reason, expect.stringMatching(`^.+, ${why}$`)]);
    }
    for (const only of [text, empty, locked]) expect(await failure(merged(only))).toMatchObject({ why: undefined });
  });

  test("equal fonts and images are stored once", async () => {
    const withImage = (text: string) => {
      const builder = new PdfBuilder();
      const image = builder.stream(
        "\x00\x80\xff".repeat(3000),
        "/Type/XObject/Subtype/Image/Width 100/Height 90/ColorSpace/DeviceGray/BitsPerComponent 8",
      );
      builder.page(`q 99 0 0 99 0 0 cm /I Do Q BT /F 9 Tf (${text}) Tj ET`, "", `/XObject<</I ${image}>>`);
      return builder.bytes();
    };
    const pdf = await merged(...Array.from({ length: 5 }, (_, index) => withImage(`${index}`)));
    const document = new PdfJson(pdf);
    expect(document.dictionaries.filter((object) => object["/Subtype"] === "/Image")).toHaveLength(1);
    expect(document.dictionaries.filter((object) => object["/Type"] === "/Font")).toHaveLength(1);
    expect(document.pages).toHaveLength(5);
  });

  // Other hostile documents are hostile only when they are drawn, which a merge does not do.
  const hostile = HOSTILE_PDFS.filter(({ name }) => /tree|deep|itself|table/.test(name));
  test.each(hostile.map((pdf) => [pdf.name, pdf] as const))(
    "%s, between others: a file or a plain refusal",
    async (_, { bytes }) => {
      const between = [plainPdf("before"), bytes(), plainPdf("after")];
      try {
        const pdf = await merged(...between);
        // The result need not be drawable, because its pages are hostile.
        expect(new PdfJson(pdf).pages.length).toBeGreaterThanOrEqual(3);
      } catch (error) {
        expect(error).toBeInstanceOf(EngineFailure);
        expect(["crashed", "timed-out"]).not.toContain((error as EngineFailure).reason);
      }
    },
  );

  test("a job that is ended ends", async () => {
    const ending = new AbortController();
    ending.abort(new Error("enough"));
    const context: Context = { ...CONTEXT, signal: ending.signal };
    expect(await failure(mergedIn(context, [plainPdf("a")]))).toMatchObject({ message: "enough" });
  });

  test("one engine is open at a time, and inputs are asked for when their turn comes", async () => {
    const asked: number[] = [];
    const pdfs = await Promise.all([1, 2, 3].map((pages) => textPdf(pages)));
    const inputs = pdfs.map((bytes, index) => ({
      ...inputOf(bytes),
      bytes: async () => {
        asked.push(index);
        return bytes;
      },
    }));
    const logged: Record<string, unknown>[] = [];
    const context: Context = { ...CONTEXT, log: (_, details) => logged.push(details ?? {}) };
    const pages = pdfs.map(() => parsePages("1-last")!);
    for await (const { body } of mergePdfs.run(inputs, { pages }, context)) {
      expect(asked).toEqual([]);
      for await (const _ of body as AsyncIterable<Uint8Array>);
    }
    expect(asked).toEqual([0, 1, 2]);
    expect(logged).toEqual([expect.objectContaining({ inputs: 3, pages: 6 })]);
  });

  test("200 small files, each with an outline, a form and a page label", async () => {
    const small = (index: number) => {
      const builder = new PdfBuilder();
      const field = builder.add(`<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T(Name)/V(${index})>>`);
      const page = builder.page(`page ${index}`, `/Annots[${field}]`);
      const [root, item] = [builder.reserve(), builder.reserve()];
      builder.set(root, `<</First ${item}/Last ${item}/Count 1>>`);
      builder.set(item, `<</Title(item ${index})/Parent ${root}/Dest(there)>>`);
      builder.catalog = `/Outlines ${root}/AcroForm<</Fields[${field}]>>/PageLabels<</Nums[0<</P(${index}-)/S/D>>]>>/Names<</Dests<</Names[(there)[${page}/Fit]]>>>>`;
      return builder.bytes();
    };
    const pdf = await merged(...Array.from({ length: 200 }, (_, index) => small(index)));
    const document = new PdfJson(pdf);
    expect(document.outlines.map(({ title, destpageposfrom1 }: OutlineItem) => `${title} ${destpageposfrom1}`)).toEqual(
      Array.from({ length: 200 }, (_, index) => `item ${index} ${index + 1}`),
    );
    const names = document.fields.map(({ fullname }) => fullname);
    expect(new Set(names).size).toBe(200);
    expect(document.fields.map(({ value }) => value)).toEqual(Array.from({ length: 200 }, (_, index) => `u:${index}`));
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("two files of 2,000 pages, with the memory that an isolate gives", async () => {
    const builder = new PdfBuilder();
    const pages = Array.from({ length: 2000 }, () => builder.reserve());
    pages.forEach((page, index) => {
      const link = `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[${pages[(index + 1) % 2000]}/Fit]>>`;
      builder.page(`page ${index}`, `/Annots[${builder.add(link)}]`, "", page);
    });
    const pdf = await merged(builder.bytes(), builder.bytes());
    expect(infoOf(pdf).Pages).toBe("4000");
    const document = new PdfJson(pdf);
    expect(document.pageNumber(document.annotations(4000)[0]["/Dest"][0])).toBe(2001);
    expect(qpdfComplaints(pdf)).toBe("");
  });
});

/** Returns the numbers of a document's parts, counted by another engine. */
function counts(pdf: Uint8Array): Record<string, number> {
  const document = new PdfJson(pdf);
  let items = 0;
  const waiting = [...document.outlines];
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    items++;
    waiting.push(...item.kids);
  }
  const subtypes = document.pages.flatMap((_, index) => document.annotations(index + 1).map((a) => a?.["/Subtype"]));
  // Signatures are removed; their appearances remain as stamps.
  const fields = document.fields.filter(({ fieldtype }) => fieldtype !== "/Sig");
  const structure = said(pdf, "pdfinfo", "-struct");
  const parents = document.catalog["/StructTreeRoot"]
    ? document.at(document.catalog, "StructTreeRoot", "ParentTree")
    : null;
  const marked = [...document.tree(parents).values()].flatMap((value) => document.get(value)).filter(Boolean);
  return {
    pages: document.pages.length,
    items,
    links: subtypes.filter((subtype) => subtype === "/Link").length,
    annotations: subtypes.length,
    widgets: fields.length,
    values: fields.filter(({ value }) => value && value !== "u:").length,
    attachments: Object.keys(document.json.attachments).length,
    layers: document.at(document.catalog, "OCProperties", "OCGs")?.length ?? 0,
    off: document.at(document.catalog, "OCProperties", "D", "OFF")?.length ?? 0,
    elements: structure.split("\n").filter((line) => /^\s*[A-Z]\w*( |$)/.test(line)).length,
    marked: parents ? marked.length : 0,
    destinations:
      document.tree(document.at(document.catalog, "Names", "Dests")).size +
      Object.keys(document.at(document.catalog, "Dests") ?? {}).length,
    // Does not count the scripts that a merge adds.
    scripts: [...document.tree(document.at(document.catalog, "Names", "JavaScript")).keys()].filter(
      (name) => !name.startsWith("u:!joinedFieldNames"),
    ).length,
  };
}

describe.skipIf(corpusDir === undefined)("real documents with outlines, forms, tags, layers, attachments", () => {
  const NAMES = [
    "amt_handbook_sample",
    "fancy_fields",
    "with_xfa_fields",
    "right_to_left_01",
    "Seige_of_Vicksburg_Sample_OCR",
    "validAvoir_FR_type380_BASICWL",
    "minimal-signed-twice-both-created",
    "test3",
    "veraPDF-test-suite-6-2-10-t05-fail-h",
    "form-xobjects-out",
  ];
  const read = (name: string) => new Uint8Array(readFileSync(join(corpusDir!, "pdf", `${name}.pdf`)));
  const before = new Map<string, { counts: Record<string, number>; pictures: Buffer[] }>();
  const known = (name: string) => {
    const found = before.get(name) ?? { counts: counts(read(name)), pictures: picturesOf(read(name), 40) };
    before.set(name, found);
    return found;
  };

  test("all in one, as another reader draws them", async () => {
    const names = NAMES;
    const drawn = (pdf: Uint8Array) =>
      withFile(pdf, (path, folder) => {
        const pages = join(folder, "%d.pgm");
        spawnSync("mutool", ["draw", "-q", "-r", "36", "-c", "gray", "-o", pages, path]);
        const { Pages } = infoOf(pdf);
        return Array.from({ length: Number(Pages) }, (_, index) => readFileSync(join(folder, `${index + 1}.pgm`)));
      });
    const before = names.flatMap((name) => drawn(read(name)));
    const after = drawn(await merged(...names.map(read)));
    expect(after.map((picture, index) => picture.equals(before[index]!))).toEqual(before.map(() => true));
  });

  test.each(NAMES)(
    "%s, before and after each other one",
    async (first) => {
      for (const second of NAMES) {
        if (second === first) continue;
        const pdf = await merged(read(first), read(second));
        const [a, b] = [known(first), known(second)];
        const sums = Object.fromEntries(Object.entries(a.counts).map(([key, count]) => [key, count + b.counts[key]!]));
        // The two structure trees are below one additional element.
        if (a.counts.elements! > 0 && b.counts.elements! > 0) sums.elements!++;
        expect({ second, ...counts(pdf) }).toEqual({ second, ...sums });
        expect(qpdfComplaints(pdf)).toBe("");
        const pictures = picturesOf(pdf, 40);
        [...a.pictures, ...b.pictures].forEach((picture, index) => {
          expect(pictures[index]!.equals(picture), `${second}, page ${index + 1}`).toBe(true);
        });
      }
    },
    300_000,
  );
});
