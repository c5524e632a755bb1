// Tests the structure trees of merged and split documents.
import { describe, expect, test } from "vitest";
import { PdfBuilder, plainPdf } from "../../../../fixtures/pdf-builder.ts";
import { CONTEXT } from "../../../../support/operations.ts";
import { type Json, merged, mergedIn, PdfJson, said } from "../../../../support/pdf-json.ts";
import { qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

interface Tagged {
  readonly role?: string;
  readonly align?: string;
  readonly language?: string;
}

/**
 * Returns two tagged pages: on each a heading and a paragraph, a table row across both pages with an empty cell, a
 * figure on page 2, a link on page 1, and a paragraph that starts on page 1 and ends on page 2.
 */
function tagged(prefix: string, { role = "P", align = "/Center", language = "en" }: Tagged = {}): Uint8Array {
  const builder = new PdfBuilder();
  const pages = [builder.reserve(), builder.reserve()];
  const marked = (texts: string[]) =>
    texts
      .map((text, id) => `/Span <</MCID ${id}>> BDC BT /F 9 Tf 10 ${150 - id * 20} Td (${text}) Tj ET EMC`)
      .join("\n");
  const [root, document] = [builder.reserve(), builder.reserve()];
  const element = (type: string, parent: string, entries: string) =>
    builder.add(`<</Type/StructElem/S/${type}/P ${parent}${entries}>>`);
  const link = builder.reserve();
  const [first, second] = pages as [string, string];
  const heading = element("H1", document, `/Pg ${first}/K 0/ID(${prefix === "c" ? "own" : "head"})`);
  const across = element(
    "P",
    document,
    `/Pg ${first}/ActualText(${prefix} across)/K[1<</Type/MCR/Pg ${second}/MCID 0>>]`,
  );
  const special = element("Special", document, `/Pg ${second}/K 1/C/Centered`);
  const table = builder.reserve();
  const row = builder.reserve();
  const cells = [
    element("TH", row, `/Pg ${first}/K[2]/ID(cell)`),
    element("TD", row, ""),
    element("TD", row, `/Pg ${first}/K[3]/A<</O/Table/Headers[(cell)]>>`),
  ];
  builder.set(row, `<</Type/StructElem/S/TR/P ${table}/K[${cells.join(" ")}]>>`);
  builder.set(table, `<</Type/StructElem/S/Table/P ${document}/K ${row}>>`);
  const figure = element("Figure", document, `/Pg ${second}/K 2/Alt(${prefix} figure)`);
  const linked = element("Link", document, `/Pg ${first}/K[4<</Type/OBJR/Obj ${link}>>]`);
  builder.set(
    document,
    `<</Type/StructElem/S/Document/P ${root}/K[${[heading, across, special, table, figure, linked].join(" ")}]>>`,
  );
  const ids = prefix === "c" ? "(own)" : "(head)";
  builder.set(
    root,
    `<</Type/StructTreeRoot/K ${document}/RoleMap<</Special/${role}>>/ClassMap<</Centered<</O/Layout/TextAlign${align}>>>>` +
      `/IDTree<</Names[(cell)${cells[0]}${ids}${heading}]>>/ParentTreeNextKey 3` +
      `/ParentTree<</Nums[0[${heading} ${across} ${cells[0]} ${cells[2]} ${linked}]1[${across} ${special} ${figure}]2 ${linked}]>>>>`,
  );
  builder.set(link, `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/StructParent 2/A<</S/URI/URI(http://example.org/)>>>>`);
  const texts = ["heading", "begin", "head cell", "cell", "link"].map((text) => `${prefix} ${text}`);
  builder.page(marked(texts), `/StructParents 0/Tabs/S/Annots[${link}]`, "", first);
  builder.page(marked([`${prefix} end`, `${prefix} special`, `${prefix} picture`]), "/StructParents 1", "", second);
  builder.catalog = `/StructTreeRoot ${root}/MarkInfo<</Marked true>>/Lang(${language})`;
  return builder.bytes();
}

/** Returns the items of K: references to elements, and content items. */
function kidsOf(document: PdfJson, element: Json): Json[] {
  const kids = document.get(element["/K"]);
  return Array.isArray(kids) ? kids : [element["/K"]];
}

/**
 * Checks that every marked content of a page has an element that refers to it, and returns the types of the element's
 * ancestors.
 */
function pathsOf(document: PdfJson, pageNumber: number): string[] {
  const page = document.pages[pageNumber - 1];
  const parents = document.tree(document.at(document.catalog, "StructTreeRoot", "ParentTree"));
  const entry: string[] = document.get(parents.get(String(document.get(page)["/StructParents"])));
  const root = document.catalog["/StructTreeRoot"];
  return entry.map((reference, id) => {
    const element = document.get(reference);
    const kids = kidsOf(document, element).map((kid) => document.get(kid));
    const own = kids.some((kid: Json) =>
      typeof kid === "number"
        ? kid === id && element["/Pg"] === page
        : kid["/MCID"] === id && (kid["/Pg"] ?? element["/Pg"]) === page,
    );
    expect(own).toBe(true);
    const path: string[] = [];
    for (let at = reference; at !== root; at = document.get(at)["/P"]) {
      path.unshift(document.get(at)["/S"].slice(1));
      const above = document.get(document.get(at)["/P"]);
      expect(kidsOf(document, above)).toContain(at);
    }
    return path.join(" ");
  });
}

const FIRST = ["H1", "P", "Table TR TH", "Table TR TD", "Link"];

describe("structure trees", () => {
  test("of one input: marked content, links and ids as they were", async () => {
    const pdf = await merged(tagged("a"));
    const document = new PdfJson(pdf);
    expect(pathsOf(document, 1)).toEqual(FIRST.map((path) => `Document ${path}`));
    expect(pathsOf(document, 2)).toEqual(["P", "Special", "Figure"].map((path) => `Document ${path}`));
    const shown = (bytes: Uint8Array) => said(bytes, "pdfinfo", "-struct-text").replace(/Object \d+/g, "Object");
    expect(shown(pdf)).toBe(shown(tagged("a")));
    expect(document.catalog["/MarkInfo"]).toEqual({ "/Marked": true });
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("of several inputs, tagged or not, below one Document; roles, classes and ids stay apart", async () => {
    const pdf = await merged(
      tagged("a"),
      plainPdf("untagged"),
      tagged("b", { role: "H2", align: "/End", language: "de" }),
      tagged("c"),
    );
    const document = new PdfJson(pdf);
    for (const pageNumber of [1, 4, 6]) {
      const paths = pathsOf(document, pageNumber);
      expect(paths).toEqual(FIRST.map((path) => `Document Document ${path}`));
    }
    expect(pathsOf(document, 5)).toEqual(["P", "Special_2", "Figure"].map((path) => `Document Document ${path}`));
    const root = document.at(document.catalog, "StructTreeRoot");
    expect(document.get(root["/RoleMap"])).toEqual({ "/Special": "/P", "/Special_2": "/H2" });
    expect(Object.keys(document.get(root["/ClassMap"]))).toEqual(["/Centered", "/Centered_2"]);
    const ids = document.tree(root["/IDTree"]);
    expect([...ids.keys()]).toEqual(["u:cell", "u:cell_2", "u:cell_3", "u:head", "u:head_2", "u:own"]);
    for (const [id, reference] of ids) expect(document.get(reference)["/ID"]).toBe(id);
    const headers = document.dictionaries.flatMap((object) => document.get(object["/A"])?.["/Headers"] ?? []);
    expect(headers).toEqual(["u:cell", "u:cell_2", "u:cell_3"]);
    const parts = document.at(root["/K"])["/K"].map((part: string) => document.get(part));
    expect(parts.map((part: Json) => part["/Lang"])).toEqual([undefined, "u:de", undefined]);
    // The link of each input has a separate entry.
    const parents = document.tree(root["/ParentTree"]);
    for (const pageNumber of [1, 4, 6]) {
      const element = document.get(parents.get(String(document.annotations(pageNumber)[0]["/StructParent"])));
      expect(element["/S"]).toBe("/Link");
      const object = element["/K"].map((kid: Json) => document.get(kid)).find((kid: Json) => kid["/Obj"]);
      expect(object["/Obj"]).toBe(document.at(document.pages[pageNumber - 1], "Annots")[0]);
    }
    expect(said(pdf, "pdfinfo", "-struct-text")).toContain("b special");
    expect(said(pdf, "pdfinfo", "-struct")).not.toMatch(/error|warning/i);
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("of pages taken only: what spans pages keeps what is on them, an empty cell stays in its row", async () => {
    const first = await merged([tagged("a"), "1"]);
    expect(pathsOf(new PdfJson(first), 1)).toEqual(FIRST.map((path) => `Document ${path}`));
    const structure = said(first, "pdfinfo", "-struct");
    expect(structure.match(/TD/g)).toHaveLength(2);
    expect(structure).not.toMatch(/Figure|Special/);
    for (const gone of ["a figure", "a across", "a end", "Figure"]) expect(uncompressed(first)).not.toContain(gone);
    const second = new PdfJson(await merged([tagged("a"), "2"]));
    expect(pathsOf(second, 1)).toEqual(["P", "Special", "Figure"].map((path) => `Document ${path}`));
    expect(second.tree(second.at(second.catalog, "StructTreeRoot", "ParentTree")).size).toBe(1);
    expect(second.at(second.catalog, "StructTreeRoot")).not.toHaveProperty("/IDTree");
  });

  test("a page that is taken again has elements of its own", async () => {
    const pdf = await merged([tagged("a"), "1,1"]);
    const document = new PdfJson(pdf);
    for (const pageNumber of [1, 2]) {
      expect(pathsOf(document, pageNumber)).toEqual(FIRST.map((path) => `Document Document ${path}`));
    }
    const links = [1, 2].map((pageNumber) => document.at(document.pages[pageNumber - 1], "Annots")[0]);
    const objects = document.dictionaries
      .filter((object) => object["/Type"] === "/OBJR" || object["/K"])
      .flatMap((object) =>
        [document.get(object["/K"])]
          .flat()
          .map((kid: Json) => document.get(kid)?.["/Obj"])
          .filter(Boolean),
      );
    expect(objects.toSorted()).toEqual(links.toSorted());
    expect(said(pdf, "pdfinfo", "-struct-text").match(/a heading/g)).toHaveLength(2);
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("namespaces come along; a standard type that is mapped does not change that of others", async () => {
    const builder = new PdfBuilder();
    const page = builder.reserve();
    const [root, document, space] = [
      builder.reserve(),
      builder.reserve(),
      builder.add("<</Type/Namespace/NS(http://iso.org/pdf2/ssn)>>"),
    ];
    const title = builder.add(`<</S/Title/NS ${space}/P ${document}/Pg ${page}/K 0>>`);
    const heading = builder.add(`<</S/H1/P ${document}/Pg ${page}/K 1>>`);
    builder.set(document, `<</S/Document/NS ${space}/P ${root}/K[${title} ${heading}]>>`);
    builder.set(
      root,
      `<</Type/StructTreeRoot/K[${document}]/Namespaces[${space}]/RoleMap<</H1/P>>/ParentTree<</Nums[0[${title} ${heading}]]>>>>`,
    );
    builder.page("/Span <</MCID 0>> BDC () Tj EMC", "/StructParents 0", "", page);
    builder.catalog = `/StructTreeRoot ${root}/MarkInfo<</Marked true>>`;
    const merge = new PdfJson(await merged(builder.bytes(), tagged("b")));
    const target = merge.at(merge.catalog, "StructTreeRoot");
    const [found] = merge.get(target["/Namespaces"]);
    expect(merge.get(found)).toMatchObject({ "/NS": "u:http://iso.org/pdf2/ssn" });
    expect(merge.dictionaries.find((object) => object["/S"] === "/Title")["/NS"]).toBe(found);
    expect(merge.get(target["/RoleMap"])).toEqual({ "/H1_1": "/P", "/Special": "/P" });
    expect(pathsOf(merge, 1)).toEqual(["Document Document Title", "Document Document H1_1"]);
    expect(pathsOf(merge, 2)[0]).toBe("Document Document H1");
  });

  test("50,000 levels, elements inside of others, and rings", async () => {
    const builder = new PdfBuilder();
    const page = builder.reserve();
    const root = builder.reserve();
    const number = Number.parseInt(root, 10);
    const count = 50_000;
    for (let index = 1; index <= count; index++) {
      const kid = index === count ? `<</S/Span/Pg ${page}/K 0/P ${root}>>` : `${number + index + 1} 0 R`;
      builder.add(`<</S/Div/P ${number + index - 1} 0 R/K[${kid} ${number + 1} 0 R]>>`);
    }
    builder.set(root, `<</Type/StructTreeRoot/K ${number + 1} 0 R/ParentTree<</Nums[]>>>>`);
    builder.page("1", "/StructParents 7", "", page);
    builder.catalog = `/StructTreeRoot ${root}`;
    // Needs more memory than an isolate has.
    const text = uncompressed(await mergedIn({ ...CONTEXT, heapLimitBytes: 2 ** 30 }, [builder.bytes()]));
    expect(text.match(/\/S \/Div/g)).toHaveLength(count);
    expect(text.match(/\/S \/Span/g)).toHaveLength(1);
    expect(text).not.toContain("/StructParents");
  });
});
