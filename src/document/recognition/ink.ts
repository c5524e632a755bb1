// Finds out how the text on a picture of a page lies, from the edges of its ink: the skew of the lines, and whether they
// run from top to bottom.

/** A picture in gray: one byte per pixel, 255 is white. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

export interface InkLook {
  /** True if the picture is of one color, apart from specks. */
  readonly isBlank: boolean;
  /** Clockwise angle of the lines of text, in degrees; 0 if it is too small to matter, or unknown. */
  readonly skew: number;
  /** True if the ink is structured in columns rather than in lines: the page lies on its side, or its text is vertical. */
  readonly isSideways: boolean;
}

/** Side of the reduced picture. Its pixels are then about as large as those of a page at 100 dpi. */
const REDUCED_SIDE = 1_200;
/** Difference in gray that counts as an edge. */
const EDGE = 48;
const MIN_EDGES = 40;
const MAX_EDGES = 60_000;
/** Maximum angle, in degrees. */
const MAX_SKEW = 12;
const COARSE_STEP = 0.5;
const FINE_STEP = 0.05;
/** Minimum angle that is corrected: engines read smaller ones as well without a correction. */
const MIN_SKEW = 0.25;
/** Minimum ratio of the scores with and without a correction. */
const CLEARER = 1.08;
/** Minimum ratio of the scores of columns and lines. */
const SIDEWAYS = 1.5;

export function lookAtInk(picture: GrayPicture): InkLook {
  const reduced = reduce(picture);
  const lower = edgesOf(reduced, reduced.width);
  const right = edgesOf(reduced, 1);
  if (lower.count + right.count < MIN_EDGES) return { isBlank: true, skew: 0, isSideways: false };
  const lines = bestAngle(lower.along, lower.across, lower.count);
  const columns = bestAngle(right.across, right.along, right.count, -1);
  const isSideways = columns.score > SIDEWAYS * lines.score;
  const { angle, score, uncorrected } = isSideways ? columns : lines;
  const matters = Math.abs(angle) >= MIN_SKEW && score > CLEARER * uncorrected;
  return { isBlank: false, skew: matters ? angle : 0, isSideways };
}

/** Averages squares of pixels. */
function reduce({ width, height, samples }: GrayPicture): GrayPicture {
  const factor = Math.max(1, Math.floor(Math.max(width, height) / REDUCED_SIDE));
  if (factor === 1) return { width, height, samples };
  const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)];
  const reduced = new Uint8Array(columns * rows);
  const sums = new Uint32Array(columns);
  for (let row = 0; row < rows; row++) {
    sums.fill(0);
    for (let inner = 0; inner < factor; inner++) {
      let at = (row * factor + inner) * width;
      for (let column = 0; column < columns; column++) {
        let sum = 0;
        for (let step = 0; step < factor; step++) sum += samples[at++]!;
        sums[column]! += sum;
      }
    }
    for (let column = 0; column < columns; column++) reduced[row * columns + column] = sums[column]! / factor ** 2;
  }
  return { width: columns, height: rows, samples: reduced };
}

/** Coordinates of edges, relative to the center of the picture. */
interface Edges {
  readonly along: Float32Array;
  readonly across: Float32Array;
  readonly count: number;
}

/**
 * Returns the pixels with ink whose next pixel, `stride` bytes later, has none: for the row below, these are the lower
 * edges of letters, most of which lie on baselines.
 */
function edgesOf({ width, height, samples }: GrayPicture, stride: number): Edges {
  const [along, across] = [new Float32Array(MAX_EDGES), new Float32Array(MAX_EDGES)];
  const end = samples.length - stride;
  let found = 0;
  for (let at = 0; at < end; at++) if (samples[at + stride]! - samples[at]! >= EDGE) found++;
  const each = Math.ceil(found / MAX_EDGES);
  let [seen, count] = [0, 0];
  for (let at = 0; at < end && count < MAX_EDGES; at++) {
    if (samples[at + stride]! - samples[at]! < EDGE || seen++ % each !== 0) continue;
    along[count] = (at % width) - width / 2;
    across[count] = Math.floor(at / width) - height / 2;
    count++;
  }
  return { along, across, count };
}

/**
 * Returns the angle at which the edges gather in the fewest lines.
 * @param sign -1 if the axes are exchanged, because a turn that lowers the right end of a line moves the lower end of a
 *   column to the left
 */
function bestAngle(along: Float32Array, across: Float32Array, count: number, sign = 1) {
  const scoreAt = (angle: number) => scoreOf(along, across, count, sign * angle);
  const uncorrected = scoreAt(0);
  let best = { angle: 0, score: uncorrected };
  const tryAngle = (angle: number) => {
    const score = scoreAt(angle);
    if (score > best.score) best = { angle, score };
  };
  for (let angle = -MAX_SKEW; angle <= MAX_SKEW; angle += COARSE_STEP) tryAngle(angle);
  const { angle: middle } = best;
  for (let angle = middle - COARSE_STEP; angle <= middle + COARSE_STEP; angle += FINE_STEP) tryAngle(angle);
  return { ...best, uncorrected };
}

/** Returns the sum of the squared differences of neighboring rows after a shear. */
function scoreOf(along: Float32Array, across: Float32Array, count: number, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const size = 4 * REDUCED_SIDE;
  const rows = new Uint32Array(size);
  for (let index = 0; index < count; index++) {
    const row = Math.round(across[index]! - along[index]! * slope) + size / 2;
    if (row >= 0 && row < size) rows[row]!++;
  }
  let score = 0;
  for (let row = 1; row < size; row++) score += (rows[row]! - rows[row - 1]!) ** 2;
  return score;
}
