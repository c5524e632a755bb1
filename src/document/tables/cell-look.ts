// The look of a cell: the styles of the table, of its column, of its row and its own, each of which overrides the ones
// before.
import { fontNamed, inkOf } from "../typesetting/look.ts";
import type { SetText } from "../typesetting/typesetter.ts";
import type { StyleObject } from "./table-object.ts";

export const SIDES = ["top", "right", "bottom", "left"] as const;
export type Side = (typeof SIDES)[number];

/** A side of a cell's border. */
export interface Edge {
  /** In points; 0 for no line. */
  readonly width: number;
  /** Components from 0 to 1. */
  readonly color: readonly number[];
  readonly opacity: number;
  /** Index of the last style that mentions this side, from 1; 0 for the default. */
  readonly rank: number;
}

export interface CellLook extends Pick<SetText, "font" | "fontName" | "size" | "color" | "opacity"> {
  readonly align?: "left" | "center" | "right";
  readonly verticalAlign: "top" | "middle" | "bottom";
  /** @default no background */
  readonly background?: readonly number[];
  readonly padding: Readonly<Record<Side, number>>;
  readonly border: Readonly<Record<Side, Edge>>;
}

/** A style, and its path in errors. */
export interface StyleSource {
  readonly style?: StyleObject | undefined;
  readonly path: string;
}

const DEFAULT_PADDING = 4;
const DEFAULT_EDGE: Edge = { width: 0.5, color: [0, 0, 0], opacity: 1, rank: 0 };
const allSides = <T>(value: T): Record<Side, T> => ({ top: value, right: value, bottom: value, left: value });

/** Combines styles. Cells with the same styles share one look. */
export class CellLooks {
  readonly #default: CellLook = {
    ...fontNamed("Liberation Sans", "font"),
    ...inkOf({}),
    ...{ size: 10, opacity: 1, verticalAlign: "top" },
    ...{ padding: allSides(DEFAULT_PADDING), border: allSides(DEFAULT_EDGE) },
  };
  readonly #fonts = new Map<string, Pick<CellLook, "font" | "fontName">>();
  readonly #combined = new WeakMap<CellLook, WeakMap<StyleObject, CellLook>>();

  /** @param sources from the table to the cell. @throws OutOfRange for an unknown font */
  combine(sources: readonly StyleSource[]): CellLook {
    return sources.reduce((look, source, index) => {
      if (!source.style) return look;
      const known = this.#combined.get(look) ?? new WeakMap<StyleObject, CellLook>();
      this.#combined.set(look, known);
      const combined = known.get(source.style) ?? this.#override(look, source.style, source.path, index + 1);
      known.set(source.style, combined);
      return combined;
    }, this.#default);
  }

  #override(look: CellLook, style: StyleObject, path: string, rank: number): CellLook {
    const { text_color_rgb, text_color_cmyk, background_color_rgb, background_color_cmyk } = style;
    const color = text_color_rgb || text_color_cmyk;
    const background = background_color_rgb || background_color_cmyk;
    return {
      ...look,
      ...(style.font === undefined ? {} : this.#fontNamed(style.font, `${path}.style.font`)),
      ...(style.text_size === undefined ? {} : { size: style.text_size }),
      ...(style.text_align ? { align: style.text_align } : {}),
      ...(style.vertical_align ? { verticalAlign: style.vertical_align } : {}),
      ...(style.opacity === undefined ? {} : { opacity: style.opacity }),
      ...(color ? inkOf({ rgb: text_color_rgb, cmyk: text_color_cmyk }) : {}),
      ...(background ? { background: inkOf({ rgb: background_color_rgb, cmyk: background_color_cmyk }).color } : {}),
      padding: { ...look.padding, ...style.padding },
      border: style.border ? bordersOf(look.border, style.border, rank) : look.border,
    };
  }

  #fontNamed(name: string, parameter: string) {
    const known = this.#fonts.get(name) ?? fontNamed(name, parameter);
    this.#fonts.set(name, known);
    return known;
  }
}

function bordersOf(before: CellLook["border"], border: NonNullable<StyleObject["border"]>, rank: number) {
  const borders = { ...before };
  for (const side of SIDES) {
    const edge = border[side];
    if (!edge) continue;
    const { color_rgb: rgb, color_cmyk: cmyk, width, opacity } = edge;
    borders[side] = {
      width: width ?? before[side].width,
      color: rgb || cmyk ? inkOf({ rgb, cmyk }).color : before[side].color,
      opacity: opacity ?? before[side].opacity,
      rank,
    };
  }
  return borders;
}

/** Returns which of two edges is drawn between two cells: that of the more specific style, then the wider one. */
export function strongerEdge(one: Edge | undefined, other: Edge | undefined): Edge | undefined {
  if (!one || !other) return one ?? other;
  if (one.rank !== other.rank) return one.rank > other.rank ? one : other;
  return other.width > one.width ? other : one;
}
