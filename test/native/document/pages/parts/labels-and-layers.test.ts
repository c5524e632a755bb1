// Tests page labels and layers of merged and split documents.
import { describe, expect, test } from "vitest";
import { PdfBuilder, plainPdf } from "../../../../fixtures/pdf-builder.ts";
import { attachedTo, type Json, merged, PdfJson } from "../../../../support/pdf-json.ts";
import { picturesOf, qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

/** Returns seven pages: i, ii, iii, 1, 2, A-5, A-6. */
function labeled(): Uint8Array {
  const builder = new PdfBuilder();
  for (let number = 1; number <= 7; number++) builder.page(`${number}`);
  builder.catalog = "/PageLabels<</Nums[0<</S/r>>3<</S/D>>5<</S/D/P(A-)/St 5>>]>>";
  return builder.bytes();
}

/** Returns the labels of all pages according to the number tree. */
function labels(document: PdfJson): string[] {
  const ranges = [...document.tree(document.at(document.catalog, "PageLabels"))].map(([start, value]) => ({
    start: Number(start),
    label: document.get(value),
  }));
  return document.pages.map((_, index) => {
    const range = ranges.findLast(({ start }) => start <= index);
    const { "/S": style, "/P": prefix = "u:", "/St": first = 1 } = range?.label ?? {};
    const number = first + index - (range?.start ?? 0);
    const roman = ["", "i", "ii", "iii", "iv", "v"][number];
    return prefix.slice(2) + (style === "/r" ? roman : style ? number : "");
  });
}

describe("page labels", () => {
  test("every page keeps the label that it showed", async () => {
    const pdf = await merged([labeled(), "2,3,7-6,1-4"], plainPdf("a", "b", "c"), [labeled(), "6,6"]);
    const document = new PdfJson(pdf);
    expect(labels(document)).toEqual(["ii", "iii", "A-6", "A-5", "i", "ii", "iii", "1", "1", "2", "3", "A-5", "A-5"]);
    expect(document.tree(document.at(document.catalog, "PageLabels")).get("0")).toEqual({ "/S": "/r", "/St": 2 });
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("there are none where no input has any", async () => {
    expect(new PdfJson(await merged(plainPdf("a"), plainPdf("b"))).catalog).not.toHaveProperty("/PageLabels");
  });

  test("pages before the first range, and labels without numbers", async () => {
    const builder = new PdfBuilder();
    for (let number = 1; number <= 4; number++) builder.page(`${number}`);
    builder.catalog = "/PageLabels<</Nums[2<</P(plate)>>]>>";
    expect(labels(new PdfJson(await merged(builder.bytes())))).toEqual(["1", "2", "plate", "plate"]);
  });
});

function attached(content: string): Uint8Array {
  const builder = new PdfBuilder();
  const specification = (name: string, text: string, more = "") => {
    const file = builder.stream(text, "/Type/EmbeddedFile");
    return builder.add(`<</Type/Filespec/F(${name})/UF(${name})/EF<</F ${file}>>${more}>>`);
  };
  const document = specification("data.xml", `${content} of the document`, "/AFRelationship/Data");
  const page = specification("page.txt", `${content} of page 2`);
  builder.page("1");
  builder.page(
    "2",
    `/AF[${page}]/Annots[<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS ${specification("note.txt", `${content} of a note`)}>>]`,
  );
  builder.catalog = `/AF[${document}]/Names<</EmbeddedFiles<</Names[(data.xml)${document}(page.txt)${page}]>>>>`;
  return builder.bytes();
}

describe("attachments", () => {
  test("of documents and of pages; equal names stay apart", async () => {
    const pdf = await merged(attached("first"), attached("second"));
    const document = new PdfJson(pdf);
    expect(Object.keys(document.json.attachments).toSorted()).toEqual([
      "data (2).xml",
      "data.xml",
      "page (2).txt",
      "page.txt",
    ]);
    const contents = uncompressed(pdf);
    for (const owner of ["first", "second"]) {
      for (const place of ["the document", "page 2", "a note"]) expect(contents).toContain(`${owner} of ${place}`);
    }
    expect(document.at(document.catalog, "AF")).toHaveLength(2);
    expect(document.at(document.catalog, "AF", 1, "AFRelationship")).toBe("/Data");
    expect(document.at(document.pages[3], "AF")).toHaveLength(1);
    expect([...attachedTo(pdf).keys()].toSorted()).toEqual(["data.xml", "note.txt", "page.txt"]);
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("of pages that were left out go, those of the document stay", async () => {
    const pdf = await merged([attached("first"), "1"]);
    expect(Object.keys(new PdfJson(pdf).json.attachments)).toEqual(["data.xml"]);
    for (const gone of ["page.txt", "note.txt", "of page 2", "of a note"])
      expect(uncompressed(pdf)).not.toContain(gone);
  });
});

/**
 * Returns a document: page 1 has a visible and a hidden layer, page 2 has a hidden layer that a membership dictionary
 * refers to.
 */
function layered(prefix: string, base = ""): Uint8Array {
  const builder = new PdfBuilder();
  const layer = (name: string) => builder.add(`<</Type/OCG/Name(${prefix} ${name})>>`);
  const [on, off, second, unused] = [layer("on"), layer("off"), layer("second"), layer("unused")];
  const membership = builder.add(`<</Type/OCMD/OCGs[${second} ${on}]/P/AllOn>>`);
  const square = (name: string, x: number) => `/OC /${name} BDC ${x} 20 40 40 re f EMC % ()`;
  builder.page(`${square("A", 20)}\n${square("B", 80)}`, "", `/Properties<</A ${on}/B ${off}>>`);
  builder.page(square("M", 140), "", `/Properties<</M ${membership}>>`);
  const states = base === "OFF" ? `/BaseState/OFF/ON[${on} ${unused}]` : `/OFF[${off} ${second}]`;
  builder.catalog =
    `/OCProperties<</OCGs[${on} ${off} ${second} ${unused}]/D<<${states}/Order[[(${prefix} label)${on}[${off}]${second}]${unused}]` +
    `/RBGroups[[${on} ${off}][${second} ${unused}]]/Locked[${off} ${second}]/AS[<</Event/View/Category[/View]/OCGs[${on} ${second}]>>]>>>>`;
  return builder.bytes();
}

function layersOf(document: PdfJson): Json {
  const properties = document.at(document.catalog, "OCProperties");
  const named = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(named);
    return document.get(value)["/Name"]?.slice(2) ?? value.slice(2);
  };
  const defaults = document.get(properties["/D"]);
  const list = (key: string) =>
    (defaults[key] ?? []).map((value: Json) => (String(value).startsWith("u:") ? value.slice(2) : named(value)));
  return {
    groups: named(properties["/OCGs"]),
    off: list("/OFF"),
    order: orderOf(document, defaults["/Order"] ?? []),
    radios: list("/RBGroups"),
    locked: list("/Locked"),
    usage: (defaults["/AS"] ?? []).map((usage: Json) => named(document.get(usage)["/OCGs"])),
  };
}

const orderOf = (document: PdfJson, value: Json): Json =>
  Array.isArray(value)
    ? value.map((item) => orderOf(document, item))
    : value.startsWith("u:")
      ? value.slice(2)
      : document.get(value)["/Name"].slice(2);

describe("layers", () => {
  test.each(["", "OFF"])("of all inputs, on and off as they were (base state %o)", async (base) => {
    const pdf = await merged(layered("a", base), layered("b", base));
    const all = (prefix: string) => ({
      groups: ["on", "off", "second", "unused"].map((name) => `${prefix} ${name}`),
      off: [`${prefix} off`, `${prefix} second`],
      order: [[`${prefix} label`, `${prefix} on`, [`${prefix} off`], `${prefix} second`], `${prefix} unused`],
      radios: [
        [`${prefix} on`, `${prefix} off`],
        [`${prefix} second`, `${prefix} unused`],
      ],
      locked: [`${prefix} off`, `${prefix} second`],
      usage: [[`${prefix} on`, `${prefix} second`]],
    });
    const [a, b] = [all("a"), all("b")] as Record<string, unknown[]>[];
    const expected = Object.fromEntries(Object.entries(a!).map(([key, list]) => [key, [...list, ...b![key]!]]));
    expect(layersOf(new PdfJson(pdf))).toEqual(expected);
    const before = [...picturesOf(layered("a", base)), ...picturesOf(layered("b", base))];
    picturesOf(pdf).forEach((picture, index) => {
      expect(picture.equals(before[index]!)).toBe(true);
    });
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("only those that pages taken use", async () => {
    const pdf = await merged([layered("a"), "1"]);
    expect(layersOf(new PdfJson(pdf))).toMatchObject({
      groups: ["a on", "a off"],
      off: ["a off"],
      radios: [["a on", "a off"]],
      locked: ["a off"],
      usage: [["a on"]],
    });
    expect(uncompressed(pdf)).not.toMatch(/a second|a unused/);
    const second = layersOf(new PdfJson(await merged([layered("a"), "2"])));
    expect(second).toMatchObject({ groups: ["a on", "a second"], off: ["a second"] });
    expect(new PdfJson(await merged(plainPdf("a"), [plainPdf("b"), "1"])).catalog).not.toHaveProperty("/OCProperties");
  });

  test("an order that leads into itself, twice in every place, ends", async () => {
    const builder = new PdfBuilder();
    const group = builder.add("<</Type/OCG/Name(a)>>");
    const ring = builder.reserve();
    builder.set(ring, `[${group} ${ring} ${ring}]`);
    const lists = ["Order", "RBGroups", "Locked"].map((key) => `/${key} ${ring}`).join("");
    builder.catalog = `/OCProperties<</OCGs[${group}]/D<<${lists}>>>>`;
    builder.page("/OC /L BDC (a) pop EMC", "", `/Properties<</L ${group}>>`);
    const layers = layersOf(new PdfJson(await merged(builder.bytes(), plainPdf("b"))));
    expect(layers).toMatchObject({ groups: ["a"], order: ["a"], locked: ["a"] });
  });
});
