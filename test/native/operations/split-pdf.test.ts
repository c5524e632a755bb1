// Contract: docs/api.md#split-pdf
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { Context } from "../../../src/document/contract/operation.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { type SplitPdfParams, splitPdf } from "../../../src/operations/split-pdf.ts";
import { sharedResourcesPdf } from "../../fixtures/object-pdfs.ts";
import { encrypted, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { corpusDir } from "../../support/corpus.ts";
import { HOSTILE_PDFS, onePage, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf } from "../../support/operations.ts";
import { infoOf, picturesOf, qpdfComplaints, textOf, uncompressed } from "../../support/pdf-readers.ts";

const MIB = 2 ** 20;

const split = (bytes: Uint8Array, pages?: readonly string[], context?: Context) => {
  const params: SplitPdfParams = pages ? { pages: pages.map((expression) => parsePages(expression, true)!) } : {};
  return outputsOf(splitPdf, [bytes], params, context);
};

/** Returns the number that each page of a `textPdf` shows in large digits. */
const numbersOn = (pdf: Uint8Array) => textOf(pdf).map((text) => Number(text.trim().split(/\s/)[0]));

async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "none";
  } catch (error) {
    if (error instanceof EngineFailure) return error.reason;
    if (error instanceof OutOfRange) return `${error.parameter} ${error.value}`;
    throw error;
  }
}

describe("outputs", () => {
  test("are one for each page where nothing is selected", async () => {
    const outputs = await split(await textPdf(4));
    expect(outputs.map(numbersOn)).toEqual([[1], [2], [3], [4]]);
    expect(outputs.map(qpdfComplaints)).toEqual(["", "", "", ""]);
  });

  test("are one for each expression, in the order given", async () => {
    const outputs = await split(await textPdf(6), ["5-last", "even", "3-1,6", "odd", "2,2,last"]);
    expect(outputs.map(numbersOn)).toEqual([
      [5, 6],
      [2, 4, 6],
      [3, 2, 1, 6],
      [1, 3, 5],
      [2, 2, 6],
    ]);
    expect(outputs.map(qpdfComplaints)).toEqual(["", "", "", "", ""]);
  });

  test("are PDFs by type and extension", async () => {
    for await (const output of splitPdf.run([inputOf(await textPdf(1))], {}, CONTEXT)) {
      expect([output.extension, output.type]).toEqual(["pdf", "application/pdf"]);
      await bytesOf(output);
    }
  });

  test("are none where one expression goes beyond the last page", async () => {
    let outputs = 0;
    const params = { pages: ["1", "2-5"].map((expression) => parsePages(expression)!) };
    const work = async () => {
      for await (const _ of splitPdf.run([inputOf(await textPdf(3))], params, CONTEXT)) outputs++;
    };
    expect(await failureOf(work())).toBe("pages 2-5");
    expect(outputs).toBe(0);
  });

  test("end when the job does", async () => {
    const ending = new AbortController();
    const work = async () => {
      for await (const output of splitPdf.run([inputOf(await textPdf(3))], {}, { ...CONTEXT, signal: ending.signal })) {
        await bytesOf(output);
        ending.abort(new EngineFailure("timed-out", "the time is up"));
      }
    };
    expect(await failureOf(work())).toBe("timed-out");
  });
});

describe("inputs", () => {
  test("with an owner password alone are opened, and the output is open", async () => {
    const [output] = await split(encrypted(await textPdf(2), "", "owner"), ["2"]);
    expect(numbersOn(output!)).toEqual([2]);
    expect(infoOf(output!).Encrypted).toBe("no");
  });

  test("with a user password are refused", async () => {
    expect(await failureOf(split(encrypted(await textPdf(1), "user", "owner")))).toBe("password-protected");
  });

  test("that are damaged are repaired", async () => {
    expect((await split(withoutXref(await textPdf(3)))).map(numbersOn)).toEqual([[1], [2], [3]]);
  });

  test("that are none are refused", async () => {
    expect(await failureOf(split(new Uint8Array(Buffer.from("{\\rtf1 no PDF}"))))).toBe("not-a-pdf");
  });
});

