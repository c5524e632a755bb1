// Tests the file names that documents get in LibreOffice, and the conversion of links back to relative ones.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nameOf, placeOf, restoreLinks } from "../../../container/engines/libreoffice/preparation/place.ts";

test.each([
  ["Offer 2026.docx", "Offer 2026.docx"],
  ["Günter – Ω #1 50% (a).xlsx", "Günter – Ω #1 50% (a).xlsx"],
  ["../../etc/passwd.docx", "passwd.docx"],
  ["C:\\Users\\jane\\plan.xls", "plan.xls"],
  ["--convert-to.docx", "convert-to.docx"],
  [".- .hidden.doc", "hidden.doc"],
  ["a\u0000b\nc\u202ed.docx", "abcd.docx"],
  ["..", "document.docx"],
  ["", "document.docx"],
])("a document that the client calls %j is %j", (sent, name) => {
  expect(nameOf(sent, "/job/input-0.docx")).toBe(name);
});

test("a long name is cut before its extension", () => {
  const name = nameOf(`${"é".repeat(3000)}.xlsx`, "/job/input-0.xlsx");
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toMatch(/^é+\.xlsx$/);
});

/** Returns a PDF's strings after the conversion. */
async function restored(strings: readonly string[], name: string, filling = ""): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "links-"));
  try {
    const path = join(folder, "a.pdf");
    const before = `%PDF-1.7\n${filling}${strings.map((text) => `<</URI(${text})>>\n`).join("")}`;
    await writeFile(path, before, "latin1");
    await restoreLinks(path, placeOf(name));
    const after = await readFile(path, "latin1");
    expect(after).toHaveLength(before.length);
    return [...after.matchAll(/\/URI\(((?:\\.|[^\\)])*)\) *>>/g)].map(([, text = ""]) => text);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const base = new URL("./", `file://${placeOf("x").address}`).href;
const above = (levels: number) => new URL("../".repeat(levels), base).href;

test("links are what their author wrote, relative or absolute", async () => {
  const links = {
    [`${base}Annex%20B.docx`]: "./Annex%20B.docx",
    [`${base}sub/x.pdf#page=2`]: "sub/x.pdf#page=2",
    [`${base}a:b.doc`]: "./a:b.doc",
    [`${base}Annex%20\\(1\\).docx`]: "./Annex%20\\(1\\).docx",
    [`${base}list.aspx%3Fid=5`]: "list.aspx?id=5",
    [`${base}..%5C1%5Cx.doc`]: "../1/x.doc",
    [`${base}%5C%5C10.0.0.1%5C2%5Cx.doc`]: "file://10.0.0.1/2/x.doc",
    [`${above(1)}plans/site.pdf`]: "../plans/site.pdf",
    [`${above(7)}x.docx`]: "../../../../../../../x.docx",
    [`${base}My%20offer.docx#part`]: "#part",
    [`${above(1)}a%5Cb`]: "../a/b",
    "file:///C:/Users/jane/plan.pdf": "file:///C:/Users/jane/plan.pdf",
    "file:///srv/share/x.docx": "file:///srv/share/x.docx",
    "file://server/share/x.docx": "file://server/share/x.docx",
    "https://example.com/a?b=1": "https://example.com/a?b=1",
  };
  expect(await restored(Object.keys(links), "My offer.docx")).toEqual(Object.values(links));
});

test("no link is longer than what it replaces, however many folders it goes up", async () => {
  for (let levels = 1; levels < 20; levels++) {
    const [link] = await restored([`${above(levels)}x`], "a.docx");
    expect(link).toBe(levels <= 7 ? `${"../".repeat(levels)}x` : `${above(levels)}x`);
  }
});

test("links of PowerPoint's binary files are relative unless they name a drive", async () => {
  const links = {
    "file:///notes%5Ca.ppt": "notes/a.ppt",
    "file:///../up.ppt": "../up.ppt",
    "file:///C:/x.ppt": "file:///C:/x.ppt",
  };
  expect(await restored(Object.keys(links), "talk.PPT")).toEqual(Object.values(links));
});

test("links are found wherever the parts of a long file meet", async () => {
  const long = 2 ** 20 + 2 ** 16;
  for (const before of [long - 60, long - 20, long - 3, 2 * long]) {
    expect(await restored([`${base}x.pdf`], "a.docx", "%".repeat(before))).toEqual(["x.pdf"]);
  }
});
