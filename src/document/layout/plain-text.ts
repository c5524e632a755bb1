// Writes blocks as plain text.
import { type Block, type Line, linesIn, type PlacedWord } from "./blocks.ts";

/** Writes the lines of a block as they are on the page. */
export const brokenText = (block: Block): string => linesIn(block).map(lineText).join("\n");

/** Writes a block as one line, with divided words joined. */
export const flowingText = (block: Block): string => (block.kind === "code" ? brokenText(block) : flow(linesIn(block)));

export const lineText = ({ words }: Line): string => spaced(words);

const spaced = (words: readonly PlacedWord[]): string =>
  words.map(({ text, isJoined }, at) => (at === 0 || isJoined ? text : ` ${text}`)).join("");

/** Joins lines, and the parts of a word that a line end divides. */
export function flow(lines: readonly Line[]): string {
  let text = "";
  for (const line of lines) text = joined(text, lineText(line));
  return text;
}

/** Scripts that are written without spaces. */
const UNSPACED = /[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\uff01-\uff60\u{20000}-\u{3ffff}]/u;

/** Joins the text of a line and that of the next one. */
export function joined(text: string, next: string): string {
  if (text === "") return next;
  if (/\p{L}[\u00ad\u2010-]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next;
  const isUnspaced = UNSPACED.test(text.at(-1)!) && UNSPACED.test(next[0] ?? "");
  return isUnspaced ? text + next : `${text} ${next}`;
}
