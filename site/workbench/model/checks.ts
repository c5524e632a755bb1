// Validates values while the user types, with the parsers and error messages of the service.
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import {
  HOW_PAGES_ARE_WRITTEN,
  parseListedPages,
  parsePages,
  resolvePages,
  selectPages,
} from "../../../src/document/contract/pages.ts";
import { NOT_AN_ADDRESS, parseWebUrl } from "../../../src/document/contract/web-url.ts";
import { outOfRange } from "../../../src/service/http/contract/errors.ts";
import type { FormField } from "./operations.ts";

/** Reports whether a text is no value of a field. A password can consist of spaces. */
export const isBlank = ({ control }: Pick<FormField, "control">, text: string): boolean =>
  (control === "password" ? text : text.trim()) === "";

/**
 * @param pageCount number of pages of the document, if known
 * @returns the error message with which the service would reject the value; undefined if the value is valid
 */
export function checkValue(field: FormField, value: string, pageCount?: number): string | undefined {
  if (isBlank(field, value) && !isPerInput(field)) return undefined;
  const { name, control } = field;
  if (control === "pages" || control === "listed-pages") return checkPages(field, value, pageCount);
  return isValid(field, value) ? undefined : outOfRange(name, value).message;
}

/**
 * Reports whether the field has one value per input. Such a value is checked even if it is empty; other empty values
 * are valid.
 */
const isPerInput = ({ perInput }: FormField): boolean => perInput === true;

function isValid({ schema }: FormField, value: string): boolean {
  const { type, enum: values, minimum: min, maximum: max, pattern } = schema;
  if (values) return values.includes(value);
  if (min !== undefined && max !== undefined) {
    const number = Number(value);
    const form = type === "integer" ? /^\s*-?\d{1,9}\s*$/ : /^\s*[+-]?(\d{1,9}(\.\d{0,12})?|\.\d{1,12})\s*$/;
    return form.test(value) && number >= min && number <= max;
  }
  return pattern === undefined || new RegExp(pattern).test(value.trim());
}

/**
 * @returns the error message with which the service would reject a URL because of its text; undefined if the text is
 *   valid
 */
export const checkAddress = (text: string, parameter = "url"): string | undefined =>
  parseWebUrl(text) === undefined ? outOfRange(parameter, text, NOT_AN_ADDRESS).message : undefined;

function checkPages(field: FormField, value: string, pageCount: number | undefined): string | undefined {
  const selection = parse(value, field.control === "listed-pages");
  if (!selection) return outOfRange(field.name, value, HOW_PAGES_ARE_WRITTEN).message;
  if (pageCount === undefined) return undefined;
  try {
    (isPerInput(field) ? selectPages : resolvePages)(selection, pageCount);
    return undefined;
  } catch (error) {
    if (error instanceof OutOfRange) return outOfRange(field.name, value, error.why).message;
    throw error;
  }
}

/** Returns the pages of a selection, or undefined if the document has fewer pages. */
export function selectedPages(value: string, pageCount: number, listed = false): readonly number[] | undefined {
  const selection = parse(value, listed);
  return selection && unlessOutOfRange(() => resolvePages(selection, pageCount));
}

const parse = (value: string, listed = false) => (listed ? parseListedPages(value) : parsePages(value));

function unlessOutOfRange<T>(resolve: () => T): T | undefined {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof OutOfRange) return undefined;
    throw error;
  }
}
