// Tests the reading of foreign fields, and that docs/gotenberg.md lists each of them with its support.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PAGE_FIELDS, PICTURE_FIELDS, URL_FIELDS } from "../../../src/gotenberg/chromium.ts";
import { DOWNLOAD_FIELDS } from "../../../src/gotenberg/downloads.ts";
import { foreignError } from "../../../src/gotenberg/errors.ts";
import {
  duration,
  type FieldTable,
  FormErrors,
  flag,
  length,
  ranges,
  readTable,
} from "../../../src/gotenberg/fields.ts";
import { markSteps } from "../../../src/gotenberg/marks.ts";
import { exifEntries, metadataOf } from "../../../src/gotenberg/metadata.ts";
import { OFFICE_FIELDS } from "../../../src/gotenberg/office.ts";
import { byName } from "../../../src/gotenberg/order.ts";
import { BOOKMARK_FIELDS, FLATTENING_FIELDS, RESULT_FIELDS } from "../../../src/gotenberg/pdf-steps.ts";
import { ForeignForm } from "../../../src/gotenberg/plan.ts";
import { FOREIGN_ROUTES } from "../../../src/gotenberg/routes.ts";
import {
  faultyPage,
  outOfRange,
  passwordProtected,
  timedOut,
  unreachable,
} from "../../../src/service/http/contract/errors.ts";

const docs = readFileSync(join(import.meta.dirname, "../../../docs/gotenberg.md"), "utf8");

/** Returns the support of each field in a section of the documentation. */
function documented(heading: string): Record<string, string> {
  const [section = ""] = docs.split(`### ${heading}\n`)[1]?.split(/^### /m) ?? [];
  const rows = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (\w+) \|/gm)];
  return Object.fromEntries(
    rows.flatMap(([, names, support]) => names!.match(/\w+/g)!.map((name) => [name, support!])),
  );
}

const supportOf = (table: FieldTable) =>
  Object.fromEntries(Object.entries(table).map(([name, { support }]) => [name, support]));

test("the documentation lists each field with its support, and no other", () => {
  const visit = Object.keys(PICTURE_FIELDS).filter((name) => name in PAGE_FIELDS);
  const pictures = Object.fromEntries(Object.entries(PICTURE_FIELDS).filter(([name]) => !visit.includes(name)));
  const results = { ...RESULT_FIELDS, ...FLATTENING_FIELDS, ...BOOKMARK_FIELDS, ...DOWNLOAD_FIELDS };
  expect(documented("Fields of office documents")).toEqual(supportOf(OFFICE_FIELDS));
  expect(documented("Fields of web pages")).toEqual(supportOf({ ...PAGE_FIELDS, ...URL_FIELDS }));
  expect(documented("Fields of screenshots")).toEqual(supportOf(pictures));
  expect(documented("Fields of all PDFs")).toEqual(supportOf(results));
  const all = [OFFICE_FIELDS, PAGE_FIELDS, PICTURE_FIELDS, URL_FIELDS, results].flatMap(Object.keys);
  for (const { path, fields } of FOREIGN_ROUTES) {
    expect(
      Object.keys(fields).filter((name) => !all.includes(name)),
      path,
    ).toEqual([]);
    const [, last] = /\/(\w+(?:\/\w+)?)$/.exec(path)!;
    expect(
      [path, `…/${last}`, `…/${path.split("/").at(-1)}`].some((name) => docs.includes(`${name}\``)),
      path,
    ).toBe(true);
  }
});

test("values are those of Go and of Chromium's command line", () => {
  expect(["1", "T", "true", "False", "0", "yes"].map((text) => flag().read(text))).toEqual([
    ...[true, true, true, false, false, undefined],
  ]);
  const lengths = ["8.5", "1in", "72pt", "96px", "25.4mm", "2.54cm", "6pc", "-1", "1em"].map(length(0).read);
  expect(lengths.map((points) => points && Math.round(points))).toEqual([
    612,
    72,
    72,
    72,
    72,
    72,
    72,
    undefined,
    undefined,
  ]);
  expect(["1.5s", "1m30s", "300ms", "10s200ms", "5", ""].map(duration.read)).toEqual([
    ...[1500, undefined, 300, 10_200, undefined, undefined],
  ]);
  expect(["1-3, 5,7-", "-2", "4", "a", "-"].map(ranges.read)).toEqual([
    "1-3,5,7-last",
    "1-2",
    "4",
    undefined,
    undefined,
  ]);
});

