// Writes blocks as plain text.
import { type Block, type Cell, type Line, linesIn, type PlacedWord, type TableBlock } from "./blocks.ts";
import type { Hyphens } from "./hyphens.ts";

/** Writes the lines of a block as they are on the page. */
export const brokenText = (block: Block): string => linesIn(block).map(lineText).join("\n");

/** Writes a block with its lines joined, and so are divided words; code as it is; a table with tabs between cells. */
export function flowingText(block: Block, hyphens: Hyphens): string {
  if (block.kind === "table") return tableText(block, hyphens);
  return block.kind === "code" ? brokenText(block) : flow(linesIn(block), hyphens);
}

const tableText = ({ rows }: TableBlock, hyphens: Hyphens): string =>
  rows
    .map((row) =>
      row
        .map(({ lines }: Cell) => flow(lines, hyphens))
        .join("\t")
        .trimEnd(),
    )
    .filter((row) => row !== "")
    .join("\n");

export const lineText = ({ words }: Line): string => textOfWords(words);

export const textOfWords = (words: readonly PlacedWord[]): string =>
  words.map(({ text, isJoined }, at) => (at === 0 || isJoined ? text : ` ${text}`)).join("");

/** Writes lines as one, with divided words joined. */
export function flow(lines: readonly Line[], hyphens: Hyphens): string {
  const parts: string[] = [];
  // The end of the text so far, because the whole text would be copied for each line.
  let end = "";
  for (const line of lines) {
    const text = lineText(line);
    const { dropped, between } = joint(end, text, hyphens);
    // The hyphen is the last character of the last line with text.
    if (dropped > 0) parts.push(parts.pop()!.slice(0, -dropped));
    end = (end.slice(0, end.length - dropped) + between + text).slice(-END);
    if (text !== "") parts.push(between + text);
  }
  return parts.join("");
}
/** Maximum number of characters before the end of a line that decide how the next one is joined. */
const END = 500;

/** Scripts that are written without spaces. */
const UNSPACED = /[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\uff01-\uff60\u{20000}-\u{3ffff}]/u;

/** Returns what stands between a line and the next one, and the number of characters at its end that it replaces. */
export function joint(
  line: string,
  next: string,
  hyphens: Hyphens,
): { readonly dropped: number; readonly between: string } {
  if (line === "" || next === "") return { dropped: 0, between: "" };
  if (hyphens.divides(line, next)) return { dropped: 1, between: "" };
  const isUnspaced =
    UNSPACED.test(Array.from(line.slice(-2)).at(-1)!) && UNSPACED.test(Array.from(next.slice(0, 2))[0]!);
  const isBroken = /\p{L}[\u2010-]$/u.test(line) && /^\p{L}/u.test(next);
  return { dropped: 0, between: isUnspaced || isBroken ? "" : " " };
}
