// The readings of a page: its text in several ways of joining lines and letters, so that a match is found however the
// text is broken.
import { EngineFailure } from "../contract/failure.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import { breaksWord } from "./breaks/long-words.ts";
import type { Finder } from "./expressions/expressions.ts";
import { type Folded, fold } from "./expressions/fold.ts";
import type { Match } from "./expressions/match.ts";
import { PlacedText } from "./expressions/placed-text.ts";
import type { ReadPage } from "./page-reader.ts";
import type { GlyphRange } from "./quads.ts";

/** A text, with the index of the glyph of each code unit; a line break has the glyph before it. */
interface Reading {
  readonly text: string;
  readonly glyphs: Int32Array;
  /** True if the order of the glyphs is not that of their indexes. */
  readonly isReordered?: boolean;
}

/** Returns what stands between two lines in place of the last characters of the first one. */
type Join = (line: string, next: string, index: number) => { readonly dropped: number; readonly between: string };

const SPACED: Join = () => ({ dropped: 0, between: "\n" });
const UNBROKEN: Join = () => ({ dropped: 0, between: "" });
const DEHYPHENATED: Join = (line) =>
  /[\p{L}\p{N}][-\u00ad\u2010\u2011]\s*$/u.test(line)
    ? { dropped: line.length - line.search(/.\s*$/u), between: "" }
    : SPACED("", "", 0);
