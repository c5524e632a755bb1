// Divides a page into blocks in reading order.

import { type Block, isTextBlock, type PageLayout } from "./lines/blocks.ts";
import { Dots } from "./lines/bullets.ts";
import { framesOf } from "./lines/frames.ts";
import type { LineContext } from "./lines/line.ts";
import { Links } from "./lines/links.ts";
import { PAGE_MARGIN, type PageText } from "./lines/page-text.ts";
import { paragraphsOf, pitchesOf, type Row, rowOf } from "./lines/paragraphs.ts";
import { joinPieces, piecesOf, rowsOf, SMALL_CELL_SPACE } from "./lines/rows.ts";
import { boxInFrame, type Extent, type Frame, type Segment } from "./lines/segments.ts";
import { type Atom, readingOrder } from "./reading-order.ts";
import { alignedTables } from "./tables/aligned.ts";
import { bandedGrids } from "./tables/banded.ts";
import { type Edge, edgesOf, withoutUnderlines } from "./tables/edges.ts";
import { headedGrids } from "./tables/headed.ts";
import { gridsOf } from "./tables/ruled.ts";
import { alignedTable, takeRuledTables } from "./tables/table-blocks.ts";
import { areSane } from "./tags/sane-tags.ts";
import { taggedBlocks } from "./tags/tagged-blocks.ts";
import { TaggedText } from "./tags/tagged-text.ts";

/** Minimum length of a rule between rows, in points. */
const RULE_LENGTH = 24;
/** Minimum side of a figure in points, and part of the page that a background covers. */
const FIGURE = 24;
const BACKGROUND = 0.7;

const NO_TEXT: Frame = { direction: [1, 0], segments: [] };

/** Text, or a block that is not divided. */
type Part = { readonly segment: Segment } | { readonly block: Block };
type PageAtom = Atom & Part;

/** Returns the blocks of a page: by its tags, if it has sane ones, else by the places of its text. */
export function layoutOf(page: PageText): PageLayout {
  const { bookmarks } = page;
  return { ...(taggedLayoutOf(page) ?? geometricLayoutOf(page)), ...(bookmarks ? { bookmarks } : {}) };
}

/** @returns undefined if the page has no tags, or they do not describe what it shows */
function taggedLayoutOf(page: PageText): PageLayout | undefined {
  if (!page.structure) return undefined;
  const text = new TaggedText(page);
  const tagged = taggedBlocks(page.structure, text);
  if (!areSane(tagged, text)) return undefined;
  const images = page.shapes.filter(({ kind, content }) => kind === "image" && content === undefined);
  const rest = geometricLayoutOf({ ...page, lines: text.rest, shapes: images });
  return { ...rest, blocks: withUntagged(tagged, rest) };
}

/** Returns the blocks of a page by their places. Text in other directions than most follows the rest. */
function geometricLayoutOf(page: PageText): PageLayout {
  const { number, width, height } = page;
  const frames = framesOf(page.lines);
  const figures = figuresOf(page);
  const [main = NO_TEXT, ...others] = frames;
  const links = new Links(page.links);
  const blocks = [
    ...blocksOf(main, page, figures, links),
    ...others.flatMap((frame) => blocksOf(frame, page, [], links)),
  ];
  return { number, width, height, blocks };
}

/** Adds the untagged blocks of a page: those at its edges are no content, others follow what is above them. */
function withUntagged(tagged: readonly Block[], { blocks, height }: PageLayout): readonly Block[] {
  const all = [...tagged];
  for (const block of blocks) {
    const middle = (block.box[1] + block.box[3]) / 2;
    const isAtEdge = middle < height * PAGE_MARGIN || middle > height * (1 - PAGE_MARGIN);
    const added: Block = isTextBlock(block) && isAtEdge ? { ...block, kind: "running" } : block;
    all.splice(all.findLastIndex(({ box }) => box[1] > middle) + 1, 0, added);
  }
  return all;
}

/** Returns the images on a page, without backgrounds and scans. */
function figuresOf({ shapes, width, height }: PageText): readonly Block[] {
  return shapes.flatMap(({ kind, box }): readonly Block[] => {
    const [wide, high] = [box[2] - box[0], box[3] - box[1]];
    if (kind !== "image" || wide < FIGURE || high < FIGURE || wide * high > BACKGROUND * width * height) return [];
    return [{ kind: "figure", box }];
  });
}

