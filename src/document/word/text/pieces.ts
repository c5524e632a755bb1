// Makes pieces of text of lines: words with one look, joined over the ends of lines, with links, notes and tabs.
import type { RunLook, Tab } from "../../formats/docx/looks.ts";
import { runProperties } from "../../formats/docx/looks.ts";
import { xmlText } from "../../formats/docx/xml-text.ts";
import type { Line, PlacedWord } from "../../layout/lines/blocks.ts";
import type { Hyphens } from "../../layout/lines/hyphens.ts";
import { isBold } from "../../layout/lines/line.ts";
import { joint } from "../../layout/lines/plain-text.ts";
import { familyOf } from "./fonts.ts";
import { type Column, isRightToLeft } from "./measures.ts";
import { colorOf, type PageDrawing } from "./page-drawing.ts";

/** Text with one look, or the contents of a run. */
export interface Piece {
  readonly text: string;
  readonly look: RunLook;
  /** Address of a link, or `#` and a place in the document. */
  readonly link?: string | undefined;
  /** XML of a run's contents, instead of the text. */
  readonly xml?: string;
  /** Identifier of the style of a run. */
  readonly style?: string;
}

export interface PieceContext {
  readonly hyphens: Hyphens;
  readonly drawing: PageDrawing;
  /** Color around the whole text. @default none */
  readonly background?: string | undefined;
  /** Returns the reference to the footnote with a mark. */
  noteOf(mark: string): Piece | undefined;
}

/** Space between words from which it is a tab, in font sizes. */
const TAB = 2.2;
const DOTS = /^[.·…‥․]{3,}$/;
const ENDS_WITH_DOTS = /^(.*?[^.·…\s])[.·…]{4,}$/;
/** Heights beside the baseline, in font sizes, of lines under words and through them. */
const UNDER = [-0.32, -0.02] as const;
const THROUGH = [0.15, 0.42] as const;
/** Height of letters, in font sizes. */
const RISE = 0.5;
/** Maximum height of an area behind words, in font sizes. */
const HIGHEST = 2.5;
const BLACK = "000000";

/** Returns the pieces of lines. @param size font size of most of the text */
export function piecesOf(lines: readonly Line[], size: number, context: PieceContext): readonly Piece[] {
  let pieces: readonly Piece[] = [];
  for (const line of lines) {
    const own = line.words.map((word, at): readonly Piece[] => {
      const piece = pieceOf(word, size, context);
      return at === 0 || word.isJoined || isReference(piece) ? [piece] : [spaceBefore(piece), piece];
    });
    pieces = joinedPieces(pieces, merged(own.flat()), context.hyphens);
  }
  return pieces;
}

const isReference = ({ style }: Piece): boolean => style === "FootnoteReference";

const spaceBefore = ({ look, link }: Piece): Piece => ({ text: " ", look: { ...look, position: undefined }, link });

function pieceOf(word: PlacedWord, size: number, context: PieceContext): Piece {
  const { noteOf } = context;
  const { text, link, position } = word;
  const note = position === "superscript" ? noteOf(text) : undefined;
  if (note) return note;
  return { text, look: lookOf(word, size, context), ...(link === undefined ? {} : { link }) };
}

export function lookOf(
  { style, size: own, text, position, corners, origin }: PlacedWord,
  size: number,
  { drawing, background }: Pick<PieceContext, "drawing" | "background">,
): RunLook {
  const color = colorOf(style.argb);
  const [left, right] = [Math.min(corners[0]!, corners[2]!), Math.max(corners[0]!, corners[2]!)];
  const fill = drawing.fillAround([left, origin[1], right, origin[1] + RISE * own], HIGHEST * own);
  const isMarked = ([low, high]: readonly [number, number]) =>
    drawing.lineAcross(left, right, origin[1] + low * own, origin[1] + high * own) !== undefined;
  return {
    font: familyOf(style.fontName),
    size: Math.round((position === undefined ? own : size) * 2) / 2,
    isBold: isBold(style),
    isItalic: style.isItalic,
    isUnderlined: isMarked(UNDER),
    isStruck: isMarked(THROUGH),
    color: color === BLACK ? undefined : color,
    fill: fill === background ? undefined : fill,
    position,
    isRightToLeft: isRightToLeft(text),
  };
}

const KEYS = [
  "font",
  "size",
  "isBold",
  "isItalic",
  "isUnderlined",
  "isStruck",
  "color",
  "fill",
  "position",
  "isRightToLeft",
] as const;

const isSame = (one: Piece, other: Piece): boolean =>
  one.xml === undefined &&
  other.xml === undefined &&
  one.link === other.link &&
  KEYS.every((key) => one.look[key] === other.look[key]);

/** Joins neighbors with one look. Spaces belong to the text before them. */
function merged(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    const isSpace =
      piece.text === " " && piece.xml === undefined && last?.xml === undefined && last?.link === piece.link;
    if (last && (isSame(last, piece) || isSpace)) all[all.length - 1] = { ...last, text: last.text + piece.text };
    else all.push(piece);
  }
  return all;
}

/** Joins the pieces of two lines, and a word that a hyphen divides. */
export function joinedPieces(before: readonly Piece[], after: readonly Piece[], hyphens: Hyphens): readonly Piece[] {
  if (before.length === 0 || after.length === 0) return before.length === 0 ? after : before;
  const last = before.at(-1)!;
  const { dropped, between } = joint(textEnd(before), after[0]!.text, hyphens);
  const end = { ...last, text: last.text.slice(0, last.text.length - dropped) };
  const space =
    last.xml === undefined
      ? [{ ...end, text: end.text + between }]
      : [end, { ...spaceBefore(after[0]!), text: between }];
  return merged([...before.slice(0, -1), ...space, ...after]);
}

