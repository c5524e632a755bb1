// Tests reading and rewriting of PDF files.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Dictionary, Name, PdfStream, PdfString, Reference } from "../../../../src/document/objects/values.ts";
import { writeFile } from "../../../../src/document/objects/writer.ts";
import { readPages } from "../../../../src/document/pages/pages.ts";
import { hybridPdf } from "../../../fixtures/object-pdfs.ts";
import { encrypted, textPdf, withoutXref } from "../../../fixtures/pdfs.ts";
import { corpusDir } from "../../../support/corpus.ts";
import { onePage, pdfOf, stream } from "../../../support/hostile-pdfs.ts";
import { reasonOf } from "../../../support/operations.ts";
import { bodyOf, gathered, openPdf } from "../../../support/pdf-objects.ts";
import { infoOf, picturesOf, qpdfComplaints, textOf, uncompressed } from "../../../support/pdf-readers.ts";

const MIB = 2 ** 20;

async function rewritten(bytes: Uint8Array): Promise<Uint8Array> {
  using opened = await openPdf(bytes);
  return await gathered(writeFile(opened.file));
}

describe("values of a source", () => {
  const page =
    "/A[1 -2 16777217 2147483647 .5 -1e3 true false null 3 0 R 99 0 " +
    "R]/B(\\000\\377(x))/C<414200>/D/A#20#e9/E<</F<</G[[]]>>>>";

  test("are as they are in the file", async () => {
    using opened = await openPdf(onePage("n", "", [], page));
    const { file } = opened;
    const object = file.dictionary(new Reference(3))!;
    const [integer, negative, beyondFloat, largest, real] = file.array(object.get("A"))!;
    expect([integer, negative, beyondFloat, largest, real]).toEqual([1, -2, 16777217, 2147483647, 0.5]);
    expect(file.array(object.get("A"))!.slice(-5)).toEqual([true, false, null, new Reference(3), new Reference(99)]);
    expect(file.string(object.get("B"))!.latin1).toBe("\0\xff(x)");
    expect(file.string(object.get("C"))!.latin1).toBe("AB\0");
    expect(file.name(object.get("D"))).toBe("A \xe9");
    expect(file.resolve(new Reference(99))).toBe(null);
    expect(file.array(file.dictionary(file.dictionary(object.get("E"))!.get("F"))!.get("G"))).toEqual([[]]);
  });

  test("a reference to itself ends", async () => {
    using opened = await openPdf(onePage("n", "", ["5 0 R", "7 0 R", "6 0 R"]));
    expect([5, 6].map((number) => opened.file.resolve(new Reference(number)))).toEqual([null, null]);
  });

  test("streams are raw and decoded, and have no Length", async () => {
    const pdf = onePage("q Q");
    using opened = await openPdf(pdf);
    const content = opened.file.stream(new Reference(4))!;
    expect([...content.dictionary.keys()]).toEqual(["Filter"]);
    expect(Buffer.from(content.body.decoded(1000)).toString()).toBe("q Q");
    const raw = Buffer.from(content.body.raw());
    expect(inflateSync(raw).toString()).toBe("q Q");
    expect(Buffer.from(pdf).includes(raw)).toBe(true);
  });

  test("decoding is bounded, whatever the filter", async () => {
    const bomb = deflateSync(Buffer.alloc(64 * MIB));
    const twice = deflateSync(bomb);
    const filters = stream(new Uint8Array(twice), "/Filter[/FlateDecode/FlateDecode]");
    using opened = await openPdf(onePage("n", "", [stream(new Uint8Array(bomb), "/Filter/FlateDecode"), filters]));
    for (const number of [5, 6]) {
      const { body } = opened.file.stream(new Reference(number))!;
      expect(await reasonOf(async () => body.decoded(MIB))).toBe("too-large");
    }
  });

  test("a damaged stream decodes as far as it goes, and stays as it is", async () => {
    const whole = deflateSync(Buffer.from("0 0 9 9 re f ".repeat(100)), { level: 1 });
    using opened = await openPdf(
      onePage("n", "", [stream(new Uint8Array(whole.subarray(0, 30)), "/Filter/FlateDecode")]),
    );
    const { body } = opened.file.stream(new Reference(5))!;
    expect(Buffer.from(body.decoded(MIB)).toString()).toMatch(/^0 0 9/);
    expect(body.raw().length).toBe(30);
  });

  test("a large stream is found where it lies: the engine's heap does not grow", async () => {
    const data = randomBytes(20 * MIB);
    using opened = await openPdf(onePage("n", "", [stream(data, "/Length1 7")]));
    const before = opened.source.heapBytes;
    expect(Buffer.from(opened.file.stream(new Reference(5))!.body.raw()).equals(data)).toBe(true);
    expect(opened.source.heapBytes).toBe(before);
  });

  test("of two versions of a large stream the one that counts is read", async () => {
    const [old, current] = [randomBytes(3 * MIB), randomBytes(3 * MIB)];
    const first = onePage("n", "", [stream(old)]);
    const update = Buffer.concat([Buffer.from("5 0 obj\n"), stream(current), Buffer.from("\nendobj\n")]);
    const xref = `xref\n5 1\n${String(first.length).padStart(10, "0")} 00000 n \n`;
    const previous = Buffer.from(first)
      .toString("latin1")
      .match(/startxref\n(\d+)/)![1];
    const trailer = `trailer<</Size 6/Root 1 0 R/Prev ${previous}>>\nstartxref\n${first.length + update.length}\n%%EOF\n`;
    using opened = await openPdf(new Uint8Array(Buffer.concat([first, update, Buffer.from(xref + trailer)])));
    expect(Buffer.from(opened.file.stream(new Reference(5))!.body.raw()).equals(current)).toBe(true);
  });

  test("what is damaged late is repaired late: nothing that was there is lost", async () => {
    const sound = Buffer.from(onePage("0 0 9 9 re f", "", ["(one)", "(two)", "(three)"], "/A 5 0 R/B 6 0 R/C 7 0 R"));
    // The cross-reference table has a wrong offset for an object in the middle.
    const text = sound.toString("latin1");
    const offset = String(text.indexOf("6 0 obj")).padStart(10, "0");
    const broken = new Uint8Array(Buffer.from(text.replace(`${offset} 00000 n`, "0000000020 00000 n"), "latin1"));
    const output = await rewritten(broken);
    expect(qpdfComplaints(output)).toBe("");
    for (const kept of ["(one)", "(two)", "(three)", "0 0 9 9 re f"]) expect(uncompressed(output)).toContain(kept);
  });

  test("hidden objects of a hybrid file are there", async () => {
    const output = await rewritten(hybridPdf());
    expect(uncompressed(output)).toContain("only the stream knows");
    expect(textOf(output)[0]).toContain("hidden");
  });
});

