// Writes blocks as JSON: their kinds, places and text, the cells of tables, and links.
import type { Box } from "../content/matrix.ts";
import type { JsonSchema } from "../contract/parameter.ts";
import { type Block, type Line, linesIn, type PageLayout, type PlacedWord, type TableBlock } from "./lines/blocks.ts";
import type { Hyphens } from "./lines/hyphens.ts";
import { flow, lineText, textOfWords } from "./lines/plain-text.ts";
import { boxOfWords } from "./lines/segments.ts";

const COUNT: JsonSchema = { type: "integer", minimum: 1 };
const INDEX: JsonSchema = { type: "integer", minimum: 0 };
const TEXT: JsonSchema = { type: "string" };
/** Left, bottom, right and top in points from the lower left corner of the page as viewers show it. */
const BOX: JsonSchema = { type: "array", items: { type: "number" }, minItems: 4, maxItems: 4 };

const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const objectOf = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema => ({
  ...{ type: "object", properties },
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const KINDS = ["heading", "paragraph", "item", "code", "caption", "footnote", "running", "table", "figure"] as const;
const CELL = objectOf({ row: INDEX, column: INDEX, rowSpan: COUNT, columnSpan: COUNT, box: BOX, text: TEXT }, ["box"]);
const BLOCK = objectOf(
  {
    ...{ kind: { type: "string", enum: KINDS satisfies readonly Block["kind"][] }, box: BOX },
    ...{ level: COUNT, marker: TEXT, size: { type: "number" }, text: TEXT },
    lines: listOf(objectOf({ box: BOX, text: TEXT })),
    links: listOf(objectOf({ uri: TEXT, box: BOX, text: TEXT })),
    ...{ rowCount: COUNT, columnCount: COUNT, headerRows: INDEX, cells: listOf(CELL), alternateText: TEXT },
  },
  [
    "alternateText",
    "level",
    "marker",
    "size",
    "text",
    "lines",
    "links",
    "rowCount",
    "columnCount",
    "headerRows",
    "cells",
  ],
);

export const PAGE_SCHEMA = objectOf({
  ...{ page: COUNT, width: { type: "number" }, height: { type: "number" }, blocks: listOf(BLOCK) },
});

export const pageJson = ({ number, width, height, blocks }: PageLayout, hyphens: Hyphens): string =>
  JSON.stringify({
    ...{ page: number, width: rounded(width), height: rounded(height) },
    blocks: blocks.map((block) => blockOf(block, hyphens)),
  });

function blockOf(block: Block, hyphens: Hyphens) {
  const { kind } = block;
  const box = boxOf(block.box);
  if (block.kind === "figure") {
    const { alternateText } = block;
    return { kind, box, ...(alternateText === undefined ? {} : { alternateText }) };
  }
  const found = linksIn(linesIn(block));
  const links = found.length > 0 ? { links: found } : {};
  if (block.kind === "table") return { kind, box, ...tableOf(block, hyphens), ...links };
  const { level, marker, size, lines } = block;
  return {
    ...{ kind, box, size: rounded(size) },
    ...(level === undefined ? {} : { level }),
    ...(marker === undefined ? {} : { marker }),
    text:
      block.kind === "code" ? lines.map(lineText).join("\n") : flow(withoutMarker(lines, block.markerWords), hyphens),
    lines: lines.map((line) => ({ box: boxOf(line.box), text: lineText(line) })),
    ...links,
  };
}

function withoutMarker(lines: readonly Line[], count = 0): readonly Line[] {
  const [first, ...others] = lines;
  return first ? [{ ...first, words: first.words.slice(count) }, ...others] : [];
}

const tableOf = ({ rows, columnCount, headerRows }: TableBlock, hyphens: Hyphens) => ({
  ...{ rowCount: rows.length, columnCount, headerRows },
  cells: rows.flatMap((row, at) =>
    row.map(({ column, rowSpan, columnSpan, lines }) => ({
      ...{ row: at, column, rowSpan, columnSpan },
      ...(lines.length > 0 ? { box: boxOf(boxOfWords(lines.flatMap(({ words }) => words))) } : {}),
      text: flow(lines, hyphens),
    })),
  ),
});

/** Returns the links, each with the words after each other that have it. */
function linksIn(lines: readonly Line[]) {
  const runs: { readonly uri: string; readonly words: PlacedWord[] }[] = [];
  let last: string | undefined;
  for (const word of lines.flatMap(({ words }) => words)) {
    if (word.link !== undefined && word.link === last) runs.at(-1)!.words.push(word);
    else if (word.link !== undefined) runs.push({ uri: word.link, words: [word] });
    last = word.link;
  }
  return runs.map(({ uri, words }) => ({ uri, box: boxOf(boxOfWords(words)), text: textOfWords(words) }));
}

const boxOf = (box: Box): readonly number[] => box.map(rounded);
const rounded = (points: number): number => Math.round(points * 100) / 100;
