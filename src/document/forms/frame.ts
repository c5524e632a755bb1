// Draws the background and border of a widget (ISO 32000-1, 12.5.4 and table 189). The origin is the lower left corner
// of the widget before its rotation.
import { circle, numbers, polygon, rectangle, setColor } from "./syntax.ts";
import type { Widget } from "./widget.ts";

type BorderStyle = "S" | "D" | "B" | "I" | "U";

export interface Frame {
  /** Width and height, swapped if the widget is rotated by 90 degrees. */
  readonly width: number;
  readonly height: number;
  /** Matrix from the widget before its rotation to the rotated widget; undefined without rotation. */
  readonly matrix: readonly number[] | undefined;
  readonly border: { readonly style: BorderStyle; readonly width: number };
  /** Distance from the edges to the content. */
  readonly inset: number;
}

const MAX_DASHES = 10;
const DEFAULT_DASHES: readonly number[] = [3];
/** Gray levels of a beveled or inset border: upper left and lower right edges. */
const EDGES = { B: [1, 0.5], I: [0.5, 0.75] } as const;

export function frameOf(widget: Widget): Frame {
  const { file, dictionary, look, rectangle: sides } = widget;
  const [across, up] = [sides[2] - sides[0], sides[3] - sides[1]];
  const rotation = (((file.number(look.get("R")) ?? 0) % 360) + 360) % 360;
  const [width, height] = rotation % 180 === 90 ? [up, across] : [across, up];
  const matrices: Readonly<Record<number, readonly number[]>> = {
    90: [0, 1, -1, 0, across, 0],
    180: [-1, 0, 0, -1, across, up],
    270: [0, -1, 1, 0, 0, up],
  };
  const settings = file.dictionary(dictionary.get("BS"));
  const declaredWidth = file.number(settings?.get("W")) ?? file.number(file.array(dictionary.get("Border"))?.[2]);
  const style = (file.name(settings?.get("S")) ?? "S") as BorderStyle;
  const lineWidth = Math.min(Math.max(0, declaredWidth ?? 1), width / 2, height / 2);
  const isDouble = style === "B" || style === "I";
  return {
    width,
    height,
    matrix: matrices[rotation],
    border: { style, width: lineWidth },
    inset: lineWidth * (isDouble ? 2 : 1),
  };
}

/** @param isRound true for the circle of a radio button */
export function drawFrame(widget: Widget, frame: Frame, isRound = false): string {
  const { width, height } = frame;
  const line = frame.border.width;
  const outline = (inset: number) =>
    isRound
      ? circle(width / 2, height / 2, Math.max(0, Math.min(width, height) / 2 - inset))
      : rectangle(inset, inset, width - 2 * inset, height - 2 * inset);
  const [background, color] = [widget.color("BG"), widget.color("BC")];
  let operators = background ? `${setColor(background, "fill")}${outline(0)}f\n` : "";
  const { style } = frame.border;
  if (line > 0 && (style === "B" || style === "I") && !isRound) operators += edges(frame, EDGES[style]);
  if (color && line > 0) {
    operators += `${setColor(color, "stroke")}${numbers(line)} w\n`;
    if (style === "D") operators += `[${numbers(...dashes(widget))}] 0 d\n`;
    operators +=
      style === "U" ? `${numbers(0, line / 2)} m ${numbers(width, line / 2)} l S\n` : `${outline(line / 2)}S\n`;
  }
  return operators === "" ? "" : `q\n${operators}Q\n`;
}

/** Draws the bevel inside the border. */
function edges({ width, height, border }: Frame, [upper, lower]: readonly [number, number]): string {
  const [near, far] = [border.width, border.width * 2];
  const [right, top] = [width - near, height - near];
  const [innerRight, innerTop] = [width - far, height - far];
  const upperLeft = polygon([
    [near, near],
    [near, top],
    [right, top],
    [innerRight, innerTop],
    [far, innerTop],
    [far, far],
  ]);
  const lowerRight = polygon([
    [right, top],
    [right, near],
    [near, near],
    [far, far],
    [innerRight, far],
    [innerRight, innerTop],
  ]);
  return `${setColor([upper], "fill")}${upperLeft}f\n${setColor([lower], "fill")}${lowerRight}f\n`;
}

/**
 * Returns the dash array of the border, or the default if it is invalid: lengths must not be negative, or all zero
 * (8.4.3.6).
 */
function dashes({ file, dictionary }: Widget): readonly number[] {
  const declaredDash = file.array(file.dictionary(dictionary.get("BS"))?.get("D")) ?? [];
  const lengths = declaredDash.slice(0, MAX_DASHES).map((length) => file.number(length) ?? 0);
  return lengths.every((length) => length >= 0) && lengths.some((length) => length > 0) ? lengths : DEFAULT_DASHES;
}
