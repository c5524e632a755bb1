// Lines of pretty-printed data, for the pages of JSON and XML.

import { colorOf, escaped, familiesOf, type Typography } from "./page.ts";

/** A line, with its depth in the structure. Its parts are the text and the class of each. */
export interface DataLine {
  readonly depth: number;
  readonly parts: readonly (readonly [text: string, kind: PartKind])[];
}

/** Kind of a part: punctuation, name of a member or element, string, number or word, attribute, comment, plain text. */
export type PartKind = "p" | "k" | "s" | "v" | "a" | "c" | "t";

/** Depth beyond which lines are not indented further, so that they have room. */
const DEEPEST_INDENT = 24;
const SIZE_PT = 9;

export function dataStyles(typography: Typography, isFixed: boolean): string {
  const { text_size = SIZE_PT, text_color_rgb: rgb = [30, 34, 40] } = typography;
  return `body { font-family: ${familiesOf(typography, isFixed)}; font-size: ${text_size}pt; line-height: 1.35;
      color: ${colorOf(rgb)}; }
    pre { font: inherit; margin: 0; white-space: pre-wrap; tab-size: 2; }
    .k { color: #0b4f8a; ${isFixed ? "" : "font-weight: bold;"} }
    .s { color: #1d6b34; } .v { color: #8a3b0b; } .a { color: #6b3fa0; } .c { color: #6a737d; font-style: italic; }`;
}

/** Lines of an element, in which the browser lays them out together: far faster than an element for each line. */
const LINES_AT_ONCE = 200;

/** Yields the body of a page. */
export function* dataBody(lines: Iterable<DataLine>): Generator<string> {
  let count = 0;
  yield "<pre>";
  for (const { depth, parts } of lines) {
    if (++count % LINES_AT_ONCE === 0) yield "</pre><pre>";
    const spans = parts.map(([text, kind]) =>
      kind === "t" || kind === "p" ? escaped(text) : `<span class="${kind}">${escaped(text)}</span>`,
    );
    yield `${"  ".repeat(Math.min(depth, DEEPEST_INDENT))}${spans.join("")}\n`;
  }
  yield "</pre>";
}
