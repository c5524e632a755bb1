// The readings of a page: its text in several ways of joining lines and letters, so that a match is found however the
// text is broken.
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import type { Finder } from "./expressions/expressions.ts";
import type { Match } from "./expressions/match.ts";

/** Range of glyphs. */
export interface GlyphRange {
  readonly first: number;
  readonly last: number;
}

/** A text, with the index of the glyph of each code unit; a line break has the glyph before it. */
interface Reading {
  readonly text: string;
  readonly glyphs: Int32Array;
  /** True if the order of the glyphs is not that of their indexes. */
  readonly isReordered?: boolean;
}

/** Returns what stands between two lines in place of the last characters of the first one. */
type Join = (line: string, next: string) => { readonly dropped: number; readonly between: string };

const SPACED: Join = () => ({ dropped: 0, between: "\n" });
const UNBROKEN: Join = () => ({ dropped: 0, between: "" });
const DEHYPHENATED: Join = (line) =>
  /[\p{L}\p{N}][-\u00ad\u2010\u2011]\s*$/u.test(line)
    ? { dropped: line.length - line.search(/.\s*$/u), between: "" }
    : SPACED("", "");
/** Addresses and numbers are broken at these characters, which stay. */
const AT_PUNCTUATION: Join = (line, next) =>
  /[-\u2010\u2011/@_=&?%+~#.]\s*$/u.test(line) || /^[@./?&=_]/.test(next)
    ? { dropped: line.length - line.trimEnd().length, between: "" }
    : SPACED("", "");

/** Spaces beside a single character: a placed glyph can stand at a small distance from its word. */
const BESIDE_SINGLE = /(?<![^\s])\S (?=\S)|(?<=\S) \S(?![^\s])/gu;
/** Minimum length of a literal that is searched for among such characters. */
const LONG = 4;
/** Distance of glyphs that counts as a space, and difference of baselines on one line, in font sizes. */
const GAP = 0.2;
const SAME_LINE = 0.2;
/** Letters with a space after each, as in headings with wide letter spacing. */
const LETTER_SPACED = /(?<![^\s])(?:\S ){2,200}\S(?![^\s])/gu;

/** Returns the matches on a page, without those inside others, in the order of their first glyphs. */
export function findOnPage(glyphs: Glyphs, finder: Finder): GlyphRange[] {
  const spaced = read(glyphs, SPACED);
  const found = ranges(spaced, finder.find(spaced.text));
  const seen = new Set([spaced.text]);
  const look = (reading: Reading, find: (text: string) => Match[]) => {
    if (seen.has(reading.text)) return;
    seen.add(reading.text);
    found.push(...ranges(reading, find(reading.text)));
  };
  look(read(glyphs, DEHYPHENATED), (text) => finder.find(text));
  look(read(glyphs, AT_PUNCTUATION), (text) => finder.find(text));
  look(without(spaced, LETTER_SPACED), (text) => finder.find(text));
  look(read(glyphs, UNBROKEN), (text) => finder.findLiterals(text));
  look(without(spaced, BESIDE_SINGLE), (text) =>
    finder.findLiterals(text).filter(({ start, end }) => end - start >= LONG),
  );
  look(inPlace(glyphs), (text) => finder.find(text));
  for (const order of drawnOrders(glyphs)) {
    look(read(glyphs, SPACED, order), (text) => finder.find(text));
    look(read(glyphs, DEHYPHENATED, order), (text) => finder.find(text));
    look(read(glyphs, UNBROKEN, order), (text) => finder.findLiterals(text));
  }
  found.sort((a, b) => a.first - b.first || b.last - a.last);
  let reached = -1;
  return found.filter(({ last }) => {
    const isNew = last > reached;
    reached = Math.max(reached, last);
    return isNew;
  });
}

/** Returns one range for each run of consecutive glyphs, and those that a reading leaves out between them. */
const ranges = ({ glyphs, isReordered }: Reading, matches: readonly Match[]): GlyphRange[] =>
  matches.flatMap(({ start, end }) => {
    if (!isReordered) return [{ first: glyphs[start]!, last: glyphs[end - 1]! }];
    const runs: { first: number; last: number }[] = [];
    for (const glyph of glyphs.slice(start, end).sort()) {
      const run = runs.at(-1);
      if (run && glyph <= run.last + 1) run.last = glyph;
      else runs.push({ first: glyph, last: glyph });
    }
    return runs;
  });

export function textOf(glyphs: Glyphs, { first, last }: GlyphRange): string {
  return String.fromCodePoint(...glyphs.codePoints.slice(first, Math.min(last + 1, first + 10_000)).map(valid));
}

/** @param order the glyphs in another order, within their lines; @default as MuPDF sorts them */
function read(glyphs: Glyphs, join: Join, order?: Int32Array): Reading {
  const codePoints = order ? Array.from(order, (glyph) => glyphs.codePoints[glyph]!) : glyphs.codePoints;
  const places: number[] = [];
  const parts: string[] = [];
  const lines = glyphs.lineStarts.map((start, at) => ({ start, end: glyphs.lineStarts[at + 1] ?? glyphs.count }));
  const texts = lines.map(({ start, end }) =>
    codePoints.slice(start, end).map((one) => String.fromCodePoint(valid(one))),
  );
  for (const [at, { start }] of lines.entries()) {
    const line = texts[at]!;
    const { dropped, between } =
      at + 1 < lines.length ? join(tail(line), texts[at + 1]!.slice(0, 2).join("")) : NOTHING;
    const kept = line.slice(0, line.length - dropped);
    for (const [index, character] of kept.entries()) {
      for (let unit = 0; unit < character.length; unit++) places.push(start + index);
    }
    parts.push(...kept, between);
    for (let unit = 0; unit < between.length; unit++) places.push(Math.max(start, start + kept.length - 1));
  }
  return {
    text: parts.join(""),
    glyphs: Int32Array.from(places, (place) => order?.[place] ?? place),
    isReordered: order !== undefined,
  };
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Runs that MuPDF reverses, because most programs draw them in visual order: alone, and with what surrounds them. */
const REVERSED = [
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\p{L}\n]{0,64}[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])*/gu,
  /[^A-Za-z\u00c0-\u058f\n]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc][^A-Za-z\u00c0-\u058f\n]*/gu,
];

