// What a scan finds in a content stream: the operations that paint, with the places of their bytes, and the forms that were gone
// into. Plain data; knows no rendering and no file.

import type { Box, Matrix } from "../content/matrix.ts";
import type { Dictionary, Value } from "../objects/values.ts";

/** How far painting is limited; a wider clip stands above a narrower one. */
export interface Clip {
  readonly outer: Clip | undefined;
}

/** Optional content that what is painted belongs to, and that around it (ISO 32000-1, 8.11.3). */
export interface LayerScope {
  readonly outer: LayerScope | undefined;
  /** The `BDC` that begins it. */
  readonly mark: { readonly node: ContentNode; readonly start: number; readonly end: number } | undefined;
  /** The object with the entry OC that it comes from. */
  readonly objectNumber: number | undefined;
}

/** A text-showing operation. */
export interface Show {
  readonly start: number;
  readonly end: number;
  /** Text rendering mode (9.3.6). */
  readonly mode: number;
  readonly isType3: boolean;
}

/** Bytes of a content stream. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type PaintKind = "path" | "text" | "image" | "inline" | "shading" | "form";

/** A color, as its operands were. */
export interface Color {
  /** Undefined for the device color spaces. */
  readonly space: string | undefined;
  readonly components: readonly number[];
}

/** An operation that paints. All of a text object is one. */
export interface Paint {
  /** The order of painting on the page, from 0. */
  readonly sequence: number;
  readonly node: ContentNode;
  readonly kind: PaintKind;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** Of a path: where its construction begins; otherwise `start`. */
  readonly pathStart: number;
  readonly place: ContentPlace;
  readonly shows: readonly Show[];
  /** Operations in a text object whose effect goes on behind it. */
  readonly settings: readonly Span[];
  /** Of an image or a form: what the resources have under its name. */
  readonly object: Value | undefined;
  /** Whether the graphics state alone makes it transparent. */
  readonly byState: boolean;
  /** Whether its soft mask alone makes it transparent. */
  readonly byMask: boolean;
  /** Whether it is a fill of one color, whose shape can be kept; or a stroke of one. */
  readonly isFill: boolean;
  readonly isStroke: boolean;
  /** Nothing but a constant alpha can make it transparent: this is it. */
  readonly plainAlpha: number | undefined;
  readonly fill: Color | undefined;
  readonly stroke: Color | undefined;
  /** A box around what it can paint, in default user space; undefined where that is not known. */
  readonly bounds: Box | undefined;
  readonly ownLayer: Value | undefined;
}

/** Where something can be put into a content stream, and what holds there. */
export interface ContentPlace {
  readonly node: ContentNode;
  /** Behind this byte. */
  readonly at: number;
  readonly matrix: Matrix;
  readonly clip: Clip;
  readonly layers: LayerScope | undefined;
  /** Open `q`, and marked content that is open. */
  readonly saved: number;
  readonly marked: number;
  /** Where the marked content begins that it has a place in the structure by (14.7.4). */
  readonly tagStart: number | undefined;
}

/** A form that was gone into. */
export interface Kid {
  readonly start: number;
  readonly end: number;
  readonly saved: number;
  readonly marked: number;
  readonly node: ContentNode;
  /** What is painted in it, from the first sequence number to the one behind the last. */
  readonly first: number;
  readonly last: number;
}

/** A content stream of a page, or of a form that was gone into. */
export interface ContentNode {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly resources: Dictionary | undefined;
  /** Of a form. */
  readonly form: { readonly dictionary: Dictionary; readonly objectNumber: number } | undefined;
  /** Those that are transparent, or all where all were asked for. */
  readonly paints: Paint[];
  readonly kids: Kid[];
  parent: { readonly node: ContentNode; readonly kid: Kid } | undefined;
  /** What is open at its end, and each `Q` that closes nothing. */
  ending: { readonly saved: number; readonly marked: number; readonly strays: readonly Span[] };
}

/** Operations that paint one after the other and are flattened together. */
export interface Run {
  readonly paints: Paint[];
  /** Where a picture of the result belongs: all that paints before is in it, and nothing else. */
  place: ContentPlace;
}
