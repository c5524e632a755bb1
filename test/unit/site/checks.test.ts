// Compares the messages of the workbench while a value is typed with those of the service.
// Contract: docs/api.md#workbench, #page-selections
import { describe, expect, test } from "vitest";
import { checkAddress, checkValue, selectedPages } from "../../../site/workbench/model/checks.ts";
import type { FormField } from "../../../site/workbench/model/operations.ts";
import { type Parameter, parameter } from "../../../src/document/contract/parameter.ts";
import { blankPdf } from "../../../src/endpoints/blank-pdf.ts";
import { png } from "../../../src/endpoints/images/png.ts";
import { pdf } from "../../../src/endpoints/pdf.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { ServiceError } from "../../../src/service/http/contract/errors.ts";
import { readFields } from "../../../src/service/http/contract/fields.ts";
import { operationOf } from "./described-operations.ts";

const shown = (path: string, name: string): FormField => {
  const { fields, perInput } = operationOf(path);
  return fields.find((field) => field.name === name) ?? perInput!;
};

/** Returns the service's error sentence for the value of a field. */
function answered(declared: Parameter, name: string, value: string): string | undefined {
  try {
    readFields({ [name]: declared }, { fields: new Map([[name, [value]]]) }, {});
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    return (error as Error).message;
  }
}

const SELECTIONS = [
  "1",
  " 1 - 3 , LAST ",
  "last-1",
  "even",
  "All",
  "1,,2",
  "2-x",
  "-1",
  "1-",
  "1.5",
  "0",
  "1234567890",
];
const NUMBERS = ["12", " 72 ", "2400", "11", "2401", "-12", "72.0", "1e2", "0x20", "１２", "99999999999"];
const LENGTHS = ["1in", " 12.5mm ", ".5in", "1 in", "1IN", "1cm", "in", "1.in", "1234567in"];

describe("the sentence is the one of the service", () => {
  test.each(SELECTIONS)("for the pages %o", (value) => {
    expect(checkValue(shown("/png", "pages"), value)).toBe(answered(png.fields.pages!, "pages", value));
  });

  test.each([...SELECTIONS, "", " "])("for the pages of an input in a merge %o", (value) => {
    expect(checkValue(shown("/merged-pdf", "pages[]"), value)).toBe(
      answered(mergePdfs.parameters.pages, "pages", value),
    );
  });

  test.each([...SELECTIONS, ""])("for the pages of a part %o", (value) => {
    expect(checkValue(shown("/split-pdf", "pages[]"), value)).toBe(answered(splitPdf.parameters.pages, "pages", value));
  });

  test.each([...NUMBERS, ""])("for the number %o", (value) => {
    expect(checkValue(shown("/png", "resolution"), value)).toBe(answered(png.fields.resolution!, "resolution", value));
  });

  test.each([...NUMBERS, "0", ".5", " 14400.0 ", "+7", "14401"])("for the number with a fraction %o", (value) => {
    expect(checkValue(shown("/blank-pdf", "custom_width"), value)).toBe(
      answered(parameter("", blankPdf.fields.custom_width!.kind), "custom_width", value),
    );
  });

  test.each([...LENGTHS, ""])("for the length %o", (value) => {
    expect(checkValue(shown("/pdf", "page_margin"), value)).toBe(
      answered(pdf.fields.page_margin!, "page_margin", value),
    );
  });

  test.each(["rgb", "RGB", "cmyk", ""])("for the choice %o", (value) => {
    expect(checkValue(shown("/png", "color_model"), value)).toBe(
      answered(png.fields.color_model!, "color_model", value),
    );
  });
});

test("a selection beyond the document is refused once its pages are counted", () => {
  const field = shown("/png", "pages");
  expect(checkValue(field, "4")).toBeUndefined();
  expect(checkValue(field, "4", 3)).toBe("4 is not within the acceptable range for pages. The document has 3 pages.");
  expect(checkValue(field, "3-last", 3)).toBeUndefined();
});

test("an input of a merge may add no page, a part of a split has at least one", () => {
  expect(checkValue(shown("/merged-pdf", "pages[]"), "even", 1)).toBeUndefined();
  expect(checkValue(shown("/split-pdf", "pages[]"), "even", 1)).toContain("is not within the acceptable range");
});

test("selected pages come in their order", () => {
  expect(selectedPages("last-2, 1", 3)).toEqual([3, 2, 1]);
  expect(selectedPages("even", 4)).toBeUndefined();
  expect(selectedPages("even", 4, true)).toEqual([2, 4]);
  expect(selectedPages("5", 4)).toBeUndefined();
});

test("a text that is no address is refused before anything is fetched", () => {
  const why = "It must be an address that begins with http:// or https://, without a user name and a password.";
  for (const text of [
    "nonsense",
    "www.example.org",
    "ftp://example.org/a",
    "https://me@example.org/",
    "file:///a.pdf",
  ]) {
    expect(checkAddress(text)).toBe(`${text} is not within the acceptable range for url. ${why}`);
  }
  // Only the service can check the address to which a URL leads.
  for (const text of ["https://example.org", "http://127.0.0.1/a.pdf"]) expect(checkAddress(text)).toBeUndefined();
});
