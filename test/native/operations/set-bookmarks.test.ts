// Reads the written outlines with qpdf, and their styles and positions with mutool.
// Contract: docs/api.md#pdf-with-bookmarks
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { type SetBookmarksParams, setBookmarks } from "../../../src/operations/set-bookmarks.ts";
import { REPEATED_PAGES, WRONG_TREES } from "../../fixtures/page-trees.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { pdfuaClaim } from "../../fixtures/pdfa-claim.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";
import { type OutlineItem, PdfJson } from "../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, uncompressed, withFile } from "../../support/pdf-readers.ts";

type Bookmarks = SetBookmarksParams["bookmarks"];

async function marked(pdf: Uint8Array, bookmarks: Bookmarks, mode: SetBookmarksParams["mode"] = "replace") {
  const [made] = await outputsOf(setBookmarks, [pdf], { bookmarks, mode });
  expect(qpdfComplaints(made!)).toBe("");
  return made!;
}

/** Returns the outline as qpdf reads it, such as `Chapter 1 (+Section 1.1 2)`; + marks an open item. */
const outlineOf = (pdf: Uint8Array): string => new PdfJson(pdf).outlines.map(shown).join(", ");
const outlineOfMutool = (pdf: Uint8Array): string =>
  withFile(pdf, (path) => execFileSync("mutool", ["show", path, "outline"], { encoding: "utf8", maxBuffer: 2 ** 26 }));
const shown = ({ title, open, destpageposfrom1, kids }: OutlineItem): string =>
  `${title} ${destpageposfrom1}${kids.length > 0 ? ` ${open ? "+" : "-"}(${kids.map(shown).join(", ")})` : ""}`;

const TREE: Bookmarks = [
  {
    title: "One",
    page: 1,
    children: [
      { title: "A", page: 2, children: [{ title: "a", page: 3 }] },
      { title: "B", page: 3 },
    ],
  },
  { title: "Zwei – 山", page: 3, open: false, children: [{ title: "C", page: 1 }] },
  { title: "Three", page: 2 },
];
const AS_TEXT = "One 1 +(A 2 +(a 3), B 3), Zwei – 山 3 -(C 1), Three 2";

/** Returns a document of three pages with an outline. */
function outlinedPdf(entries = "", items = (root: string): [string, string] => [root, root]) {
  const builder = new PdfBuilder();
  const page = builder.page("1");
  builder.page("2");
  builder.page("3");
  const [root, first, last] = [builder.reserve(), builder.reserve(), builder.reserve()];
  const kid = builder.add(`<</Title(Kid)/Parent ${first}/Dest[${page}/Fit]>>`);
  const [parent, next] = items(root);
  builder.set(
    first,
    `<</Title(Old)/Parent ${parent}/Next ${last}/First ${kid}/Last ${kid}/Count 1/Dest[${page}/Fit]>>`,
  );
  const end = next === root ? "" : `/Next ${next === "first" ? first : next}`;
  builder.set(last, `<</Title(Last)/Parent ${root}/Prev ${first}/A<</S/URI/URI(http://a.b)>>${end}>>`);
  builder.set(root, `<</Type/Outlines/First ${first}/Last ${last}/Count 3${entries}>>`);
  builder.catalog = `/Outlines ${root}`;
  return builder.bytes();
}

describe("replace", () => {
  test("writes an outline where none is", async () => {
    const pdf = await textPdf(3);
    const made = await marked(pdf, TREE);
    expect(outlineOf(made)).toBe(AS_TEXT);
    expect(pageTexts(made)).toEqual(pageTexts(pdf));
    const json = new PdfJson(made);
    expect(json.at(json.catalog, "Outlines", "Count")).toBe(6);
  });

  test("leaves nothing of the old outline", async () => {
    const made = await marked(outlinedPdf(), TREE);
    expect(outlineOf(made)).toBe(AS_TEXT);
    expect(JSON.stringify(new PdfJson(made).dictionaries)).not.toContain("u:Old");
    const bare = await marked(outlinedPdf(), []);
    expect(new PdfJson(bare).catalog).not.toHaveProperty("/Outlines");
  });

  test("styles titles", async () => {
    const style = { bold: true, italic: true, color: [255, 0, 51] };
    const json = new PdfJson(
      await marked(await textPdf(1), [
        { title: "a", page: 1, ...style },
        { title: "b", page: 1 },
      ]),
    );
    const first = json.at(json.catalog, "Outlines", "First");
    expect([first["/F"], first["/C"]]).toEqual([3, [1, 0, 0.2]]);
    expect(json.at(first, "Next")).not.toHaveProperty("/F");
  });

  test.each([
    [0, [10, 190]],
    [90, [10, 20]],
    [180, [290, 20]],
    [270, [290, 190]],
  ])("leads to the top left corner of a page that is rotated by %i", async (angle, corner) => {
    const builder = new PdfBuilder();
    builder.page("a", `/Rotate ${angle}/CropBox[10 20 290 190]`);
    const json = new PdfJson(await marked(builder.bytes(), [{ title: "a", page: 1 }]));
    expect(json.at(json.catalog, "Outlines", "First", "Dest").slice(1)).toEqual(["/XYZ", ...corner, 0]);
  });
});

