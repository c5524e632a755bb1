// The text of a page as data: lines of words with their places and styles, and the shapes and links around them.
import { markedPage } from "../../content/marked-page.ts";
import type { Box } from "../../content/matrix.ts";
import { type GlyphStyle, type Glyphs, STYLED, TAGGED } from "../../engines/mupdf/glyphs.ts";
import type { MupdfPage } from "../../engines/mupdf/page.ts";
import type { StructureNode } from "../../engines/mupdf/structure/document-structure.ts";
import type { OutlineItem } from "../../engines/mupdf/structure/outline.ts";

/** All places are in points from the lower left corner of the page as viewers show it, with y upwards. */
export interface PageText {
  /** Page number, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** In the order of the page contents. */
  readonly lines: readonly TextLine[];
  readonly shapes: readonly PageShape[];
  readonly links: readonly { readonly uri: string; readonly box: Box }[];
  /** The elements of a tagged page; undefined if they do not contain almost all of its text. */
  readonly structure?: StructureNode;
  /** The items of the outline that lead to the page. @default none */
  readonly bookmarks?: readonly OutlineItem[] | undefined;
}

/** Words on one baseline without a wide gap between them. */
export interface TextLine {
  readonly words: readonly Word[];
  /** Direction of the baseline: a unit vector. */
  readonly direction: readonly [x: number, y: number];
  /** Identifier of the marked content in the structure of the page. @default none */
  readonly content?: number;
}

export interface Word {
  readonly text: string;
  /** Upper left, upper right, lower left and lower right corner along the baseline: x and y of each. */
  readonly corners: readonly number[];
  /** Start of the baseline. */
  readonly origin: readonly [x: number, y: number];
  /** Font size in points. */
  readonly size: number;
  /** Style of its first character. */
  readonly style: GlyphStyle;
  /** True if the word follows the word before it without a space, because its style differs. */
  readonly isJoined: boolean;
}

export interface PageShape {
  readonly kind: "image" | "path";
  readonly box: Box;
  readonly argb: number;
  readonly isStroked: boolean;
  /** Identifier of the marked content in the structure of the page. @default none */
  readonly content?: number;
}

/** Distance of words that are drawn twice, in font sizes. */
const SAME_PLACE = 0.15;
/** Maximum number of places that are remembered for one text. */
const MAX_PLACES = 500;

/** Part of the height of a page at either edge where text is often no content: page numbers, running heads. */
export const PAGE_MARGIN = 0.14;
/** Part of the other text that the tags of a page must contain. */
const TAGGED_PART = 0.9;

/** @param number page number, from 1 */
export function readPageText(page: MupdfPage, number: number): PageText {
  const structure = page.structure(markedPage);
  if (structure) {
    const glyphs = page.glyphs(TAGGED);
    if (areTagged(glyphs, contentsOf(structure), page)) return { ...pageText(page, number, glyphs), structure };
    page.forgetStructure();
  }
  return pageText(page, number, page.glyphs(STYLED));
}

function pageText(page: MupdfPage, number: number, glyphs: Glyphs): PageText {
  const place = new Placement(page);
  const shapes = glyphs.shapes.map(({ bounds, ...shape }) => ({ ...shape, box: place.box(bounds) }));
  const links = page.links().map(({ uri, bounds }) => ({ uri, box: place.box(bounds) }));
  const { width, height } = page;
  return { number, width, height, lines: linesOf(glyphs, place), shapes, links };
}

/** Returns the identifiers of the marked content of an element and its descendants. */
function contentsOf(root: StructureNode): ReadonlySet<number> {
  const contents = new Set<number>();
  const waiting: (StructureNode | number)[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "number") contents.add(next);
    else for (const kid of next.kids) waiting.push(kid);
  }
  return contents;
}

/** Reports whether almost all glyphs of the page contents belong to marked content of the structure. */
function areTagged(glyphs: Glyphs, contents: ReadonlySet<number>, page: MupdfPage): boolean {
  let [inside, outside] = [0, 0];
  const place = new Placement(page);
  for (const [line, first] of glyphs.lineStarts.entries()) {
    if (first >= glyphs.contentCount) break;
    const content = glyphs.contents[line];
    const count = (glyphs.lineStarts[line + 1] ?? glyphs.contentCount) - first;
    const [, y] = place.point(...glyphs.origin(first));
    if (content !== undefined && contents.has(content)) inside += count;
    else if (y > page.height * PAGE_MARGIN && y < page.height * (1 - PAGE_MARGIN)) outside += count;
  }
  return inside > 0 && inside >= TAGGED_PART * (inside + outside);
}

/** Maps the space of glyphs to that of {@link PageText}. */
class Placement {
  readonly #left: number;
  readonly #bottom: number;
  readonly #width: number;
  readonly #height: number;

