// Lines of pretty-printed data, for the pages of JSON and XML.

import { colorOf, escaped, familiesOf, type Typography } from "./page.ts";
import { parted } from "./plain-text.ts";

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
    div { white-space: pre-wrap; padding-left: 2ch; text-indent: -2ch; }
    .p { color: #5c6470; } .k { color: #0b4f8a; ${isFixed ? "" : "font-weight: bold;"} }
    .s { color: #1d6b34; } .v { color: #8a3b0b; } .a { color: #6b3fa0; } .c { color: #6a737d; font-style: italic; }`;
}

/** Yields the body of a page. */
export function* dataBody(lines: Iterable<DataLine>): Generator<string> {
  for (const { depth, parts } of lines) {
    const indent = 2 * Math.min(depth, DEEPEST_INDENT) + 2;
    const spans = parts.map(([text, kind]) =>
      kind === "t" ? escaped(text) : `<span class="${kind}">${parted(text).map(escaped).join("</span><span>")}</span>`,
    );
    yield `<div${depth === 0 ? "" : ` style="padding-left:${indent}ch"`}>${spans.join("")}</div>\n`;
  }
}
