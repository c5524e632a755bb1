// Removes text of no size, and keywords from the arrays of text that content shows. MuPDF ignores an array with keywords,
// but other readers ignore only the keywords, so that they show text that MuPDF does not find (ISO 32000-1, 9.4.3).
import { readOperations } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import { contentOf, decodeContent } from "../../content/page-content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serialize } from "../../objects/serialize.ts";
import { Dictionary, PdfStream, PdfString, plainBody, type Value } from "../../objects/values.ts";
import { completePage } from "../../pages/page-tree.ts";
import { pageDictionary, type SourcePage } from "../../pages/pages.ts";
import { formsIn } from "../shown-streams.ts";
import { TextSizes } from "./no-size.ts";

/** Characters of numbers, and white space (7.2.2). */
const NUMERIC = /^[\s\0\d.+-]$/;
const [BACKSLASH, OPENING, CLOSING, LESS, GREATER] = ["\\", "(", ")", "<", ">"].map((one) => one.charCodeAt(0));
const IS_NUMERIC = Uint8Array.from({ length: 256 }, (_, code) => Number(NUMERIC.test(String.fromCharCode(code))));

/**
 * @param done object numbers of the forms of earlier pages
 * @returns true if content changed
 */
export function repairTextArrays(file: PdfFile, page: SourcePage, done: Set<number>): boolean {
  const dictionary = pageDictionary(file, page);
  const content = contentOf(file, dictionary.get("Contents"));
  const repaired = withReadableText(content);
  let isChanged = repaired !== content;
  if (isChanged) {
    const contents = file.add(new PdfStream(new Dictionary(), plainBody(repaired)));
    file.put(page.reference, completePage(file, page).set("Contents", contents));
  }
  for (const form of formsIn(file, dictionary.get("Resources"), done)) {
    done.add(form.number);
    const stream = file.stream(form)!;
    const before = decodeContent(stream);
    const after = withReadableText(before);
    if (after === before) continue;
    isChanged = true;
    const own = stream.dictionary.clone();
    for (const key of ["Filter", "DecodeParms"]) own.delete(key);
    file.put(form, new PdfStream(own, plainBody(after)));
  }
  return isChanged;
}

/** @returns the same bytes if all arrays are valid and all text has a size */
function withReadableText(bytes: Uint8Array): Uint8Array {
  const edits: Edit[] = [];
  const sizes = new TextSizes();
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    const withoutText = sizes.after(operator, operands);
    if (withoutText !== undefined) edits.push({ start, end, text: withoutText });
    if (withoutText !== undefined) continue;
    const shown = operands.at(-1);
    if (operator !== "TJ" || !Array.isArray(shown) || isPlain(bytes, start, end)) continue;
    const valid = shown.filter((one: Value) => one instanceof PdfString || typeof one === "number");
    edits.push({ start, end, text: `${serialize(valid, ({ number }) => number)} TJ` });
  }
  return edits.length === 0 ? bytes : applyEdits(bytes, edits, bytes.length);
}

/** Reports whether operands are one array of strings and numbers; false also for nested parentheses in strings. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  let closing: number | undefined;
  const last = bytes.lastIndexOf(0x5d, end - 1);
  for (let at = bytes.indexOf(0x5b, start) + 1; at < last; at++) {
    const byte = bytes[at]!;
    if (closing === undefined) {
      if (byte === OPENING) closing = CLOSING;
      else if (byte === LESS) closing = GREATER;
      else if (IS_NUMERIC[byte] === 0) return false;
    } else if (byte === BACKSLASH) at++;
    else if (byte === closing) closing = undefined;
    else if (byte === OPENING) return false;
  }
  return true;
}