function blocksOf(
  { segments, direction }: Frame,
  page: PageText,
  figures: readonly Block[],
  links: Links,
): readonly Block[] {
  const shapes = page.shapes.map((shape) => ({ ...shape, ...boxInFrame(shape.box, direction) }));
  const drawn = edgesOf(shapes);
  const edges = { ...drawn, across: withoutUnderlines(drawn.across, segments) };
  const context = { links, direction };
  const grids = gridsOf(edges);
  const banded = bandedGrids(edges, segments, grids, direction);
  const headed = headedGrids(edges.across, segments, [...grids, ...banded], direction);
  const { tables, rest } = takeRuledTables(segments, [...grids, ...banded, ...headed], context);
  const atoms: PageAtom[] = [
    ...joinPieces(rest, direction).map(textAtom),
    ...tables.map(({ extent, block }) => blockAtom(extent, block)),
    ...figures.map((block) => blockAtom(boxInFrame(block.box, direction), block)),
  ];
  const isRightToLeft = rest.filter((one) => one.isRightToLeft).length * 2 > rest.length;
  const across = edges.across.filter(({ from, to }) => to - from > RULE_LENGTH);
  const rules = across.map(({ at, from, to }) => ({ left: from, right: to, top: at, bottom: at }));
  const groups = readingOrder(atoms, { isRightToLeft, rules });
  return flowOf(groups.map(runsOf), { ...context, rules: across, dots: new Dots(shapes) });
}

/** A part of a number, a date or an amount. */
const VALUE = /^[^\p{L}]*\d[^\p{L}]*$|^(?:[–—-]|\p{Sc}|%|[A-Z]{3})$/u;

const textAtom = (segment: Segment): PageAtom => {
  const { left, top, right, bottom, size, words } = segment;
  return {
    ...{ left, top, right, bottom, size, segment },
    isValue: words.every(({ text }) => VALUE.test(text)),
    characters: words.reduce((sum, { text }) => sum + text.length, 0),
  };
};

/** Font size for spaces beside blocks. */
const USUAL_SIZE = 10;

const blockAtom = ({ left, top, right, bottom }: Extent, block: Block): PageAtom => ({
  ...{ left, top, right, bottom, block },
  ...{ size: USUAL_SIZE, characters: 0, isValue: false },
});

/** A run of text of a column, or a block. */
type Run = readonly Segment[] | Block;

/** Divides a column at the blocks in it. */
function runsOf(group: readonly PageAtom[]): readonly Run[] {
  const runs: (Segment[] | Block)[] = [];
  for (const atom of group.toSorted((a, b) => a.top - b.top)) {
    const last = runs.at(-1);
    if ("block" in atom) runs.push(atom.block);
    else if (Array.isArray(last)) last.push(atom.segment);
    else runs.push([atom.segment]);
  }
  return runs;
}

interface FlowContext extends LineContext {
  readonly rules: readonly Edge[];
  readonly dots: Dots;
}

/** Returns the blocks of all columns. */
function flowOf(columns: readonly (readonly Run[])[], context: FlowContext): readonly Block[] {
  const parts = columns.flatMap((runs) =>
    runs.flatMap((run): readonly (Block | readonly Row[])[] => (isBlock(run) ? [run] : tablesIn(run, context))),
  );
  const pitchOf = pitchesOf(parts.flatMap((part) => (isBlock(part) ? [] : [part])));
  return parts.flatMap((part): readonly Block[] => (isBlock(part) ? [part] : paragraphsOf(part, pitchOf, context)));
}

const isBlock = <T>(part: Block | readonly T[]): part is Block => !Array.isArray(part);

/** Divides a run of text into aligned tables, and rows of other text. */
function tablesIn(run: readonly Segment[], context: FlowContext): readonly (Block | readonly Row[])[] {
  const lines = rowsOf(run);
  const rows = lines.map((line) => rowOf(line, context.dots.bulletOf(line)));
  const cut = lines.map((line, at) => ({
    ...rows[at]!,
    pieces: piecesOf(line, context.direction),
    smallPieces: piecesOf(line, context.direction, SMALL_CELL_SPACE),
  }));
  const parts: (Block | readonly Row[])[] = [];
  let done = 0;
  for (const table of alignedTables(cut, context.rules, context.direction)) {
    if (table.from > done) parts.push(rows.slice(done, table.from));
    parts.push(alignedTable(table, context));
    done = table.to;
  }
  if (done < rows.length) parts.push(rows.slice(done));
  return parts;
}