describe("merge", () => {
  test("adds bookmarks after those of the document", async () => {
    const made = await marked(outlinedPdf(), TREE, "merge");
    expect(outlineOf(made)).toBe(`Old 1 +(Kid 1), Last null, ${AS_TEXT}`);
    const json = new PdfJson(made);
    expect(json.at(json.catalog, "Outlines", "Count")).toBe(9);
    const titles = [...outlineOfMutool(made).matchAll(/"(.*?)"/g)].map(([, title]) => title);
    expect(titles).toEqual(["Old", "Kid", "Last", "One", "A", "a", "B", "Zwei – 山", "C", "Three"]);
    const again = await marked(made, [{ title: "End", page: 1 }], "merge");
    expect(outlineOf(again)).toBe(`Old 1 +(Kid 1), Last null, ${AS_TEXT}, End 1`);
    expect(outlineOf(await marked(made, [], "merge"))).toBe(outlineOf(made));
  });

  test("writes an outline where none is", async () => {
    expect(outlineOf(await marked(await textPdf(3), TREE, "merge"))).toBe(AS_TEXT);
  });

  test.each([
    ["a chain without end", () => outlinedPdf("", (root) => [root, "first"])],
    ["a wrong parent", () => outlinedPdf("", () => ["99 0 R", "99 0 R"])],
    ["a wrong count", () => outlinedPdf("/Count -7")],
  ])("repairs %s", async (_, make) => {
    const made = outlineOf(await marked(make(), [{ title: "End", page: 2 }], "merge"));
    expect(made).toBe("Old 1 +(Kid 1), Last null, End 2");
  });
});

test.each(["replace", "merge"] as const)("a page that does not exist is an error: %s", async (mode) => {
  const wrong = [{ title: "a", page: 1, children: [{ title: "b", page: 3 }] }];
  const error: unknown = await marked(await textPdf(2), wrong, mode).catch((error) => error);
  expect(error).toBeInstanceOf(OutOfRange);
  expect(error).toMatchObject({
    parameter: "bookmarks.0.children.0.page",
    value: "3",
    why: "The document has 2 pages.",
  });
});

test.each([
  ["1", "en", []],
  ["1", undefined, ["PDF/UA-1"]],
  ["2", "en", ["PDF/UA-2"]],
] as const)("a claim of PDF/UA-%s with the language %s", async (part, language, withdrawn) => {
  const builder = new PdfBuilder();
  builder.page("a");
  const packet = builder.stream(pdfuaClaim(part), "/Type/Metadata/Subtype/XML");
  builder.catalog = `/Metadata ${packet}${language ? `/Lang(${language})` : ""}`;
  const params = { bookmarks: [{ title: "a", page: 1 }], mode: "merge" } as const;
  for await (const output of setBookmarks.run([inputOf(builder.bytes())], params, CONTEXT)) {
    expect(uncompressed(await bytesOf(output)).includes("pdfuaid:part")).toBe(withdrawn.length === 0);
    expect(output.notices?.().flatMap(({ subjects = [] }) => subjects.map(({ name }) => name))).toEqual(withdrawn);
  }
});

test("a document can have 100,000 bookmarks", async () => {
  const builder = new PdfBuilder();
  const page = builder.page("a");
  const root = builder.reserve();
  const items = Array.from({ length: 100_000 }, () => builder.reserve());
  for (const [index, item] of items.entries()) {
    const [before, after] = [items[index - 1], items[index + 1]];
    const chain = `${before ? `/Prev ${before}` : ""}${after ? `/Next ${after}` : ""}`;
    builder.set(item, `<</Title(${index})/Parent ${root}${chain}/Dest[${page}/Fit]>>`);
  }
  builder.set(root, `<</First ${items[0]}/Last ${items.at(-1)}/Count ${items.length}>>`);
  builder.catalog = `/Outlines ${root}`;
  const params = { bookmarks: [{ title: "End", page: 1 }], mode: "merge" } as const;
  const [made] = await outputsOf(setBookmarks, [builder.bytes()], params);
  const lines = outlineOfMutool(made!).trimEnd().split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([100_001, expect.stringContaining("End")]);
});

test("20,000 bookmarks are written, and more are an error", async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({ title: `${index}`, page: 1 }));
  const json = new PdfJson(await marked(await textPdf(1), many));
  expect(json.at(json.catalog, "Outlines", "Count")).toBe(20_000);
  const more = marked(await textPdf(1), [{ title: "a", page: 1, children: many }]);
  await expect(more).rejects.toBeInstanceOf(OutOfRange);
});

test.each([...REPEATED_PAGES, ...WRONG_TREES])("a wrong page tree: %s", async (_, pdf) => {
  // Some pages of these documents lack entries, so qpdf has warnings.
  const [made] = await outputsOf(setBookmarks, [pdf], { bookmarks: [{ title: "a", page: 1 }], mode: "replace" });
  expect(outlineOf(made!)).toBe("a 1");
});

test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("hostile: %s", async (_, { bytes }) => {
  const params = { bookmarks: [{ title: "a", page: 1 }], mode: "merge" } as const;
  const reason = await reasonOf(async () => outputsOf(setBookmarks, [await bytes()], params));
  expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
});
