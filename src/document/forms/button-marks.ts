// Check box and radio button marks as paths, so that no font is needed.
import { circle, polygon, rectangle } from "./syntax.ts";

/** Half the thickness of the strokes of a cross. */
const BAR = 0.11;
/** Distances of the corners of a star from its center. */
const OUTER = 0.53;
const INNER = OUTER * 0.382;

function check(): string {
  return [
    "-0.54 -0.02 m",
    "-0.5 0.06 -0.42 0.08 -0.36 0.07 c",
    "-0.28 0.05 -0.25 -0.06 -0.21 -0.2 c",
    "-0.04 0.13 0.2 0.38 0.44 0.5 c",
    "0.54 0.43 l",
    "0.26 0.2 0.06 -0.1 -0.1 -0.46 c",
    "-0.13 -0.51 -0.25 -0.51 -0.28 -0.46 c",
    "-0.36 -0.36 -0.3 -0.2 -0.54 -0.02 c",
    "h\n",
  ].join("\n");
}

function cross(): string {
  const [far, near] = [0.5, 0.5 - 2 * BAR];
  const corner = 2 * BAR;
  return polygon([
    [-far, near],
    [-corner, 0],
    [-far, -near],
    [-near, -far],
    [0, -corner],
    [near, -far],
    [far, -near],
    [corner, 0],
    [far, near],
    [near, far],
    [0, corner],
    [-near, far],
  ]);
}

function star(): string {
  return polygon(
    Array.from({ length: 10 }, (_, index) => {
      const angle = Math.PI / 2 + (index * Math.PI) / 5;
      const radius = index % 2 === 0 ? OUTER : INNER;
      return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
    }),
  );
}

/** Outlines of the marks, centered, with height 1. They resemble the ZapfDingbats characters that forms use. */
export const MARKS: Readonly<Record<string, string>> = {
  "4": check(),
  "8": cross(),
  H: star(),
  l: circle(0, 0, 0.5),
  n: rectangle(-0.5, -0.5, 1, 1),
  u: polygon([
    [0, -0.5],
    [0.5, 0],
    [0, 0.5],
    [-0.5, 0],
  ]),
};
