// Finds the drawings of a page: charts, whose lines and areas are neither tables nor below text, and images with labels.
// They become pictures.
import type { Box } from "../../content/matrix.ts";
import type { PageShape, PageText, TextLine } from "../../layout/lines/page-text.ts";
import { boxOfWords } from "../../layout/lines/segments.ts";

/** Side in points of the cells of a page whose shapes belong together, and maximum number of cells along a page. */
const CELL = 6;
const MAX_CELLS = 250;
/** Maximum thickness of a line, and minimum side of a chart, in points; maximum part of a page of a shape or a chart. */
const THICKNESS = 3;
const SIDE = 36;
const MOST = 0.6;
/** Minimum number of shapes, and of areas that are no cells of a table. */
const MIN_SHAPES = 8;
const MIN_AREAS = 3;
const MAX_AREAS = 1000;
/** Part of a chart that its frame takes. */
const FRAME = 0.9;
/** Size of text, compared with most of the page, from which it is no label. */
const LARGE = 1.3;
/** Number of words from which a line is a sentence, and of sentences from which a drawing contains text. */
const SENTENCE = 5;
const MAX_SENTENCES = 2;
/** Maximum number of words of a label, and its distance from the chart in points. */
const LABEL = 4;
const BESIDE = 9;

/** Returns a page whose charts, with the text in them, are images, and whose images have no labels. */
export function withCharts(page: PageText): PageText {
  const most = MOST * page.width * page.height;
  const drawn = page.shapes.filter(({ box }) => areaOf(box) < most);
  if (drawn.length < MIN_SHAPES && drawn.every(({ kind }) => kind === "path")) return page;
  const lines = page.lines.map((line) => ({ line, box: boxOfWords(line.words) }));
  const charts = clustersOf(drawn, page).flatMap((shapes): readonly Box[] => {
    const box = boxAround(shapes.map((one) => one.box));
    const isChart = areaOf(box) < most && isDrawing(shapes, box, lines);
    return isChart ? [withLabels(box, lines)] : [];
  });
  const isOutside = ({ box }: { readonly box: Box }) => !charts.some((chart) => isInside(box, chart));
  const labels = labelsIn(drawn.filter(isOutside), lines);
  const images = charts.map((box): PageShape => ({ kind: "image", box, argb: 0, isStroked: false }));
  return {
    ...page,
    lines: lines.filter((one) => isOutside(one) && !labels.has(one)).map(({ line }) => line),
    shapes: [...page.shapes.filter(isOutside), ...images],
  };
}

interface PlacedLine {
  readonly line: TextLine;
  readonly box: Box;
}

const areaOf = ([left, bottom, right, top]: Box): number => (right - left) * (top - bottom);

const boxAround = (boxes: readonly Box[]): Box =>
  boxes.reduce(
    (all, one) =>
      [
        ...[Math.min(all[0], one[0]), Math.min(all[1], one[1])],
        ...[Math.max(all[2], one[2]), Math.max(all[3], one[3])],
      ] as unknown as Box,
  );

/** Reports whether the middle of a box is in another one. */
function isInside([left, bottom, right, top]: Box, outer: Box): boolean {
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return x >= outer[0] && x <= outer[2] && y >= outer[1] && y <= outer[3];
}

/** Divides shapes into those that touch each other, or almost. */
function clustersOf(shapes: readonly PageShape[], { width, height }: PageText): readonly (readonly PageShape[])[] {
  const side = Math.max(CELL, Math.max(width, height) / MAX_CELLS);
  const [columns, rows] = [Math.ceil(width / side) + 1, Math.ceil(height / side) + 1];
  const column = (x: number) => Math.max(0, Math.min(columns - 1, Math.floor(x / side)));
  const row = (y: number) => Math.max(0, Math.min(rows - 1, Math.floor(y / side)));
  // The corners of each shape say where the number of shapes changes, so that a shape costs as much as a point.
  const counts = new Int32Array((columns + 1) * (rows + 1));
  const at = (x: number, y: number) => y * (columns + 1) + x;
  for (const { box } of shapes) {
    const [left, bottom, right, top] = [column(box[0]), row(box[1]), column(box[2]) + 1, row(box[3]) + 1];
    for (const [x, y, change] of [
      [left, bottom, 1],
      [right, bottom, -1],
      [left, top, -1],
      [right, top, 1],
    ] as const)
      counts[at(x, y)]! += change;
  }
  for (let y = 0; y <= rows; y++) for (let x = 1; x <= columns; x++) counts[at(x, y)]! += counts[at(x - 1, y)]!;
  for (let y = 1; y <= rows; y++) for (let x = 0; x <= columns; x++) counts[at(x, y)]! += counts[at(x, y - 1)]!;
  const labels = new Int32Array(counts.length);
  const clusters: PageShape[][] = [];
  for (const shape of shapes) {
    const start = at(column(shape.box[0]), row(shape.box[1]));
    if (labels[start] === 0) flood(counts, labels, { start, label: clusters.push([]), width: columns + 1 });
    clusters[labels[start]! - 1]!.push(shape);
  }
  return clusters;
}

