// Affine transformations as in PDF (ISO 32000-1, 8.3.4), and their effect on rectangles.

/** `x' = a x + c y + e`, `y' = b x + d y + f`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Minimum x, minimum y, maximum x, maximum y; the direction of y depends on the space. */
export type Box = readonly [number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the transformation that applies `inner` first and `outer` second. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [g, h, i, j, k, l] = outer;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

/** @returns undefined if the matrix is singular, or its inverse is not finite */
export function inverse([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const determinant = a * d - b * c;
  if (!Number.isFinite(1 / determinant) || Math.abs(determinant) < 1e-12) return undefined;
  const [w, x, y, z] = [d, -b, -c, a].map((entry) => entry / determinant) as [number, number, number, number];
  const inverted: Matrix = [w, x, y, z, -(e * w + f * y), -(e * x + f * z)];
  return inverted.every(Number.isFinite) ? inverted : undefined;
}

export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Returns an upper bound of the length of a transformed unit vector, at most √2 times the actual maximum. */
export const norm = ([a, b, c, d]: Matrix): number => Math.hypot(a, b, c, d);

/** Returns the bounding box of a transformed box. */
export function boundsOf(matrix: Matrix, [x0, y0, x1, y1]: Box): Box {
  const corners = [apply(matrix, x0, y0), apply(matrix, x1, y0), apply(matrix, x0, y1), apply(matrix, x1, y1)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Returns the box around two boxes. */
export const around = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

/** @returns a matrix of the first six numbers; undefined if one is missing or not finite */
export function matrixOf(numbers: readonly (number | undefined)[]): Matrix | undefined {
  if (numbers.length < 6) return undefined;
  const six = numbers.slice(0, 6);
  return six.every((number) => number !== undefined && Number.isFinite(number))
    ? (six as unknown as Matrix)
    : undefined;
}

/** @returns a box of the first four numbers, with each axis sorted; undefined if one is missing */
export function boxOf([a, b, c, d]: readonly (number | undefined)[]): Box | undefined {
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}

/**
 * @returns the matrix that maps one box to another by scaling and translation; undefined if the first box has no area
 */
export function fitting(inner: Box, outer: Box): Matrix | undefined {
  const [width, height] = [inner[2] - inner[0], inner[3] - inner[1]];
  if (!(width > 0 && height > 0)) return undefined;
  const [x, y] = [(outer[2] - outer[0]) / width, (outer[3] - outer[1]) / height];
  return [x, 0, 0, y, outer[0] - inner[0] * x, outer[1] - inner[1] * y];
}