describe("pages that were left out leave nothing", () => {
  test("of resources that all pages share", async () => {
    const outputs = await split(sharedResourcesPdf(6));
    expect(outputs.length).toBe(6);
    outputs.forEach((output, index) => {
      const text = uncompressed(output);
      for (let page = 1; page <= 6; page++) {
        for (const mark of [`font ${page}.`, `image ${page}.`, `form ${page}.`]) {
          expect(text.includes(mark), `${mark} in part ${index + 1}`).toBe(page === index + 1);
        }
      }
      expect(textOf(output)[0]!.replace(/\s+/g, " ")).toContain(`page ${index + 1} form ${index + 1}.`);
    });
  });

  test("by whatever way they can be reached", async () => {
    const secret = stream("BT (secret text) Tj ET");
    const bytes = pdfOf([
      "<</Type/Catalog/Pages 2 0 R/Mine[4 0 R]>>",
      "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 9 9]>>",
      "<</Type/Page/Parent 2 0 R/Contents 6 0 R/Sibling 4 0 R/B[7 0 R]/PieceInfo<</App<</Private 4 0 R>>>>" +
        "/Annots[8 0 R]/SeparationInfo<</Pages[3 0 R 4 0 R]/DeviceColorant/Cyan>>>>",
      "<</Type/Page/Parent 2 0 R/Contents 5 0 R/Thumb 5 0 R/Metadata 5 0 R/Marker(secret page)>>",
      secret,
      stream("n"),
      "<</T 9 0 R/P 3 0 R/N 10 0 R/V 10 0 R/R[0 0 1 1]>>",
      "<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/Dest[4 0 R/Fit]>>",
      "<</Type/Thread/F 7 0 R/I<</Title(secret thread)>>>>",
      "<</T 9 0 R/P 4 0 R/N 7 0 R/V 7 0 R/R[0 0 1 1]>>",
    ]);
    const [output] = await split(bytes, ["1"]);
    const text = uncompressed(output!);
    expect(text).not.toMatch(/secret (text|page)/);
    expect(text.match(/\/Type \/Page\b/g)?.length).toBe(1);
    expect(qpdfComplaints(output!)).toBe("");
  });

  test("what cannot be told keeps all: a content stream that cannot be decoded", async () => {
    const broken = stream("\xff\xfe not deflated", "/Filter/LZWDecode/DecodeParms<</Predictor 99>>");
    const bytes = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 9 9]/Resources<</Font<</F 6 0 R>>>>>>",
      "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>",
      "<</Type/Page/Parent 2 0 R>>",
      broken,
      "<</Type/Font/Subtype/Type1/BaseFont/Courier>>",
    ]);
    expect((await split(bytes)).length).toBe(2);
  });
});