const END = 50;
const textEnd = (pieces: readonly Piece[]): string =>
  pieces
    .slice(-END)
    .map(({ text }) => text)
    .join("");

/** Writes pieces as runs. @param style the look of the paragraph's style @param linkId identifies the target of a link */
export function runsXml(
  pieces: readonly Piece[],
  style: RunLook,
  linkId: (link: string) => string | undefined,
): string {
  let xml = "";
  for (let from = 0, to = 1; from < pieces.length; from = to++) {
    const { link } = pieces[from]!;
    while (to < pieces.length && pieces[to]!.link === link) to++;
    const inside = pieces
      .slice(from, to)
      .map((piece) => runXml(piece, style))
      .join("");
    const target = link === undefined ? undefined : linkId(link);
    xml += target === undefined ? inside : `<w:hyperlink ${target} w:history="1">${inside}</w:hyperlink>`;
  }
  return xml;
}

function runXml({ text, look, xml, style }: Piece, own: RunLook): string {
  const properties = runProperties(style === undefined ? different(look, own) : look, style);
  const content = xml ?? (text === "" ? "" : `<w:t xml:space="preserve">${xmlText(text)}</w:t>`);
  return content === "" ? "" : `<w:r>${properties}${content}</w:r>`;
}

/** Returns what a look has otherwise than a style. */
function different(look: RunLook, style: RunLook): RunLook {
  const rest: Record<string, unknown> = {};
  for (const key of KEYS) {
    if (look[key] === style[key] || (!look[key] && !style[key])) continue;
    // Pictures and tabs have neither.
    if (look[key] === undefined && (key === "font" || key === "size")) continue;
    rest[key] = look[key] ?? (key === "color" ? "auto" : false);
  }
  return rest as RunLook;
}

/** A line whose wide spaces are tabs. */
export interface TabbedLine {
  readonly pieces: readonly Piece[];
  readonly tabs: readonly Tab[];
}

/** Maximum number of lines of which one has tabs. */
const MAX_TABBED = 12;

/**
 * Finds the wide spaces and dots between words of lines, which then end where they do on the page.
 * @returns undefined if there are none; with the indents of the paragraph if it has several lines
 */
export function tabbedLines(
  lines: readonly Line[],
  column: Column,
  size: number,
  context: PieceContext,
): (TabbedLine & { readonly indents?: { readonly start: number; readonly first: number } }) | undefined {
  const found = lines.map((line) => (line.words.length > 1 ? tabbedLine(line, column, size, context) : undefined));
  if (lines.length === 1 || lines.length > MAX_TABBED || found.every((one) => one === undefined)) return found[0];
  const left = Math.min(...lines.map(({ box }) => box[0]));
  const tabs = new Map<number, Tab>();
  const indentOf = ({ box }: Line) => (box[0] > left + size ? Math.round(box[0] - column.left) : 0);
  for (const [at, line] of lines.entries()) {
    for (const tab of found[at]?.tabs ?? []) tabs.set(Math.round(tab.at), tab);
    const indent = indentOf(line);
    if (indent > 0 && !tabs.has(indent)) tabs.set(indent, { at: indent, align: "left" });
  }
  const sorted = [...tabs.values()].sort((one, other) => one.at - other.at);
  const pieces = lines.flatMap((line, at): readonly Piece[] => {
    const own = found[at]?.pieces ?? piecesOf([line], size, context);
    const { look } = own[0]!;
    const before = sorted.filter((tab) => tab.at < indentOf(line) + 1).map(() => "<w:tab/>");
    return [...(at > 0 ? ["<w:br/>"] : []), ...before].map((xml): Piece => ({ text: "", look, xml })).concat(own);
  });
  return { pieces, tabs: sorted, indents: { start: left - column.left, first: 0 } };
}

/** Finds the wide spaces and dots between words of a line. @returns undefined if there are none */
function tabbedLine(line: Line, column: Column, size: number, context: PieceContext): TabbedLine | undefined {
  const [tabs, pieces]: [Tab[], Piece[]] = [[], []];
  let [end, hasDots] = [line.box[0], false];
  const words = line.words.flatMap(withoutDots);
  if (isRightToLeft(words.map(({ text }) => text).join(""))) return undefined;
  for (const [at, word] of words.entries()) {
    if (DOTS.test(word.text)) {
      hasDots = true;
      continue;
    }
    const [left, right] = [word.corners[0]!, word.corners[2]!];
    const piece = pieceOf(word, size, context);
    if (at > 0 && (hasDots || left - end > TAB * size)) {
      const isLast = column.right - words.at(-1)!.corners[2]! < 2 * size && words.length - at < 4;
      const place = isLast ? words.at(-1)!.corners[2]! : left;
      tabs.push({ at: place - column.left, align: isLast ? "right" : "left", ...(hasDots ? { leader: "dot" } : {}) });
      pieces.push({ text: "", look: piece.look, xml: "<w:tab/>" });
    } else if (pieces.length > 0 && !word.isJoined && !isReference(piece)) pieces.push(spaceBefore(piece));
    pieces.push(piece);
    [end, hasDots] = [right, false];
  }
  return tabs.length > 0 ? { pieces: merged(pieces), tabs } : undefined;
}

/** Divides a word from the dots after it. */
function withoutDots(word: PlacedWord): readonly PlacedWord[] {
  const [, text] = ENDS_WITH_DOTS.exec(word.text) ?? [];
  return text === undefined
    ? [word]
    : [
        { ...word, text },
        { ...word, text: "....", isJoined: false },
      ];
}
