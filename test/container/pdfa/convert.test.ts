// Tests the strategies of the conversion to PDF/A one by one, and results that are rejected although the validator
// accepts them.
import { describe, expect, test } from "vitest";
import { conforming } from "../../../container/pdfa/conforming.ts";
import { ghostscript } from "../../../container/pdfa/ghostscript.ts";
import { rasterize } from "../../../container/pdfa/rasterize.ts";
import { repair } from "../../../container/pdfa/repair.ts";
import { MANAGED_PACKET, metadataPdf } from "../../fixtures/archival-pdfs.ts";
import { asianPdf, utf16 } from "../../fixtures/asian-pdf.ts";
import { densePdfs } from "../../fixtures/dense-pdfs.ts";
import { hugePdf } from "../../fixtures/huge-pdf.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { encrypted } from "../../fixtures/pdfs.ts";
import { TRANSFER_PDFS } from "../../fixtures/transfer-pdfs.ts";
import { unembeddablePdf } from "../../fixtures/unembeddable-pdf.ts";
import { corpusFile } from "../../support/corpus.ts";
import { countsOf } from "../../support/pdf-counts.ts";
import { attachedTo, PdfJson } from "../../support/pdf-json.ts";
import { textOf, uncompressed } from "../../support/pdf-readers.ts";
import { climbed, openLadder } from "../../support/pdfa-conversion.ts";
import { perceptualDistance, popplerPage } from "../../support/pictures.ts";

openLadder();
const STRATEGIES = [conforming, repair, ghostscript, rasterize];

/** Two pages with a link from the first to the second and a bookmark. */
function linkedPdf(content = "First"): PdfBuilder {
  const builder = new PdfBuilder();
  const second = builder.reserve();
  const link = builder.add(`<</Type/Annot/Subtype/Link/Rect[30 150 90 170]/Border[0 0 0]/Dest[${second}/Fit]>>`);
  builder.page(content, `/Annots[${link}]`);
  builder.page("Second", "", "", second);
  const outlines = builder.reserve();
  const item = builder.add(`<</Title(Bookmark)/Parent ${outlines}/Dest[${second}/Fit]>>`);
  builder.set(outlines, `<</Type/Outlines/First ${item}/Last ${item}/Count 1>>`);
  builder.catalog = `/Outlines ${outlines}`;
  return builder;
}

describe("pages that are painted under transfer functions, and tiny ones", () => {
  const [painted, , pictured] = TRANSFER_PDFS.filter(({ name }) => name.includes("samples"));
  const [tiny] = densePdfs("/Half gs 0 1 0 rg 0 0 1 1 re f");

  test.each(["1b", "2b", "2u", "3b"] as const)("%s: by repair, and pictures keep their pixels", async (level) => {
    for (const { bytes: pdf } of [painted!, pictured!]) {
      const { strategy, bytes, notices } = await climbed(pdf, level, STRATEGIES);
      expect([strategy, textOf(bytes)]).toEqual(["repair", textOf(pdf)]);
      expect(notices).toEqual(["transfers-applied", "fonts-substituted"]);
      const [before, after] = [await popplerPage(pdf, 1, 100), await popplerPage(bytes, 1, 100)];
      expect(perceptualDistance(before, after)).toBeLessThan(8);
    }
    const { strategy, bytes } = await climbed(tiny!.bytes, level, STRATEGIES);
    expect(strategy).toBe("repair");
    const images = new PdfJson(bytes).dictionaries.filter((entries) => entries["/Subtype"] === "/Image");
    expect(Math.max(...images.map((entries) => entries["/Width"]))).toBeGreaterThanOrEqual(512);
  });
});

