// The data that a scan collects from a content stream: the painting operations with their byte positions, and the forms
// that the scan entered. Knows nothing about rendering or files.

import type { Box, Matrix } from "../../content/matrix.ts";
import type { Dictionary, Value } from "../../objects/values.ts";

/** A clip of painting. `outer` is the wider clip around it. */
export interface Clip {
  readonly outer: Clip | undefined;
}

/** The optional content that an operation belongs to, and the optional content around it (ISO 32000-1, 8.11.3). */
export interface LayerScope {
  readonly outer: LayerScope | undefined;
  /** The `BDC` that begins the optional content. */
  readonly mark: { readonly node: ContentNode; readonly start: number; readonly end: number } | undefined;
  /** The number of the object whose OC entry defines the layer. */
  readonly objectNumber: number | undefined;
}

/** A text-showing operation. */
export interface TextShow {
  readonly start: number;
  readonly end: number;
  /** The text rendering mode (9.3.6). */
  readonly mode: number;
  readonly isType3: boolean;
}

/** A range of bytes in a content stream. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

export type PaintKind = "path" | "text" | "image" | "inline" | "shading" | "form";

/** A color with its original operands. */
export interface Color {
  /** Undefined for the device color spaces. */
  readonly space: string | undefined;
  readonly components: readonly number[];
}

/** A painting operation. A whole text object counts as one operation. */
export interface Paint {
  /** The position in the painting order of the page, from 0. */
  readonly sequence: number;
  readonly node: ContentNode;
  readonly kind: PaintKind;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** For a path, the start of its construction. For other kinds, `start`. */
  readonly pathStart: number;
  readonly place: InsertionPoint;
  readonly shows: readonly TextShow[];
  /** Operations in a text object that stay in effect after it. */
  readonly settings: readonly ByteSpan[];
  /** For an image or a form, the value of its name in the resources. */
  readonly object: Value | undefined;
  /** True if only the graphics state makes the operation transparent. */
  readonly byState: boolean;
  /** True if only the soft mask of the image makes it transparent. */
  readonly byMask: boolean;
  /** True if the operation is a fill of one color whose shape can be kept. `isStroke` is the same for strokes. */
  readonly isFill: boolean;
  readonly isStroke: boolean;
  /** The constant alpha, if nothing else can make the operation transparent. */
  readonly plainAlpha: number | undefined;
  readonly fill: Color | undefined;
  readonly stroke: Color | undefined;
  /** The bounds of the painted area in default user space. Undefined if they are unknown. */
  readonly bounds: Box | undefined;
  readonly ownLayer: Value | undefined;
}

/** A position in a content stream where content can be inserted, with the state at that position. */
export interface InsertionPoint {
  readonly node: ContentNode;
  /** The byte offset at which content is inserted. */
  readonly at: number;
  readonly matrix: Matrix;
  readonly clip: Clip;
  readonly layers: LayerScope | undefined;
  /** The number of open `q` operators. `marked` is the number of open marked-content sequences. */
  readonly saved: number;
  readonly marked: number;
  /** The start of the enclosing marked content that belongs to the structure tree (14.7.4). */
  readonly tagStart: number | undefined;
}

/** A form that the scan entered. */
export interface Kid {
  readonly start: number;
  readonly end: number;
  readonly saved: number;
  readonly marked: number;
  readonly node: ContentNode;
  /**
   * The sequence number of the first operation in the form. `last` is one more than the number of its last operation.
   */
  readonly first: number;
  readonly last: number;
}

/** The content stream of a page, or of a form that the scan entered. */
export interface ContentNode {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly resources: Dictionary | undefined;
  /** The form. Undefined for the content of a page. */
  readonly form: { readonly dictionary: Dictionary; readonly objectNumber: number } | undefined;
  /** The transparent operations, or all operations if the scan notes all. */
  readonly paints: Paint[];
  readonly kids: Kid[];
  parent: { readonly node: ContentNode; readonly kid: Kid } | undefined;
  /** The sequences that are open at the end, and each `Q` without a matching `q`. */
  ending: { readonly saved: number; readonly marked: number; readonly strays: readonly ByteSpan[] };
}

/** Consecutive painting operations that are flattened together. */
export interface TransparentRun {
  readonly paints: Paint[];
  /**
   * The position for a picture of the result. The picture contains everything painted before this position, and nothing
   * else.
   */
  place: InsertionPoint;
}