  constructor({ origin, width, height }: Pick<MupdfPage, "origin" | "width" | "height">) {
    this.#left = origin[0];
    this.#bottom = origin[1] + height;
    this.#width = width;
    this.#height = height;
  }

  point(x: number, y: number): [x: number, y: number] {
    return [x - this.#left, this.#bottom - y];
  }

  box([left, top, right, bottom]: readonly [number, number, number, number]): Box {
    return [...this.point(left, bottom), ...this.point(right, top)];
  }

  /** Reports whether the middle of a glyph is on the page. */
  isOnPage(glyphs: Glyphs, glyph: number): boolean {
    const x = (glyphs.cornerPart(glyph, 0) + glyphs.cornerPart(glyph, 6)) / 2 - this.#left;
    const y = this.#bottom - (glyphs.cornerPart(glyph, 1) + glyphs.cornerPart(glyph, 7)) / 2;
    return x >= 0 && y >= 0 && x <= this.#width && y <= this.#height;
  }
}

function linesOf(glyphs: Glyphs, place: Placement): readonly TextLine[] {
  const lines: TextLine[] = [];
  const drawn = new DrawnWords();
  for (const [line, first] of glyphs.lineStarts.entries()) {
    const [dx, dy] = glyphs.directions[line]!;
    const found = wordsOf(glyphs, first, glyphs.lineStarts[line + 1] ?? glyphs.count, place);
    const words = inReadingOrder(
      found.filter((word) => drawn.add(word)),
      [dx, -dy],
    );
    const content = glyphs.contents[line];
    const [start, ...others] = words;
    if (!start) continue;
    const isJoined = content !== undefined && first > 0 && !isBlank(glyphs, first) && touches(glyphs, first);
    const joined = isJoined ? [{ ...start, isJoined }, ...others] : words;
    lines.push({ words: joined, direction: [dx, -dy], ...(content === undefined ? {} : { content }) });
  }
  return lines;
}

/** Space between glyphs from which they are of two words, in font sizes. */
const SMALL_SPACE = 0.1;
/** Maximum distance of the baselines of parts of a word, in font sizes. */
const RISEN = 0.6;

/** Reports whether a glyph starts where the glyph before ends, because only the marked content changes. */
function touches(glyphs: Glyphs, glyph: number): boolean {
  if (isBlank(glyphs, glyph - 1)) return false;
  const right = glyphs.corners(glyph - 1)[6]!;
  const left = glyphs.corners(glyph)[4]!;
  const size = Math.max(glyphs.size(glyph), glyphs.size(glyph - 1));
  // Small numbers above the line are parts of words, too.
  const rise = Math.abs(glyphs.origin(glyph)[1] - glyphs.origin(glyph - 1)[1]);
  return Math.abs(left - right) < SMALL_SPACE * size && rise < RISEN * size;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

/** Returns words from right to left, if most are of such a script, but are drawn from left to right. */
function inReadingOrder(words: readonly Word[], [dx, dy]: TextLine["direction"]): readonly Word[] {
  const isLeftward = words.map(({ text }) => RIGHT_TO_LEFT.test(text));
  if (isLeftward.filter(Boolean).length * 2 <= words.length) return words;
  const places = words.map(({ origin: [x, y] }) => x * dx + y * dy);
  const steps = places
    .slice(1)
    .flatMap((at, index) => (isLeftward[index] && isLeftward[index + 1] ? [at - places[index]!] : []));
  if (steps.filter((step) => step > 0).length * 2 <= steps.length) return words;
  // Numbers and words of other scripts run to the right between them.
  const order: number[] = [];
  for (let end = words.length, start = end; end > 0; end = start) {
    start = end - 1;
    while (!isLeftward[end - 1] && start > 0 && !isLeftward[start - 1]) start--;
    for (let index = start; index < end; index++) order.push(index);
  }
  return order.map((index, at) => {
    const before = order[at - 1] ?? Number.NaN;
    return { ...words[index]!, isJoined: Math.abs(index - before) === 1 && words[Math.max(index, before)]!.isJoined };
  });
}

/** Finds words that are drawn again at almost the same place, to look bold or to cast a shadow. */
class DrawnWords {
  readonly #places = new Map<string, (readonly [x: number, y: number])[]>();

  /** @returns false if the word is drawn again */
  add({ text, origin: [x, y], size }: Word): boolean {
    const places = this.#places.get(text) ?? [];
    if (places.length === 0) this.#places.set(text, places);
    const isAgain = places.some(
      (one) => Math.abs(one[0] - x) < SAME_PLACE * size && Math.abs(one[1] - y) < SAME_PLACE * size,
    );
    if (!isAgain && places.length < MAX_PLACES) places.push([x, y]);
    return !isAgain;
  }
}

function wordsOf(glyphs: Glyphs, first: number, end: number, place: Placement): readonly Word[] {
  const words: Word[] = [];
  const starts = startsAfterSpace(glyphs, first, end);
  for (let from = first, to = first; from < end; from = to) {
    while (from < end && isBlank(glyphs, from)) from++;
    for (to = from; to < end && !isBlank(glyphs, to) && belongs(glyphs, from, to); ) if (starts.has(++to)) break;
    if (from === to) continue;
    const isJoined = from > first && words.length > 0 && !isBlank(glyphs, from - 1) && !starts.has(from);
    const word = wordOf(glyphs, from, to, place, isJoined);
    if (word) words.push(word);
  }
  return words;
}

const NONE: ReadonlySet<number> = new Set();

/**
 * Returns the glyphs of a line that follow a small space, where MuPDF sees none. In spaced letters, the space between
 * words is wider than that between most letters.
 */
function startsAfterSpace(glyphs: Glyphs, first: number, end: number): ReadonlySet<number> {
  const far: number[] = [];
  for (let glyph = first + 1; glyph < end; glyph++) if (spaceBefore(glyphs, glyph) >= SMALL_SPACE) far.push(glyph);
  if (far.length === 0) return NONE;
  const spaces: number[] = [];
  for (let glyph = first + 1; glyph < end; glyph++) {
    if (!isBlank(glyphs, glyph) && !isBlank(glyphs, glyph - 1)) spaces.push(spaceBefore(glyphs, glyph));
  }
  const usual = Math.max(0, spaces.sort((a, b) => a - b)[Math.floor(spaces.length / 2)]!);
  return new Set(far.filter((glyph) => spaceBefore(glyphs, glyph) >= usual + SMALL_SPACE));
}

/** Returns the space between two glyphs of a word along its direction, in font sizes; 0 beside blanks. */
function spaceBefore(glyphs: Glyphs, glyph: number): number {
  if (isBlank(glyphs, glyph) || isBlank(glyphs, glyph - 1)) return 0;
  const part = (at: number) => glyphs.cornerPart(glyph - 1, at);
  const dx = part(2) - part(0);
  const dy = part(3) - part(1);
  const x = glyphs.cornerPart(glyph, 4) - part(6);
  const y = glyphs.cornerPart(glyph, 5) - part(7);
  return (x * dx + y * dy) / (Math.hypot(dx, dy) * glyphs.size(glyph) || 1);
}

/** Reports whether a glyph has the style of the first glyph of a word. */
const belongs = (glyphs: Glyphs, first: number, glyph: number): boolean =>
  glyphs.styleOf[first] === glyphs.styleOf[glyph] && Math.abs(glyphs.size(first) - glyphs.size(glyph)) < 0.1;

const isBlank = ({ codePoints }: Glyphs, glyph: number): boolean => BLANK.has(codePoints[glyph]!);
const BLANK: ReadonlySet<number> = new Set([
  ...[0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...Array.from({ length: 11 }, (_, at) => 0x2000 + at),
]);

/** @returns undefined if no glyph is on the page */
function wordOf(glyphs: Glyphs, from: number, to: number, place: Placement, isJoined: boolean): Word | undefined {
  const shown: number[] = [];
  for (let glyph = from; glyph < to; glyph++) if (place.isOnPage(glyphs, glyph)) shown.push(glyph);
  if (shown.length === 0) return undefined;
  let text = "";
  for (const glyph of shown) text += String.fromCodePoint(valid(glyphs.codePoints[glyph]!));
  return {
    text: text.normalize("NFC"),
    isJoined,
    style: glyphs.styles[glyphs.styleOf[from]!]!,
    size: glyphs.size(from),
    origin: place.point(...glyphs.origin(shown[0]!)),
    corners: cornersOf(glyphs, shown, place),
  };
}

const UNKNOWN = 0xfffd;
const valid = (code: number): number => (code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? UNKNOWN : code);

/** Returns the quadrilateral around glyphs, along the baseline of the first of them. */
function cornersOf(glyphs: Glyphs, shown: readonly number[], place: Placement): number[] {
  const [ulx, uly, urx, ury] = glyphs.corners(shown[0]!);
  const length = Math.hypot(urx! - ulx!, ury! - uly!) || 1;
  const [dx, dy] = [(urx! - ulx!) / length, (ury! - uly!) / length];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const glyph of shown) {
    for (let at = 0; at < 8; at += 2) {
      const x = glyphs.cornerPart(glyph, at);
      const y = glyphs.cornerPart(glyph, at + 1);
      const along = x * dx + y * dy;
      const across = y * dx - x * dy;
      if (along < left) left = along;
      if (along > right) right = along;
      if (across < top) top = across;
      if (across > bottom) bottom = across;
    }
  }
  const corner = (along: number, across: number) => place.point(along * dx - across * dy, along * dy + across * dx);
  return [...corner(left, top), ...corner(right, top), ...corner(left, bottom), ...corner(right, bottom)];
}