/** Yields the glyphs with the letters that are written from right to left in the order in which content shows them. */
function* drawnOrders(glyphs: Glyphs): Generator<Int32Array> {
  const text = glyphs.codePoints.map((one) => String.fromCharCode(one > 0xffff ? 0xfffd : valid(one))).join("");
  if (!RIGHT_TO_LEFT.test(text)) return;
  for (const pattern of REVERSED) {
    const order = Int32Array.from({ length: glyphs.count }, (_, glyph) => glyph);
    for (const [line, start] of glyphs.lineStarts.entries()) {
      const end = glyphs.lineStarts[line + 1] ?? glyphs.count;
      for (const { 0: run, index } of text.slice(start, end).matchAll(pattern)) {
        order.subarray(start + index, start + index + run.length).reverse();
      }
    }
    yield order;
  }
}

const NOTHING = { dropped: 0, between: "" } as const;
const valid = (codePoint: number): number => (codePoint >= 0 && codePoint <= 0x10ffff ? codePoint : 0xfffd);
/** Returns the last characters, each as one code unit. */
const tail = (line: readonly string[]): string =>
  line
    .slice(-8)
    .map((character) => (character.length === 1 ? character : "\ufffd"))
    .join("");

/**
 * Reads the glyphs of horizontal and turned lines by their places, because content can show them in any order. Each
 * line break ends the text of a line.
 */
function inPlace(glyphs: Glyphs): Reading {
  interface Placed {
    readonly glyph: number;
    readonly turn: number;
    readonly baseline: number;
    readonly from: number;
    readonly to: number;
    readonly size: number;
  }
  const placed: Placed[] = [];
  for (const [line, start] of glyphs.lineStarts.entries()) {
    const [dx, dy] = glyphs.directions[line]!;
    const turn = Math.round(Math.atan2(dy, dx) * 50);
    for (let glyph = start; glyph < (glyphs.lineStarts[line + 1] ?? glyphs.count); glyph++) {
      if (glyphs.codePoints[glyph] === SPACE) continue;
      const corners = glyphs.corners(glyph);
      const along = [0, 2, 4, 6].map((at) => corners[at]! * dx + corners[at + 1]! * dy);
      const [x, y] = glyphs.origin(glyph);
      const size = Math.max(glyphs.size(glyph), 0.01);
      placed.push({ glyph, turn, baseline: y * dx - x * dy, from: Math.min(...along), to: Math.max(...along), size });
    }
  }
  placed.sort((a, b) => a.turn - b.turn || a.baseline - b.baseline);
  const lines: Placed[][] = [];
  for (const one of placed) {
    const before = lines.at(-1)?.at(-1);
    if (before && before.turn === one.turn && one.baseline - before.baseline < SAME_LINE * one.size)
      lines.at(-1)!.push(one);
    else lines.push([one]);
  }
  const parts: string[] = [];
  const places: number[] = [];
  const add = (text: string, glyph: number) => {
    parts.push(text);
    for (let unit = 0; unit < text.length; unit++) places.push(glyph);
  };
  for (const line of lines) {
    line.sort((a, b) => a.from - b.from);
    for (const [at, one] of line.entries()) {
      const before = line[at - 1];
      if (before && one.from - before.to > GAP * one.size) add(" ", before.glyph);
      add(String.fromCodePoint(valid(glyphs.codePoints[one.glyph]!)), one.glyph);
    }
    add("\n", line.at(-1)!.glyph);
  }
  return { text: parts.join(""), glyphs: Int32Array.from(places), isReordered: true };
}

const SPACE = 0x20;

/** Removes the spaces in all that a pattern matches. */
function without({ text, glyphs }: Reading, pattern: RegExp): Reading {
  const kept: number[] = [];
  const parts: string[] = [];
  let at = 0;
  const keep = (until: number) => {
    parts.push(text.slice(at, until));
    for (; at < until; at++) kept.push(glyphs[at]!);
  };
  for (const { 0: run, index } of text.matchAll(pattern)) {
    for (let inside = index; inside < index + run.length; inside++) {
      if (text[inside] !== " ") continue;
      keep(inside);
      at = inside + 1;
    }
  }
  keep(text.length);
  return { text: parts.join(""), glyphs: Int32Array.from(kept) };
}