/** Addresses and numbers are broken at these characters, which stay. */
const AT_PUNCTUATION: Join = (line, next) =>
  /[-\u2010\u2011/@_=&?%+~#.]\s*$/u.test(line) || /^[@./?&=_]/.test(next)
    ? { dropped: line.length - line.trimEnd().length, between: "" }
    : SPACED("", "", 0);

/** Spaces beside a single character: a placed glyph can stand at a small distance from its word. */
const BESIDE_SINGLE = /(?<![^\s])\S (?=\S)|(?<=\S) \S(?![^\s])/gu;
/** Minimum length of a literal that is searched for among such characters. */
const LONG = 4;
/** Distance of glyphs that counts as a space, and difference of baselines on one line, in font sizes. */
const GAP = 0.2;
const SAME_LINE = 0.2;
/** Distance in font sizes that separates cells of a table, and what stands there: no expression joins cells by it. */
const WIDE_GAP = 1;
const APART = " \ufdd0 ";
/** Matches without any glyph that shows something. */
const INVISIBLE = /^[\s\ufdd0]*$/;
/** Size in points of glyphs that nobody sees between others. */
const TINY = 0.5;
/** Distance in points from the corner of a page that is too far for a mark. */
const FAR = 10_000_000;
const TOO_FAR = `A match is more than ${FAR / 1e6} million points from its page.`;
/** Letters with a space after each, as in headings with wide letter spacing. */
const LETTER_SPACED = /(?<![^\s])(?:\S ){2,200}\S(?![^\s])/gu;

/**
 * Returns the matches on a page, without those inside others, in the order of their first glyphs.
 * @throws EngineFailure `too-complex` if one is so far away that no mark can cover it
 */
export function findOnPage({ glyphs, others }: Pick<ReadPage, "glyphs" | "others">, finder: Finder): GlyphRange[] {
  const found = [...matchesOf(glyphs, finder), ...(others ? matchesOf(others, finder) : [])];
  found.sort((a, b) => a.first - b.first || b.last - a.last);
  for (const range of found) refuseFar(glyphs, range);
  let reached = -1;
  return found.filter(({ last }) => {
    const isNew = last > reached;
    reached = Math.max(reached, last);
    return isNew;
  });
}

/** Single-precision numbers of this size are too coarse for the sides of a mark. */
function refuseFar(glyphs: Glyphs, { first, last }: GlyphRange): void {
  for (let glyph = first; glyph <= last; glyph++) {
    if (glyphs.corners(glyph).every((one) => Math.abs(one) < FAR)) continue;
    throw new EngineFailure("too-complex", "a match is far from its page", { why: TOO_FAR });
  }
}

function matchesOf(glyphs: Glyphs, finder: Finder): GlyphRange[] {
  let found: GlyphRange[] = [];
  const searched: Searched[] = [];
  const look = (reading: Reading) => {
    const folded = fold(reading.text);
    if (searched.some((other) => areEqual(other, { reading, folded }))) return;
    searched.push({ reading, folded });
    found = found.concat(ranges(glyphs, reading, finder.findIn(folded)));
  };
  const lookForLiterals = (reading: Reading, minimum: number) => {
    const matches = finder.findLiterals(reading.text).filter(({ start, end }) => end - start >= minimum);
    found = found.concat(ranges(glyphs, reading, matches));
  };
  const lines = linesOf(glyphs);
  const spaced = read(lines, SPACED);
  look(spaced);
  look(read(lines, DEHYPHENATED));
  look(read(lines, AT_PUNCTUATION));
  look(without(spaced, LETTER_SPACED));
  look(withoutTiny(spaced, glyphs));
  if (finder.hasLiterals) {
    lookForLiterals(read(lines, UNBROKEN), 1);
    lookForLiterals(without(spaced, BESIDE_SINGLE), LONG);
  }
  for (const placed of inPlace(glyphs)) look(placed);
  if (finder.hasPresets) found = found.concat(longWords(glyphs, lines, finder, found));
  for (const drawn of drawnOrders(lines, glyphs)) {
    look(read(drawn, SPACED));
    look(read(drawn, DEHYPHENATED));
    if (finder.hasLiterals) lookForLiterals(read(drawn, UNBROKEN), 1);
  }
  return found;
}

/** Returns the matches of presets that a line end breaks without a hyphen or a space. */
function longWords(glyphs: Glyphs, lines: Lines, finder: Finder, found: readonly GlyphRange[]): GlyphRange[] {
  const ends = new Map(found.map((range) => [range.last, range]));
  const starts = new Set(found.map(({ first }) => first));
  const joined = read(lines, (_, __, line) =>
    (breaksWord(glyphs, line, ends, starts) ? UNBROKEN : SPACED)("", "", line),
  );
  return ranges(glyphs, joined, finder.findPresets(joined.text));
}

interface Searched {
  readonly reading: Reading;
  readonly folded: Folded;
}

/** Reports whether two readings have the same text and glyphs, but for the glyphs of spaces. */
function areEqual(one: Searched, other: Searched): boolean {
  const { text } = one.folded;
  if (text !== other.folded.text) return false;
  for (let unit = 0; unit < text.length; unit++) {
    if (glyphAt(one, unit) !== glyphAt(other, unit) && text.charCodeAt(unit) !== SPACE) return false;
  }
  return true;
}

const glyphAt = ({ reading, folded }: Searched, unit: number): number => reading.glyphs[folded.places[unit]!]!;

/** Returns one range for each run of consecutive glyphs, and those that a reading leaves out between them. */
function ranges({ codePoints }: Glyphs, reading: Reading, matches: readonly Match[]): GlyphRange[] {
  const { text, glyphs, isReordered } = reading;
  const visible = matches.filter(({ start, end }) => !INVISIBLE.test(text.slice(start, end)));
  if (!isReordered) return visible.map(({ start, end }) => ({ first: glyphs[start]!, last: glyphs[end - 1]! }));
  const runs: { first: number; last: number }[] = [];
  for (const { start, end } of visible) {
    const before = runs.length;
    for (const glyph of glyphs.slice(start, end).sort()) {
      const run = runs.at(-1);
      let next = (run?.last ?? 0) + 1;
      while (next < glyph && codePoints[next] === SPACE) next++;
      if (run && runs.length > before && glyph <= next) run.last = glyph;
      else runs.push({ first: glyph, last: glyph });
    }
  }
  return runs;
}

export function textOf(glyphs: Glyphs, { first, last }: GlyphRange): string {
  return String.fromCodePoint(...glyphs.codePoints.slice(first, Math.min(last + 1, first + 10_000)).map(valid));
}

/** The glyphs of a page as a text, line by line. */
interface Lines extends Reading {
  /** The glyph and the code unit at which each line starts. */
  readonly starts: readonly (readonly [glyph: number, unit: number])[];
}

function linesOf({ codePoints, lineStarts, count }: Glyphs): Lines {
  const text = new PlacedText(count);
  const starts: [number, number][] = [];
  let unit = 0;
  for (const [at, start] of lineStarts.entries()) {
    starts.push([start, unit]);
    const end = lineStarts[at + 1] ?? count;
    for (let from = start; from < end; from += CHUNK) {
      const part = codePoints.slice(from, Math.min(from + CHUNK, end)).map(valid);
      const characters = String.fromCodePoint(...part);
      if (characters.length === part.length) text.addRun(characters, from);
      else for (const [index, one] of part.entries()) text.add(String.fromCodePoint(one), from + index);
      unit += characters.length;
    }
  }
  return { text: text.text, glyphs: text.places, starts };
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Runs that MuPDF reverses, because most programs draw them in visual order: alone, and with what surrounds them. */
const REVERSED = [
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^\p{L}\n]{0,64}[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])*/gu,
  /[^A-Za-z\u00c0-\u058f\n]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc][^A-Za-z\u00c0-\u058f\n]*/gu,
];

