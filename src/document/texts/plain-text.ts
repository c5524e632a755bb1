// Prints plain text: its lines as they are, or joined to paragraphs.

import { escaped, type Typography, textRule } from "./page.ts";

/** Size at which 80 letters of a fixed width fill a line of letter paper with margins of an inch. */
const LINE_SIZE_PT = 9.75;
const REFLOWED_SIZE_PT = 11;
/** Lines of an element: the browser lays out elements of a few hundred lines fastest. */
const LINES_AT_ONCE = 200;
/** Longest line that stays whole. A longer one is divided, because the browser lays out a line as a whole. */
const LONGEST_LINE = 20_000;

export function plainTextStyles(typography: Typography, isReflowed: boolean): string {
  if (isReflowed) {
    return `${textRule("body", typography, REFLOWED_SIZE_PT)}
      body { line-height: 1.45; unicode-bidi: plaintext; }
      p { margin: 0 0 0.8em; orphans: 2; widows: 2; }
      .new-page { break-before: page; }`;
  }
  return `${textRule("pre", { code_font: typography.font, ...typography } as Typography, LINE_SIZE_PT, true)}
    pre { margin: 0; white-space: pre-wrap; tab-size: 8; line-height: 1.25; unicode-bidi: plaintext;
      overflow-wrap: anywhere; }
    .new-page { break-before: page; }`;
}

/** Yields the body of a page. A form feed starts a new page. */
export function* plainTextBody(text: string, isReflowed: boolean): Generator<string> {
  const pages = text
    .replace(/\r\n?/g, "\n")
    .replace(/\f\n?$/, "")
    .split("\f");
  for (const [number, page] of pages.entries()) {
    const start = number === 0 ? "" : ' class="new-page"';
    yield* isReflowed ? paragraphs(page, start) : linesOf(page, start);
  }
}

function* linesOf(page: string, firstAttribute: string): Generator<string> {
  const lines = page.replace(/\n$/, "").split("\n").flatMap(parted);
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE);
    // The parser ignores a line end directly behind the tag.
    yield `<pre${at === 0 ? firstAttribute : ""}>\n${escaped(some.join("\n"))}\n</pre>`;
  }
}

/** Divides a line that is too long, behind a space if there is one. */
function parted(line: string): string[] {
  if (line.length <= LONGEST_LINE) return [line];
  const parts: string[] = [];
  let at = 0;
  while (line.length - at > LONGEST_LINE) {
    const space = line.lastIndexOf(" ", at + LONGEST_LINE);
    const end = space > at ? space + 1 : at + LONGEST_LINE;
    parts.push(line.slice(at, end));
    at = end;
  }
  return [...parts, line.slice(at)];
}

/** Yields paragraphs, which empty lines separate. Indented lines start a paragraph, too. */
function* paragraphs(page: string, firstAttribute: string): Generator<string> {
  let attribute = firstAttribute;
  for (const block of page.split(/\n[ \t]*\n|\n(?=[ \t]+\S)/)) {
    const words = block.replace(/[ \t]*\n[ \t]*/g, " ").trim();
    if (words === "") continue;
    for (const part of parted(words)) {
      yield `<p${attribute}>${escaped(part)}</p>\n`;
      attribute = "";
    }
  }
  if (attribute !== "") yield `<p${attribute}>&nbsp;</p>`;
}