describe("what pages use stays", () => {
  const resources =
    "/Font<</F 6 0 R/Unused 6 0 R/G 6 0 R>>/ExtGState<</E<</Type/ExtGState/CA " +
    ".5>>>>/ColorSpace<</C[/Separation/Spot/DeviceGray 7 0 R]" +
    "/DefaultRGB[/CalRGB<</WhitePoint[.95 1 1.09]>>]/I[/Indexed/DeviceGray " +
    "1<00FF>]/Unused/DeviceGray>>/Pattern<</P 8 0 R/Unused 8 0 R>>" +
    "/Shading<</S<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function 7 0 R>>>>/XObject<</X 9 0 " +
    "R/Y 10 0 R/Unused 9 0 R>>/ProcSet[/PDF]";
  const objects = (content: string, page = "") => [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 200 100]/Resources<<${resources}>>>>`,
    `<</Type/Page/Parent 2 0 R/Contents 5 0 R${page}>>`,
    "<</Type/Page/Parent 2 0 R>>",
    stream(content),
    "<</Type/Font/Subtype/Type1/BaseFont/Courier>>",
    "<</FunctionType 2/Domain[0 1]/N 1>>",
    stream("/X Do", "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9"),
    stream("BT /G 9 Tf ET", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
    stream(
      "/E gs",
      "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</ExtGState<</E<</CA .1>>>>/Font<</Own 6 0 R>>>>",
    ),
  ];
  /** Returns the names of the first page's resources, by category. */
  const keptBy = async (content: string, page = "") => {
    const [output] = await split(pdfOf(objects(content, page)), ["1"]);
    expect(qpdfComplaints(output!)).toBe("");
    const text = uncompressed(output!);
    const start = text.indexOf("/Resources <<", text.indexOf("/Type /Page\n") - 2000);
    const block = text.slice(start, text.indexOf("\n  >>", start));
    return ["F", "G", "E", "C", "DefaultRGB", "I", "P", "S", "X", "Y", "Unused"].filter((name) =>
      new RegExp(`^\\s+/${name} `, "m").test(block),
    );
  };

  test.each([
    ["fonts", "BT /F 9 Tf (x) Tj ET", ["F", "DefaultRGB"]],
    ["graphics states and color spaces", "/E gs /C cs 1 scn", ["E", "C", "DefaultRGB"]],
    ["shadings", "/S sh", ["DefaultRGB", "S"]],
    ["patterns, whose tiles have no resources of their own", "/Pattern CS .5 /P SCN", ["G", "DefaultRGB", "P", "X"]],
    ["forms with and without resources", "/X Do /Y Do", ["G", "DefaultRGB", "X", "Y"]],
    ["color spaces of inline images", "BI/W 1/H 1/BPC 8/CS/I ID \x01 EI", ["DefaultRGB", "I"]],
    ["names in strings and arrays are none", "(/F 9 Tf)[/X]/Do pop % /S sh", ["DefaultRGB"]],
  ])("%s", async (_, content, expected) => {
    expect(await keptBy(content)).toEqual(expected);
  });

  test("of annotations without resources of their own", async () => {
    const annotation = "/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/AP<</N 9 0 R>>>>]";
    expect(await keptBy("n", annotation)).toEqual(["G", "DefaultRGB"]);
  });
});

describe("annotations of a page that is taken twice", () => {
  test("are there twice, each with its own page and popup", async () => {
    const bytes = onePage(
      "n",
      "",
      [
        "<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/P 3 0 R/Popup 6 0 R/Contents(note)>>",
        "<</Type/Annot/Subtype/Popup/Rect[0 0 9 9]/Parent 5 0 R>>",
      ],
      "/Annots[5 0 R 6 0 R]",
    );
    const [output] = await split(bytes, ["1,1"]);
    expect(uncompressed(output!).match(/\(note\)/g)?.length).toBe(2);
    expect(qpdfComplaints(output!)).toBe("");
  });
});

describe("bounds", () => {
  test("a book of 500 pages becomes 500 files, each a small part of it", async () => {
    const book = await textPdf(500);
    let outputs = 0;
    let bytes = 0;
    let sample: Uint8Array | undefined;
    for await (const output of splitPdf.run([inputOf(book)], {}, CONTEXT)) {
      const part = await bytesOf(output);
      bytes = Math.max(bytes, part.length);
      if (++outputs === 137) sample = part;
    }
    expect(outputs).toBe(500);
    expect(bytes).toBeLessThan(4000);
    expect(numbersOn(sample!)).toEqual([137]);
  });

  test("a content of 1 GB in a document of two pages is refused or kept, in bounded memory", async () => {
    const bomb = deflateSync(deflateSync(Buffer.alloc(1024 * MIB, " "), { level: 9 }), { level: 9 });
    const bytes = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 9 9]/Resources<</Font<<>>>>>>",
      "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>",
      "<</Type/Page/Parent 2 0 R>>",
      stream(new Uint8Array(bomb), "/Filter[/FlateDecode/FlateDecode]"),
    ]);
    const before = process.memoryUsage().rss;
    expect(["none", "too-large"]).toContain(await failureOf(split(bytes, ["1"])));
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  });

  test.each(HOSTILE_PDFS)("$name", async ({ bytes }) => {
    const outcome = await failureOf(split(bytes()));
    expect(["none", "damaged", "too-large", "too-complex"]).toContain(outcome);
  });
});

/** Documents that cannot be opened: user password, not a PDF, no pages. */
const CLOSED: Readonly<Record<string, string>> = {
  "enc-XI-R6-V5-U-view-O-master.pdf": "password-protected",
  "actually_an_rtf.pdf": "not-a-pdf",
  "637.pdf": "damaged",
};
/** The page tree contains itself, and readers interpret this differently. */
const DAMAGED = "crash-121-2.pdf";

describe.runIf(corpusDir)("real documents", () => {
  const folder = join(corpusDir ?? "", "pdf");
  const names = corpusDir ? readdirSync(folder).filter((name) => name.endsWith(".pdf")) : [];

  test.each(names)("%s: every part is sound and looks as its page does", { timeout: 180_000 }, async (name) => {
    const original = new Uint8Array(readFileSync(join(folder, name)));
    const refusal = CLOSED[name];
    if (refusal) {
      expect(await failureOf(split(original))).toBe(refusal);
      return;
    }
    const outputs = await split(original);
    const isSound = qpdfComplaints(original) === "";
    if (name === DAMAGED) return;
    const pages = Number(infoOf(original).Pages);
    expect(outputs.length).toBe(pages);
    const step = Math.ceil(pages / 12);
    const [texts, pictures] = [textOf(original), picturesOf(original, 20)];
    for (let index = 0; index < pages; index += step) {
      const part = outputs[index]!;
      if (isSound) expect(qpdfComplaints(part)).toBe("");
      expect(textOf(part)[0]).toBe(texts[index]);
      expect(picturesOf(part, 20)[0]!.equals(pictures[index]!)).toBe(true);
    }
  });
});