/** Yields the lines with what is written from right to left in the order in which content shows it. */
function* drawnOrders(lines: Lines, places: Glyphs): Generator<Lines> {
  const { text, glyphs, starts } = lines;
  if (!RIGHT_TO_LEFT.test(text)) return;
  yield withLigatures(lines, places);
  for (const pattern of REVERSED) {
    const drawn = new PlacedText(text.length);
    for (const [at, [, from]] of starts.entries()) {
      const to = starts[at + 1]?.[1] ?? text.length;
      let done = from;
      for (const { 0: run, index } of text.slice(from, to).matchAll(pattern)) {
        drawn.addPart(text, glyphs, done, from + index);
        done = from + index + run.length;
        let unit = done;
        for (const one of [...run].reverse()) {
          unit -= one.length;
          drawn.add(one, glyphs[unit]!);
        }
      }
      drawn.addPart(text, glyphs, done, to);
    }
    yield { text: drawn.text, glyphs: drawn.places, starts, isReordered: true };
  }
}

const RIGHT_TO_LEFT_LETTER = /(?=[\u0590-\u08ff])\p{L}/u;

/**
 * Returns the lines with the letters of ligatures in their order: MuPDF reverses them, too. Only the first letter of a
 * ligature has a width.
 */
function withLigatures({ text, glyphs, starts }: Lines, places: Glyphs): Lines {
  const ordered = new PlacedText(text.length);
  const hasWidth = (unit: number) => {
    const [left, top, right, bottom] = places.corners(glyphs[unit]!) as unknown as [number, number, number, number];
    return Math.hypot(right - left, bottom - top) > 0;
  };
  let done = 0;
  for (let unit = 0; unit < text.length; unit++) {
    if (!RIGHT_TO_LEFT_LETTER.test(text[unit]!) || hasWidth(unit)) continue;
    let end = unit + 1;
    while (RIGHT_TO_LEFT_LETTER.test(text[end] ?? "") && !hasWidth(end)) end++;
    if (!RIGHT_TO_LEFT_LETTER.test(text[end] ?? "")) continue;
    ordered.addPart(text, glyphs, done, unit);
    for (let at = end; at >= unit; at--) ordered.add(text[at]!, glyphs[at]!);
    done = end + 1;
    unit = end;
  }
  ordered.addPart(text, glyphs, done, text.length);
  return { text: ordered.text, glyphs: ordered.places, starts, isReordered: true };
}

function read({ text, glyphs, starts, isReordered = false }: Lines, join: Join): Reading {
  const reading = new PlacedText(text.length + starts.length);
  for (const [at, [start, from]] of starts.entries()) {
    const to = starts[at + 1]?.[1] ?? text.length;
    const isLast = at + 1 === starts.length;
    const { dropped, between } = isLast
      ? NOTHING
      : join(text.slice(Math.max(from, to - TAIL), to), text.slice(to, to + 2), at);
    reading.addPart(text, glyphs, from, to - dropped);
    reading.add(between, Math.max(start, glyphs[to - dropped - 1] ?? start));
  }
  return { text: reading.text, glyphs: reading.places, isReordered };
}