describe("a file that is written", () => {
  test("passes qpdf, has the same text, and is the same every time", async () => {
    const original = await textPdf(3);
    const [one, other] = [await rewritten(original), await rewritten(original)];
    expect(qpdfComplaints(one)).toBe("");
    expect(textOf(one)).toEqual(textOf(original));
    expect(Buffer.from(one).equals(other)).toBe(true);
  });

  test("has its version, and two identifiers of which the first stays", async () => {
    const original = pdfOf(
      [
        "<</Type/Catalog/Pages 2 0 R/Version/2.0>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
      ],
      "/ID[(0123456789abcdef)(x)]",
    );
    const output = Buffer.from(await rewritten(original)).toString("latin1");
    expect(output).toMatch(/^%PDF-2\.0\n/);
    expect(output).toContain("/ID[(0123456789abcdef)");
  });

  test("leaves out what cannot be reached", async () => {
    const output = await rewritten(onePage("n", "", ["(nobody refers to this)"]));
    expect(uncompressed(output)).not.toContain("nobody");
  });

  test("is not encrypted, and nothing of the encryption is left", async () => {
    const output = await rewritten(encrypted(await textPdf(1), "", "owner"));
    expect(infoOf(output).Encrypted).toBe("no");
    expect(textOf(output)[0]).toContain("quick brown fox");
    expect(Buffer.from(output).includes("/Encrypt")).toBe(false);
    expect(await reasonOf(async () => rewritten(encrypted(await textPdf(1), "user", "owner")))).toBe(
      "password-protected",
    );
  });

  test("of a damaged file is sound", async () => {
    const original = await textPdf(2);
    const output = await rewritten(withoutXref(original));
    expect(qpdfComplaints(output)).toBe("");
    expect(textOf(output)).toEqual(textOf(original));
  });

  test("has what was changed, added and deleted", async () => {
    using opened = await openPdf(onePage("n", "", ["(old)"], "/Mine 5 0 R"));
    const { file } = opened;
    file.put(new Reference(5), new PdfString("new"));
    const added = file.add(new PdfStream(Dictionary.of({ Kind: Name.of("Added") }), bodyOf("a body ".repeat(50))));
    const page = file.dictionary(new Reference(3))!.clone().set("Other", added);
    page.delete("Contents");
    file.put(new Reference(3), page);
    const text = uncompressed(await gathered(writeFile(file)));
    expect(text).toContain("(new)");
    expect(text).toContain("a body a body");
    expect(text).not.toContain("(old)");
    expect(text).not.toContain("/Contents");
  });

  test("deflates what is worth it, and never metadata", async () => {
    const body = "<x:xmpmeta/>".repeat(100);
    using opened = await openPdf(
      onePage("n", "", [stream(body, "/Type/Metadata/Subtype/XML"), stream(body)], "/A 5 0 R/B 6 0 R"),
    );
    const output = Buffer.from(await gathered(writeFile(opened.file))).toString("latin1");
    expect(output.split(body).length).toBe(2);
    expect(output.length).toBeLessThan(2 * body.length);
  });

  test("a body that cannot be read is empty, and the rest is there", async () => {
    const broken = onePage("n", "", ["<</Length 99999999>>stream\nno end"], "/A 5 0 R/B(still here)");
    expect(uncompressed(await rewritten(broken))).toContain("still here");
  });
});

