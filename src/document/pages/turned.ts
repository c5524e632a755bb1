// Places a form at an angle.
import type { Matrix } from "../content/matrix.ts";

/** Returns the matrix that turns a form clockwise about its origin, and moves the origin to a point. */
export function turned(degrees: number, x: number, y: number): Matrix {
  const angle = (-(degrees % 360) * Math.PI) / 180;
  // Exact for quarter turns, so that their numbers stay short.
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)].map((one) => (Math.abs(one) < 1e-12 ? 0 : one)) as [number, number];
  return [cos, sin, -sin, cos, x, y];
}