test("all errors of a form are reported, with the names of its fields", () => {
  const errors = new FormErrors();
  const sent = new Map([
    ["landscape", ["foo"]],
    ["quality", ["50"]],
    ["nativePageRanges", ["1-"]],
    ["merge", [""]],
    ["unknown", ["1"]],
  ]);
  expect(readTable(OFFICE_FIELDS, sent, errors)).toMatchObject({ nativePageRanges: "1-last", merge: false });
  expect(() => errors.check()).toThrow(
    "Invalid form data: form field 'landscape' is invalid (got 'foo', expected true or false)\n" +
      "form field 'quality' is not supported with the value '50'",
  );
  const none = new FormErrors();
  readTable(
    PAGE_FIELDS,
    new Map([
      ["emulatedMediaFeatures", ["{}"]],
      ["ignoreResourceHttpStatusDomains", ["[]"]],
    ]),
    none,
  );
  expect(() => none.check()).not.toThrow();
});

test("marks are steps, by the positions of their fields", () => {
  const fields = new Map([
    ["stampSource", ["text", "image"]],
    ["stampExpression", ["A", ""]],
    ["stampOptions", ['{"color":"#ff0080","rotation":30}', '{"scale":1}']],
  ]);
  const form = new ForeignForm({ fields, files: new Map() }, async () => "");
  const [first] = markSteps(form, "stamp");
  expect(first).toMatchObject({
    "watermarked-pdf": { watermark_text: "A", text_color_rgb: "255,0,128", rotation: "-30", behind_page: "false" },
  });
  expect(() => form.errors.check()).toThrow(
    "'stampOptions' is not supported with scale\nform field 'stampSource' is not supported with the value 'image'",
  );
});

test("names are ordered by their numbers", () => {
  const names = ["b.pdf", "10.pdf", "9_z.pdf", "a.pdf", "page_10.pdf", "page_9.pdf", "9_a.pdf"];
  expect(names.toSorted(byName)).toEqual([
    "9_a.pdf",
    "9_z.pdf",
    "10.pdf",
    "page_9.pdf",
    "page_10.pdf",
    "a.pdf",
    "b.pdf",
  ]);
});

test("errors have the statuses and the fields of Gotenberg", () => {
  const step = "The error is in step 1, pdf.";
  expect(foreignError(outOfRange("pages", "9").because("The document has 1 page.").inStep(0, "/pdf"))).toEqual({
    status: 400,
    message: "Invalid form data: form field 'nativePageRanges' is invalid (got '9'). The document has 1 page.",
  });
  expect(foreignError(outOfRange("pages", "9").inStep(1, "/rotated-pdf")).message).toContain("field 'rotatePages' is");
  expect(foreignError(passwordProtected().inStep(0, "/pdf")).status).toBe(400);
  expect(foreignError(faultyPage("console_errors, Error: x").because(step))).toEqual({
    ...{ status: 409, message: "Chromium console exceptions:\nError: x" },
  });
  expect(foreignError(unreachable().because(step))).toEqual({
    status: 400,
    message: "The web page could not be loaded.",
  });
  expect(foreignError(timedOut()).status).toBe(503);
});

test("metadata have the names and dates of ExifTool", () => {
  const errors = new FormErrors();
  const given = {
    ...{ Title: "T", "XMP:Author": "A", Keywords: ["a", "b"], CreateDate: "2006:09:18 16:27:50-04:00", Marked: true },
    ...{ PDFVersion: 1.7, Trapped: "Unknown" },
  };
  expect(metadataOf(given, errors)).toEqual({
    ...{ title: "T", author: "A", keywords: ["a", "b"], creation_date: "2006-09-18T16:27:50-04:00" },
    custom: { Marked: "true" },
  });
  errors.check();
  metadataOf({ Title: { x: 1 }, Trapped: "True" }, errors);
  expect(() => errors.check()).toThrow(/'Title' is no text.*\n.*'Trapped'/);
  const answers = {
    title: "T",
    author: "",
    creation_date: "2006-09-18T16:27:50Z",
    page_count: 2,
    pdf_version: "1.7.3",
  };
  expect(exifEntries(answers, "a.pdf")).toEqual({
    ...{ FileName: "a.pdf", FileType: "PDF", FileTypeExtension: "pdf", MIMEType: "application/pdf" },
    ...{ PDFVersion: 1.7, PageCount: 2, Title: "T", CreateDate: "2006:09:18 16:27:50+00:00" },
  });
});