describe("pages", () => {
  const numbersOf = async (objects: readonly string[]) => {
    using opened = await openPdf(pdfOf(["<</Type/Catalog/Pages 2 0 R>>", ...objects]));
    return readPages(opened.file).pages.map(({ reference, inherited }) => [reference.number, inherited.MediaBox]);
  };
  const leaf = "<</Type/Page>>";

  test("inherit from all nodes above, the nearest first", async () => {
    const tree = [
      "<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2/MediaBox[0 0 1 1]>>",
      "<</Type/Pages/Parent 2 0 R/Kids[4 0 R]/Count 1/MediaBox[0 0 2 2]>>",
    ];
    const pages = [3, 2].map((parent) => `<</Type/Page/Parent ${parent} 0 R>>`);
    expect(await numbersOf([...tree, ...pages])).toEqual([
      [4, [0, 0, 2, 2]],
      [5, [0, 0, 1, 1]],
    ]);
  });

  test.each([
    ["a node that is its own kid", ["<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", leaf], [3]],
    ["a wrong count", ["<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", leaf], [3]],
    ["kids that are not there", ["<</Type/Pages/Kids[9 0 R null 3 0 R(x)]/Count 4>>", leaf], [3]],
    ["leaves without a type", ["<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</MediaBox[0 0 9 9]>>"], [3]],
    ["the same page twice", ["<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>", leaf], [3, 3]],
    ["a page inside of the kids", ["<</Type/Pages/Kids[3 0 R<</Type/Page/Rotate 90>>]/Count 2>>", leaf], [3, 5]],
  ])("%s", async (_, objects, expected) => {
    expect((await numbersOf(objects)).map(([number]) => number)).toEqual(expected);
  });

  test("nodes that each have two others twenty times do not multiply", async () => {
    const nodes = Array.from(
      { length: 40 },
      (_, level) => `<</Type/Pages/Kids[${level + 3} 0 R ${level + 3} 0 R]/Count 2>>`,
    );
    expect((await numbersOf([...nodes, leaf])).length).toBeLessThanOrEqual(2);
  });
});

/** The page tree contains itself, and readers interpret this differently. MuPDF finds three pages. */
const DAMAGED = "crash-121-2.pdf";
/** Documents that cannot be opened: user password, not a PDF, no pages. */
const CLOSED = new Set(["enc-XI-R6-V5-U-view-O-master.pdf", "actually_an_rtf.pdf", "637.pdf"]);

describe.runIf(corpusDir)("real documents rewritten whole", () => {
  const folder = join(corpusDir ?? "", "pdf");
  const names = corpusDir ? readdirSync(folder).filter((name) => name.endsWith(".pdf") && !CLOSED.has(name)) : [];
  test.each(names)("%s", { timeout: 120_000 }, async (name) => {
    const original = new Uint8Array(readFileSync(join(folder, name)));
    const output = await rewritten(original);
    if (name === DAMAGED) {
      expect(infoOf(output).Pages).toBe("3");
      return;
    }
    expect(infoOf(output).Pages).toBe(infoOf(original).Pages);
    expect(textOf(output)).toEqual(textOf(original));
    if (qpdfComplaints(original) === "") expect(qpdfComplaints(output)).toBe("");
    const [before, after] = [picturesOf(original, 20), picturesOf(output, 20)];
    expect(after.length).toBe(before.length);
    expect(before.filter((picture, index) => !picture.equals(after[index]!)).length).toBe(0);
  });
});
