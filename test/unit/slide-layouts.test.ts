// Tests which slide layouts are hidden from LibreOffice.
import { expect, test } from "vitest";
import { withoutUnusedLayouts } from "../../container/engines/libreoffice/preparation/slide-layouts.ts";

const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships";

/** Returns relationships. @param targets pairs of a type's last word and a target */
const relations = (targets: readonly (readonly [string, string])[]) =>
  Buffer.from(
    `<Relationships>${targets.map(([type, target], at) => `<Relationship Id="r${at}" Type="${TYPES}/${type}" Target="${target}"/>`).join("")}</Relationships>`,
  );

const layouts = (...numbers: readonly number[]) =>
  numbers.map((number) => ["slideLayout", `../slideLayouts/slideLayout${number}.xml`] as const);

const presentation = {
  "ppt/_rels/presentation.xml.rels": relations([
    ["slideMaster", "slideMasters/slideMaster1.xml"],
    ["slideMaster", "/ppt/slideMasters/slideMaster2.xml"],
    ["slide", "slides/slide1.xml"],
  ]),
  "ppt/slides/_rels/slide1.xml.rels": relations(layouts(2)),
  "ppt/slideMasters/_rels/slideMaster1.xml.rels": relations([...layouts(1, 2, 3), ["theme", "../theme/theme1.xml"]]),
  "ppt/slideMasters/_rels/slideMaster2.xml.rels": relations(layouts(4, 5)),
  "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations([["slideMaster", "../slideMasters/slideMaster1.xml"]]),
};

/** Returns the numbers of the layouts that are hidden, by part. */
function hidden(parts: Readonly<Record<string, Buffer>>) {
  const changed = [...withoutUnusedLayouts(new Map(Object.entries(parts)))];
  return Object.fromEntries(
    changed.map(([name, content]) => [
      name.replace(/^.*\//, ""),
      [...content.toString().matchAll(/unusedSlideLayout" Target="\D*(\d+)/g)].map(([, number]) => Number(number)),
    ]),
  );
}

test("unused layouts are hidden; a master without used layouts keeps one", () => {
  expect(hidden(presentation)).toEqual({ "slideMaster1.xml.rels": [1, 3], "slideMaster2.xml.rels": [5] });
});

test("the other relationships stay", () => {
  const [content] = [...withoutUnusedLayouts(new Map(Object.entries(presentation))).values()];
  expect(content!.toString()).toContain(`Type="${TYPES}/theme" Target="../theme/theme1.xml"`);
  expect(content!.toString()).toContain(`Type="${TYPES}/slideLayout" Target="../slideLayouts/slideLayout2.xml"`);
});

test("layouts that slides use under names in another case stay", () => {
  const slide = relations([["slideLayout", "/PPT/SlideLayouts/SLIDELAYOUT3.xml"]]);
  expect(hidden({ ...presentation, "ppt/slides/_rels/slide2.xml.rels": slide })).toMatchObject({
    "slideMaster1.xml.rels": [1],
  });
});

test("strict packages are understood", () => {
  const strict = Object.entries(presentation).map(([name, content]) => {
    return [name, Buffer.from(content.toString().replaceAll(TYPES, STRICT))] as const;
  });
  expect(hidden(Object.fromEntries(strict))).toEqual({ "slideMaster1.xml.rels": [1, 3], "slideMaster2.xml.rels": [5] });
});

test("a presentation that uses all layouts, and other documents, do not change", () => {
  const slides = relations(layouts(1, 3, 4, 5));
  expect(hidden({ ...presentation, "ppt/slides/_rels/slide2.xml.rels": slides })).toEqual({});
  expect(hidden({ "word/_rels/document.xml.rels": relations([["styles", "styles.xml"]]) })).toEqual({});
  expect(hidden({ "[Content_Types].xml": Buffer.from("<Types/>"), "_rels/.rels": Buffer.from("\0") })).toEqual({});
});
