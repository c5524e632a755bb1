// Places marks on pages: at an angle, and aligned with the edges or the center.
import { boundsOf, type Matrix, multiply } from "../../content/matrix.ts";
import type { PageSize } from "../page-size.ts";

export const HORIZONTAL = ["left", "center", "right"] as const;
export const VERTICAL = ["top", "center", "bottom"] as const;

export interface Alignment {
  readonly horizontal: (typeof HORIZONTAL)[number];
  readonly vertical: (typeof VERTICAL)[number];
  /** Distance from the aligned position, to the right and upward, in points. */
  readonly x: number;
  readonly y: number;
  /** Clockwise angle in degrees. */
  readonly rotation: number;
}

/** A mark in its own space, in points. */
export interface MarkBox {
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the matrix that turns a mark about its center, and aligns the box around it with the displayed page. */
export function aligned(mark: MarkBox, page: PageSize, { horizontal, vertical, x, y, rotation }: Alignment): Matrix {
  const centered: Matrix = [1, 0, 0, 1, -mark.left - mark.width / 2, -mark.bottom - mark.height / 2];
  const turn = multiply(centered, turned(rotation, 0, 0));
  const [left, bottom, right, top] = boundsOf(turn, [
    ...([mark.left, mark.bottom, mark.left + mark.width, mark.bottom + mark.height] as const),
  ]);
  const across = { left: -left, center: page.width / 2, right: page.width - right }[horizontal];
  const up = { bottom: -bottom, center: page.height / 2, top: page.height - top }[vertical];
  return multiply(turn, [1, 0, 0, 1, across + x, up + y]);
}

/** Returns the matrix that turns a form clockwise about its origin, and moves the origin to a point. */
export function turned(degrees: number, x: number, y: number): Matrix {
  const angle = (-(degrees % 360) * Math.PI) / 180;
  // Exact for quarter turns, so that their numbers stay short.
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)].map((one) => (Math.abs(one) < 1e-12 ? 0 : one)) as [
    number,
    number,
  ];
  return [cos, sin, -sin, cos, x, y];
}