/** Marks the cells with shapes that are connected with one. The last row and column have none. */
function flood(
  counts: Int32Array,
  labels: Int32Array,
  { start, label, width }: { readonly start: number; readonly label: number; readonly width: number },
): void {
  const waiting = [start];
  labels[start] = label;
  for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
    for (const step of [1, width - 1, width, width + 1]) {
      for (const next of [cell - step, cell + step]) {
        if (!((counts[next] ?? 0) > 0) || labels[next] !== 0) continue;
        labels[next] = label;
        waiting.push(next);
      }
    }
  }
}

/** Reports whether shapes are a drawing: areas without text, which are not side by side as those of cells. */
function isDrawing(shapes: readonly PageShape[], box: Box, lines: readonly PlacedLine[]): boolean {
  if (shapes.length < MIN_SHAPES || box[2] - box[0] < SIDE || box[3] - box[1] < SIDE) return false;
  const inside = lines.filter((one) => isInside(one.box, box));
  if (inside.filter(({ line }) => line.words.length >= SENTENCE).length > MAX_SENTENCES) return false;
  const areas = shapes
    .filter(({ box: [left, bottom, right, top] }) => right - left > THICKNESS && top - bottom > THICKNESS)
    .filter((one) => areaOf(one.box) < FRAME * areaOf(box))
    .slice(0, MAX_AREAS);
  const places = new Set(areas.flatMap((one) => SIDES.map((name) => sideOf(one.box, name, name))));
  const isCell = (one: Box) => SIDES.some((name) => places.has(sideOf(one, name, OPPOSITE[name])));
  const free = areas.filter(
    (one) => one.kind === "image" || (!isCell(one.box) && !inside.some((text) => isInside(text.box, one.box))),
  );
  return free.length >= MIN_AREAS && free.length * 2 >= areas.length;
}

/** Returns the lines on images that are labels: few words, no larger than other text. They are part of the picture. */
function labelsIn(shapes: readonly PageShape[], lines: readonly PlacedLine[]): ReadonlySet<PlacedLine> {
  const sizes = lines.map(({ line }) => line.words[0]!.size).sort((a, b) => a - b);
  const largest = LARGE * (sizes[sizes.length >> 1] ?? 0);
  const isLabel = ({ line }: PlacedLine) => line.words.length < SENTENCE && line.words[0]!.size < largest;
  return new Set(
    shapes.flatMap(({ kind, box }): readonly PlacedLine[] => {
      if (kind !== "image" || Math.min(box[2] - box[0], box[3] - box[1]) < SIDE) return [];
      const inside = lines.filter((one) => isInside(one.box, box));
      return inside.every(isLabel) ? inside : [];
    }),
  );
}

type Side = keyof typeof OPPOSITE;
const OPPOSITE = { 0: 2, 1: 3, 2: 0, 3: 1 } as const;
const SIDES: readonly Side[] = [0, 1, 2, 3];

/** Names a side of a box by its ends, and by the place of the side or of the opposite one. */
function sideOf(box: Box, place: Side, name: Side): string {
  const ends = place % 2 === 0 ? [box[1], box[3]] : [box[0], box[2]];
  return [name, ...[...ends, box[place]].map((one) => Math.round(one / 2))].join(" ");
}

/** Returns a box with the labels that are beside it and below it. */
function withLabels(chart: Box, lines: readonly PlacedLine[]): Box {
  const near: Box = [chart[0] - BESIDE, chart[1] - BESIDE, chart[2] + BESIDE, chart[3] + 1];
  const labels = lines.filter(({ line, box }) => {
    const touches = box[0] < near[2] && box[2] > near[0] && box[1] < near[3] && box[3] > near[1];
    return touches && (line.words.length <= LABEL || isInside(box, chart));
  });
  return boxAround([chart, ...labels.map(({ box }) => box)]);
}