describe("strategies", () => {
  test("a document that is repaired conforms, and passes untouched the next time", async () => {
    const first = await climbed(linkedPdf().bytes(), "2b", STRATEGIES);
    expect(first.strategy).toBe("repair");
    const second = await climbed(first.bytes, "2b", STRATEGIES);
    expect([second.strategy, second.bytes.equals(first.bytes)]).toEqual(["conforming", true]);
  });

  test("what Ghostscript loses is put back from the original", async () => {
    const pdf = linkedPdf().bytes();
    const { strategy, bytes } = await climbed(pdf, "2b", [ghostscript]);
    expect(strategy).toBe("ghostscript");
    expect(countsOf(bytes)).toEqual(countsOf(pdf));
    expect(textOf(bytes)).toEqual(textOf(pdf));
  });

  test("pages that are turned and moved stay where they are when Ghostscript writes their contents", async () => {
    for (const entries of [
      "/Rotate 90",
      "/Rotate 180",
      "/Rotate 270",
      "/MediaBox[-50 20 250 220]",
      "/Rotate 90/CropBox[20 30 200 150]",
    ]) {
      const builder = new PdfBuilder();
      const page = builder.page("Turned");
      const bytes = Buffer.from(builder.bytes())
        .toString("latin1")
        .replace("/MediaBox[0 0 300 200]", entries.includes("MediaBox") ? entries : `/MediaBox[0 0 300 200]${entries}`);
      expect(page).toBeDefined();
      // The comparison rejects every difference, so an accepted result shows the same page.
      expect((await climbed(Buffer.from(bytes, "latin1"), "2b", [ghostscript])).strategy).toBe("ghostscript");
    }
  });

  test("pictures take the place of the offending page alone, with its text", async () => {
    const { strategy, bytes, refused } = await climbed(unembeddablePdf(), "2u", STRATEGIES);
    expect(strategy).toBe("pictures");
    // Ghostscript would replace the font by blanks.
    expect(refused.map((details) => details.strategy)).not.toContain("ghostscript");
    expect(textOf(bytes).map((text) => text.trim())).toEqual(["First", expect.stringContaining("Second"), "Third"]);
    expect(uncompressed(bytes).match(/\/DCTDecode/g)).toHaveLength(1);
    const json = new PdfJson(bytes);
    expect(json.annotations(2).map((annotation) => annotation["/Subtype"])).toEqual(["/Widget", "/Link"]);
    expect(json.fields).toHaveLength(1);
  });

  test("all pages as pictures, where nothing else is left", async () => {
    const pdf = linkedPdf().bytes();
    const { bytes } = await climbed(pdf, "1b", [rasterize]);
    expect(textOf(bytes).map((text) => text.trim())).toEqual(textOf(pdf).map((text) => text.trim()));
  });
});

describe("what the validator accepts is refused all the same", () => {
  test("where a page looks different: the next strategy takes over", async () => {
    // One of the characters has no CID; MuPDF and the standard treat it differently.
    const font = { font: "STSong-Light", ordering: "GB1", encoding: "UniGB-UTF16-H" };
    const { strategy, refused } = await climbed(asianPdf({ ...font, codes: utf16("中𠮟国") }), "2b", STRATEGIES);
    const valid = refused.filter(({ rules }) => Array.isArray(rules) && rules.length === 0);
    expect(valid[0]).toMatchObject({ strategy: "repair", differences: [{ pageNumber: 1, kind: "picture" }] });
    expect(strategy).toBe("pictures");
  });
});

describe("attachments", () => {
  function withAttached(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
    const builder = linkedPdf();
    const names = Object.entries(files).map(([name, bytes]) => {
      const stream = builder.stream(bytes, "/Type/EmbeddedFile");
      return `(${name})${builder.add(`<</Type/Filespec/F(${name})/UF(${name})/EF<</F ${stream}>>>>`)}`;
    });
    builder.catalog += `/Names<</EmbeddedFiles<</Names[${names.join("")}]>>>>`;
    return builder.bytes();
  }
  const pdf = () => withAttached({ "a.pdf": plainPdf("Inside"), "b.txt": Buffer.from("text") });

  test("level 2: PDFs are converted by the same ladder, others go", async () => {
    const { bytes } = await climbed(pdf(), "2b", STRATEGIES);
    const attached = attachedTo(bytes);
    expect([...attached.keys()]).toEqual(["a.pdf"]);
    const inside = Buffer.from(attached.get("a.pdf")!, "latin1");
    expect((await climbed(inside, "2b", STRATEGIES)).strategy).toBe("conforming");
    expect(textOf(inside)[0]).toContain("Inside");
  });

  test("level 3: all stay as they are; level 1: none", async () => {
    expect([...attachedTo((await climbed(pdf(), "3b", STRATEGIES)).bytes)]).toEqual([...attachedTo(pdf())]);
    expect([...attachedTo((await climbed(pdf(), "1b", STRATEGIES)).bytes)]).toEqual([]);
  });
});