const CHUNK = 1000;
/** Number of code units of a line by which it is joined with the next one. */
const TAIL = 8;

const NOTHING = { dropped: 0, between: "" } as const;
const valid = (codePoint: number): number => (codePoint >= 0 && codePoint <= 0x10ffff ? codePoint : 0xfffd);

/**
 * Reads the glyphs of horizontal and turned lines by their places, because content can show them in any order: with
 * spaces in all gaps, and, if there are wide gaps, with cells apart. Each line break ends the text of a line.
 */
function inPlace(glyphs: Glyphs): Reading[] {
  const { count, codePoints } = glyphs;
  const turns = new Int16Array(count);
  const [baselines, from, to] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const order: number[] = [];
  for (const [line, start] of glyphs.lineStarts.entries()) {
    const [dx, dy] = glyphs.directions[line]!;
    const turn = Math.round(Math.atan2(dy, dx) * 50);
    for (let glyph = start; glyph < (glyphs.lineStarts[line + 1] ?? count); glyph++) {
      if (codePoints[glyph] === SPACE) continue;
      const corners = glyphs.corners(glyph);
      const along = (at: number) => corners[at]! * dx + corners[at + 1]! * dy;
      const [x, y] = glyphs.origin(glyph);
      turns[glyph] = turn;
      baselines[glyph] = y * dx - x * dy;
      from[glyph] = Math.min(along(0), along(2), along(4), along(6));
      to[glyph] = Math.max(along(0), along(2), along(4), along(6));
      order.push(glyph);
    }
  }
  const sizeOf = (glyph: number) => Math.max(glyphs.size(glyph), 0.01);
  order.sort((a, b) => turns[a]! - turns[b]! || baselines[a]! - baselines[b]!);
  const [text, cells] = [new PlacedText(count), new PlacedText(count)];
  let hasCells = false;
  const addLine = (line: readonly number[]) => {
    for (const [at, glyph] of line.entries()) {
      const before = line[at - 1];
      const gap = before === undefined ? 0 : (from[glyph]! - to[before]!) / sizeOf(glyph);
      if (gap > GAP) text.add(" ", before!);
      if (gap > GAP) cells.add(gap > WIDE_GAP ? APART : " ", before!);
      hasCells ||= gap > WIDE_GAP;
      for (const one of [text, cells]) one.add(String.fromCodePoint(valid(codePoints[glyph]!)), glyph);
    }
    for (const one of [text, cells]) one.add("\n", line.at(-1)!);
  };
  for (let start = 0, end = 1; start < order.length; start = end++) {
    const isSameLine = (before: number, one: number) =>
      turns[before] === turns[one] && baselines[one]! - baselines[before]! < SAME_LINE * sizeOf(one);
    while (end < order.length && isSameLine(order[end - 1]!, order[end]!)) end++;
    addLine(order.slice(start, end).sort((a, b) => from[a]! - from[b]!));
  }
  return (hasCells ? [text, cells] : [text]).map((one) => ({ text: one.text, glyphs: one.places, isReordered: true }));
}

const SPACE = 0x20;

/** Removes the spaces in all that a pattern matches. */
function without({ text, glyphs }: Reading, pattern: RegExp): Reading {
  const kept = new PlacedText(text.length);
  let at = 0;
  for (const { 0: run, index } of text.matchAll(pattern)) {
    for (let inside = index; inside < index + run.length; inside++) {
      if (text[inside] !== " ") continue;
      kept.addPart(text, glyphs, at, inside);
      at = inside + 1;
    }
  }
  kept.addPart(text, glyphs, at, text.length);
  return { text: kept.text, glyphs: kept.places };
}

/** Removes the glyphs that nobody sees. */
function withoutTiny(reading: Reading, placed: Glyphs): Reading {
  const { text, glyphs } = reading;
  const kept = new PlacedText(text.length);
  let at = 0;
  for (let unit = 0; unit < text.length; unit++) {
    if (placed.size(glyphs[unit]!) >= TINY) continue;
    kept.addPart(text, glyphs, at, unit);
    at = unit + 1;
  }
  if (at === 0) return reading;
  kept.addPart(text, glyphs, at, text.length);
  return { text: kept.text, glyphs: kept.places };
}
