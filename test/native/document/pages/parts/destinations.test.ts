// Tests the destinations of links in merged and split documents.
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { merged, PdfJson, said } from "../../../../support/pdf-json.ts";
import { qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

const link = (entries: string) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]${entries}>>`;

/** Returns a document whose page 1 links, in every possible way, to pages 2 and 3 and to another file. */
function linked(prefix: string): Uint8Array {
  const builder = new PdfBuilder();
  const [first, second, third] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const links = [
    link(`/Dest[${second}/Fit]`),
    link("/Dest(chapter)"),
    link("/Dest/old"),
    link("/A<</S/GoTo/D(chapter)>>"),
    link(`/A<</S/GoTo/D[${third}/XYZ 1 2 3]>>`),
    link("/A<</S/GoTo/D(third)/Next<</S/URI/URI(http://example.org/next)>>>>"),
    link("/A<</S/GoToR/F(other.pdf)/D(chapter)>>"),
    link("/A<</S/URI/URI(http://example.org/)>>"),
    link("/Dest(nowhere)"),
    link("/Dest[2/Fit]"),
  ].map((text) => builder.add(text));
  builder.page(`${prefix}1`, `/Annots[${links.join(" ")}]`, "", first);
  builder.page(`${prefix}2`, "", "", second);
  builder.page(`${prefix}3`, "", "", third);
  builder.catalog = `/Dests<</old[${third}/Fit]>>/Names<</Dests<</Kids[<</Limits[(chapter)(third)]/Names[(chapter)<</D[${second}/FitH 7]>>(third)[${third}/Fit]]>>]>>>>`;
  return builder.bytes();
}

/** Returns the destination of each link on a page: a page number from 1, a URL, a file, or nothing. */
function goals(document: PdfJson, pageNumber: number): unknown[] {
  const named = document.tree(document.at(document.catalog, "Names", "Dests"));
  return document.annotations(pageNumber).map((annotation) => {
    const action = document.get(annotation["/A"]);
    let goal = document.get(annotation["/Dest"] ?? (action?.["/S"] === "/GoTo" ? action["/D"] : undefined));
    if (typeof goal === "string") goal = document.get(named.get(goal));
    if (goal) return document.pageNumber(goal[0]);
    return action?.["/URI"] ?? action?.["/F"];
  });
}

describe("links and destinations", () => {
  test("follow their pages; equal names of two inputs stay apart", async () => {
    const pdf = await merged(linked("a"), linked("b"));
    const document = new PdfJson(pdf);
    const rest = ["u:other.pdf", "u:http://example.org/", undefined];
    expect(goals(document, 1)).toEqual([2, 2, 3, 2, 3, 3, ...rest, 3]);
    expect(goals(document, 4)).toEqual([5, 5, 6, 5, 6, 6, ...rest, 6]);
    expect(qpdfComplaints(pdf)).toBe("");
    const names = [...document.tree(document.at(document.catalog, "Names", "Dests")).keys()];
    expect(names).toEqual(["u:chapter", "u:chapter-2", "u:old", "u:old-2", "u:third", "u:third-2"]);
    const listed = said(pdf, "pdfinfo", "-dests");
    expect(listed).toMatch(/2 .*"chapter"/);
    expect(listed).toMatch(/5 .*"chapter-2"/);
  });

  test("to pages that were left out go with their links; what is remote stays", async () => {
    const pdf = await merged([linked("a"), "1,2"]);
    const document = new PdfJson(pdf);
    expect(goals(document, 1)).toEqual([
      2,
      2,
      2,
      "u:http://example.org/next",
      "u:other.pdf",
      "u:http://example.org/",
      undefined,
    ]);
    const text = uncompressed(pdf);
    // Searches for strings and names only, because the file identifier can contain the same characters.
    for (const gone of ["third", "old", "a3", "nowhere"]) expect(text).not.toMatch(new RegExp(`[(/]${gone}\\b`));
  });

  test("5,000 names in a balanced tree, sorted by their bytes", async () => {
    const builder = new PdfBuilder();
    const page = builder.page("1");
    const names = Array.from({ length: 5000 }, (_, index) => `n${(index * 7919) % 5000}`);
    builder.catalog = `/Names<</Dests<</Names[${names.map((name) => `(${name})[${page}/Fit]`).join("")}]>>>>`;
    const pdf = await merged(builder.bytes(), builder.bytes());
    const document = new PdfJson(pdf);
    const root = document.at(document.catalog, "Names", "Dests");
    expect(root["/Kids"].length).toBeLessThanOrEqual(64);
    const keys = [...document.tree(root).keys()];
    expect(keys).toHaveLength(10_000);
    expect(keys).toEqual(keys.toSorted());
    expect(said(pdf, "pdfinfo", "-dests").match(/"n\d+/g)).toHaveLength(10_000);
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("relative addresses keep their base", async () => {
    const builder = new PdfBuilder();
    builder.page("1", `/Annots[${link("/A<</S/URI/URI(b.html)>>")}]`);
    builder.catalog = "/URI<</Base(http://example.org/a/)>>";
    const document = new PdfJson(await merged(builder.bytes()));
    expect(document.annotations(1)[0]["/A"]["/URI"]).toBe("u:http://example.org/a/b.html");
  });
});
