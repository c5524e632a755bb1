// Tests the syntax rules of PDF/A.
import { describe, expect, test } from "vitest";
import { contentPdf, limitsPdf, statesPdf } from "../../../fixtures/archival-pdfs.ts";
import { PdfBuilder, plainPdf } from "../../../fixtures/pdf-builder.ts";
import { archived, readArchived } from "../../../support/archival.ts";
import { LEVEL_NAMES } from "../../../support/levels.ts";
import type { Json } from "../../../support/pdf-json.ts";
import { qpdfComplaints } from "../../../support/pdf-readers.ts";

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

describe("the file", () => {
  test("part 1: version 1.4, a plain table, no object streams (6.1.4)", async () => {
    const text = latin1(await archived(plainPdf("x"), "1b"));
    expect(text).toMatch(/^%PDF-1\.4\n%[\x80-\xff]{4}/);
    expect(text).toMatch(/\nxref\n0 \d+\n0000000000 65535 f \n/);
    expect(text).not.toContain("/ObjStm");
    expect(text).not.toContain("/XRef");
  });

  test.each(LEVEL_NAMES)("%s: an identifier, no encryption, nothing behind the end (6.1.3)", async (level) => {
    const pdf = await archived(plainPdf("x"), level);
    expect(latin1(pdf)).toMatch(/\/ID\s*\[/);
    expect(latin1(pdf)).not.toContain("/Encrypt");
    expect(latin1(pdf)).toMatch(/%%EOF\n$/);
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("the same document gives the same bytes", async () => {
    expect(await archived(contentPdf(), "2b")).toEqual(await archived(contentPdf(), "2b"));
  });

  test("a page that comes twice is two pages, and what is inherited is the page's own", async () => {
    const builder = new PdfBuilder();
    const page = builder.page("x");
    builder.page("y");
    const text = latin1(builder.bytes()).replace(`/Kids[${page}`, `/Rotate 90/Kids[${page} ${page}`);
    const { json, page: at } = await readArchived(new Uint8Array(Buffer.from(text, "latin1")), "2b");
    expect(json.pages).toHaveLength(3);
    expect(new Set(json.pages).size).toBe(3);
    for (const number of [1, 2, 3]) expect(at(number)["/Rotate"]).toBe(90);
  });
});

describe("streams", () => {
  test.each(["1b", "3b"] as const)("%s: no LZW, nothing outside of the file (6.1.7, 6.1.10)", async (level) => {
    expect(latin1(contentPdf())).toContain("/LZWDecode");
    const content = latin1(await archived(contentPdf(), level));
    expect(content).not.toContain("LZW");
    const { json, text } = await readArchived(statesPdf(), level);
    expect(text).not.toContain("elsewhere");
    for (const dictionary of json.dictionaries) {
      expect(Object.keys(dictionary)).not.toContain("/FFilter");
      expect(Object.keys(dictionary)).not.toContain("/FDecodeParms");
    }
  });

  test("an inline image without LZW shows the same", async () => {
    const { text } = await readArchived(contentPdf(), "2b");
    const image = /BI (.*?) ID ([0-9a-f]+)>\nEI/s.exec(text)!;
    expect(image[1]).toContain("/F [/AHx/Fl]");
    const { inflateSync } = await import("node:zlib");
    expect([...inflateSync(Buffer.from(image[2]!, "hex"))]).toEqual([0, 128, 192, 255]);
    expect(image[1]).not.toContain("/I ");
    expect(image[1]).not.toContain("Vivid");
  });
});

describe("content (6.2.2, 6.2.10)", () => {
  test("operators that are not defined go, with their operands, inside of BX and EX too", async () => {
    const { text } = await readArchived(contentPdf(), "2b");
    expect(text).not.toContain("nonsense");
    expect(text).not.toContain("unknown");
    expect(text).toContain("1 0 0 rg 10 10 20 20 re f");
  });

  test("part 1: reals beyond 32,767 are rounded, and never clamped (6.1.12)", async () => {
    const { text } = await readArchived(contentPdf(), "1b");
    expect(text).toMatch(/40001 -40000 m/);
    expect((await readArchived(contentPdf(), "2b")).text).toContain("40000.5 -40000.25 m");
  });

  test("integers stay in 32 bits, reals do not come too close to zero (6.1.13)", async () => {
    const { text } = await readArchived(contentPdf(), "2b");
    expect(text).toContain("2147483647 0 m");
    expect(text).toMatch(/\b0 w/);
    expect(text).not.toContain("99999999999");
  });

  test("hexadecimal strings have pairs of digits (6.1.6)", async () => {
    const { text } = await readArchived(contentPdf(), "2b");
    expect(text).not.toContain("<414>");
    expect(text).not.toContain("<4z4>");
    expect(text).toContain("/Odd(A@)");
  });

  test("rendering intents are of the four (6.2.6)", async () => {
    const { text } = await readArchived(contentPdf(), "2b");
    expect(text).not.toContain("/Vivid");
    expect(text).toContain("/RelativeColorimetric ri");
  });

  test("graphics states are saved 28 deep at most: the rest becomes a form that draws the same (6.1.13)", async () => {
    const { text } = await readArchived(contentPdf(), "2b");
    const streams = [...text.matchAll(/stream\n(.*?)endstream/gs)].map(([, content]) => content!);
    const depths = streams.map((content) => {
      let depth = 0;
      let deepest = 0;
      for (const [operator] of content.matchAll(/(?<![/\w])[qQ](?!\w)/g)) {
        depth += operator === "q" ? 1 : -1;
        deepest = Math.max(deepest, depth);
      }
      return deepest;
    });
    expect(Math.max(...depths)).toBe(28);
    expect(depths.reduce((sum, depth) => sum + depth, 0)).toBeGreaterThanOrEqual(70);
    expect(streams.filter((content) => content.includes("0 1 0 rg 50 50 20 20 re f"))).toHaveLength(1);
  });

  test("a form has the resources that it took from its page, and no more (6.2.2)", async () => {
    const { json, page } = await readArchived(contentPdf(), "2b");
    const form = json.at(page(1)["/Resources"], "XObject", "Borrowing", "Resources");
    expect(Object.keys(json.at(form, "XObject"))).toEqual(["/Inner"]);
    expect(json.at(form, "ExtGState", "Shade")).toEqual({ "/LW": 2 });
  });
});

describe("limits (6.1.12, 6.1.13)", () => {
  test.each(["1b", "2b"] as const)("%s: names of 127 bytes at most, in content and outside the same", async (level) => {
    const { json, page, text } = await readArchived(limitsPdf(), level);
    const [name] = Object.keys(json.at(page(1)["/Resources"], "XObject"));
    expect(name!.length).toBeLessThanOrEqual(128);
    expect(text).toContain(`${name} Do`);
    expect(page(1)["/Name"]).toBe(name);
  });

  test("strings, integers and reals", async () => {
    const first = (await readArchived(limitsPdf(), "1b")).page(1);
    expect(first["/Long"]).toHaveLength("u:".length + 65_535);
    expect(first["/Huge"]).toBe(2_147_483_647);
    expect(first["/Real"]).toBe(40_001);
    const second = (await readArchived(limitsPdf(), "2b")).page(1);
    expect(second["/Long"]).toHaveLength("u:".length + 32_767);
    expect(second["/Real"]).toBe(40_000.5);
  });

  test("boundaries of pages are 3 to 14,400 units", async () => {
    const { page } = await readArchived(limitsPdf(), "2b");
    // Both boxes have smaller units, so that the page shows the same area.
    expect(page(1)["/CropBox"].map(Number)).toEqual([0, 0, 3, 3].map((side) => expect.closeTo(side, 3)));
    expect([page(1)["/MediaBox"][2], page(1)["/UserUnit"]]).toEqual([expect.closeTo(900, 1), expect.closeTo(1 / 3, 4)]);
    // 20,000 units become 10,000 units that are twice as large.
    expect(page(2)).toMatchObject({ "/MediaBox": [0, 0, 10_000, 3], "/UserUnit": 2 });
  });

  test("a page whose box has no area is as large as viewers show it", async () => {
    const { page } = await readArchived(limitsPdf(), "2b");
    expect(page(3)["/MediaBox"]).toEqual([0, 0, 612, 792]);
  });

  test("boundaries of pages are numbers, not references to some", async () => {
    const { page } = await readArchived(limitsPdf(), "2b");
    expect(page(4)).toMatchObject({ "/MediaBox": [0, 0, 300, 200], "/CropBox": [0, 0, 200, 100] });
  });

  test("names of colorants are UTF-8 (6.1.8)", async () => {
    const { json, page } = await readArchived(limitsPdf(), "2b");
    expect(json.at(page(1)["/Resources"], "ColorSpace", "S", 1)).toBe("/Café");
  });
});

describe("graphics states and external objects (6.2.5, 6.2.8, 6.2.9)", () => {
  test.each(["1b", "2b"] as const)("%s", async (level) => {
    const { json, page, text } = await readArchived(statesPdf(), level);
    const resources = page(1)["/Resources"];
    expect(json.at(resources, "ExtGState", "A")).toEqual({ "/BM": "/Normal" });
    expect(json.at(resources, "ExtGState", "B")).toMatchObject({ "/BM": "/Multiply", "/TR2": "/Default" });
    const odd: Json = json.at(resources, "XObject", "Odd");
    for (const key of ["/PS", "/Subtype2", "/Ref", "/OPI"]) expect(odd).not.toHaveProperty(key);
    expect(json.at(resources, "XObject", "Script")["/Subtype"]).toBe("/Form");
    expect(text).not.toContain("showpage");
    const image: Json = json.at(resources, "XObject", "Image");
    for (const key of ["/Alternates", "/OPI", "/Interpolate", "/Intent"]) expect(image).not.toHaveProperty(key);
    expect(image["/BitsPerComponent"]).toBe(level === "1b" ? 8 : 16);
    if (level === "1b") expect(text).toContain("stream\n\x00\xff\x80\x40\n");
  });
});