test("a password is told as such", async () => {
  await expect(climbed(encrypted(plainPdf("a"), "user", "owner"), "2b", STRATEGIES)).rejects.toMatchObject({
    reason: "password-protected",
  });
});

const signed = corpusFile("pdf/minimal-signed-twice-both-created.pdf");
test.runIf(signed !== undefined)("a signature that cannot survive goes, and what it showed stays", async () => {
  const { bytes } = await climbed(signed!, "2b", STRATEGIES);
  expect(uncompressed(bytes)).not.toMatch(/\/ByteRange|\/Sig\b/);
  expect(countsOf(bytes).characters).toBe(countsOf(signed!).characters);
});

test("a note that shows on the screen alone is printed from then on", async () => {
  const builder = new PdfBuilder();
  const look = builder.add(
    "<</Type/XObject/Subtype/Form/BBox[0 0 40 40]/Length 26>>stream\n1 0 0 rg 0 0 40 40 re f   \nendstream",
  );
  builder.page("A note", `/Annots[<</Type/Annot/Subtype/Text/Rect[30 30 70 70]/Contents(Here)/AP<</N ${look}>>>>]`);
  const { strategy } = await climbed(builder.bytes(), "2b", STRATEGIES);
  expect(strategy).toBe("repair");
});

test("a font of signs that is not embedded", async () => {
  const builder = new PdfBuilder();
  const font = builder.add("<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>");
  builder.page("BT /Z 24 Tf 30 150 Td (Hello world 123) Tj ET", "", `/Font<</Z ${font}>>`);
  const { strategy } = await climbed(builder.bytes(), "2u", STRATEGIES);
  expect(strategy).toBe("repair");
});

test.each(["1b", "2b"] as const)("%s: metadata of the document's own are valid at once", async (level) => {
  for (const packet of [undefined, MANAGED_PACKET]) {
    const { strategy, refused, bytes } = await climbed(metadataPdf(packet), level, STRATEGIES);
    expect([strategy, refused]).toEqual(["repair", []]);
    expect(uncompressed(bytes)).toMatch(packet ? /<my:Own[^>]*>value</ : /<odd:Thing[^>]*>1</);
  }
});

test.each(["1b", "2b"] as const)("%s: a page that is too large is repaired", async (level) => {
  expect((await climbed(hugePdf(), level, STRATEGIES)).strategy).toBe("repair");
});

test("forms in forms without end are refused at once, whatever the document claims", async () => {
  const builder = new PdfBuilder();
  const form = (content: string, inner: string) =>
    builder.stream(content, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${inner}>>>>`);
  let outer = form("0 0 9 9 re f", "null");
  for (let level = 0; level < 9; level++) outer = form("/X Do ".repeat(10), outer);
  builder.page("q /X Do Q (", "", `/XObject<</X ${outer}>>`);
  await expect(climbed(builder.bytes(), "2b", STRATEGIES)).rejects.toMatchObject({ reason: "too-much-content" });
  builder.catalog = `/Metadata ${builder.stream("<pdfaid:part>2</pdfaid:part>", "/Type/Metadata/Subtype/XML")}`;
  await expect(climbed(builder.bytes(), "2b", STRATEGIES)).rejects.toMatchObject({ reason: "too-much-content" });
});
