// The results of scanning a content stream: painting operations with byte offsets, and the forms that were scanned.

import type { Box, Matrix } from "../../content/matrix.ts";
import type { Dictionary, Value } from "../../objects/values.ts";

/** A clip. `outer` is the enclosing clip. */
export interface Clip {
  readonly outer: Clip | undefined;
}

/** The optional content that contains an operation (ISO 32000-1, 8.11.3). `outer`: the enclosing optional content. */
export interface LayerScope {
  readonly outer: LayerScope | undefined;
  /** The `BDC` that starts the optional content. */
  readonly mark: { readonly node: ContentNode; readonly start: number; readonly end: number } | undefined;
  /** Number of the object whose OC entry defines the layer. */
  readonly objectNumber: number | undefined;
}

/** A text-showing operation. */
export interface TextShow {
  readonly start: number;
  readonly end: number;
  /** Text rendering mode (9.3.6). */
  readonly mode: number;
  readonly isType3: boolean;
}

/** A byte range in a content stream. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

export type PaintKind = "path" | "text" | "image" | "inline" | "shading" | "form";

/** A color, as the operands of a color operator. */
export interface Color {
  /** Undefined for the device color spaces. */
  readonly space: string | undefined;
  readonly components: readonly number[];
}

/** A painting operation, or a whole text object. */
export interface Paint {
  /** Index in the painting order of the page, from 0. */
  readonly sequence: number;
  readonly node: ContentNode;
  readonly kind: PaintKind;
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** For a path, the start of its construction; for other kinds, equal to `start`. */
  readonly pathStart: number;
  readonly insertion: InsertionPoint;
  readonly shows: readonly TextShow[];
  /** Operators in a text object whose settings stay in effect after it. */
  readonly settings: readonly ByteSpan[];
  /** The resource of an image or a form. */
  readonly object: Value | undefined;
  /** True if the only cause of transparency is the graphics state. */
  readonly byState: boolean;
  /** True if the only cause of transparency is the soft mask of the image. */
  readonly byMask: boolean;
  /** True for a fill of one color, whose shape can stay. `isStroke`: true for a stroke of one color. */
  readonly isFill: boolean;
  readonly isStroke: boolean;
  /** The constant alpha, if it is the only cause of transparency. */
  readonly plainAlpha: number | undefined;
  readonly fill: Color | undefined;
  readonly stroke: Color | undefined;
  /** Bounds of the painted area in default user space. Undefined if unknown. */
  readonly bounds: Box | undefined;
  readonly ownLayer: Value | undefined;
}

/** An offset in a content stream where content can be inserted, with the graphics state there. */
export interface InsertionPoint {
  readonly node: ContentNode;
  /** Byte offset of the inserted content. */
  readonly at: number;
  readonly matrix: Matrix;
  readonly clip: Clip;
  readonly layers: LayerScope | undefined;
  /** Number of open `q` operators. `marked`: number of open marked-content sequences. */
  readonly saved: number;
  readonly marked: number;
  /** Start of the enclosing marked content that belongs to the structure tree (14.7.4). */
  readonly tagStart: number | undefined;
}

/** A form that was scanned. */
export interface Kid {
  readonly start: number;
  readonly end: number;
  readonly saved: number;
  readonly marked: number;
  readonly node: ContentNode;
  /** Sequence number of the form's first operation. `last`: one more than the sequence number of its last operation. */
  readonly first: number;
  readonly last: number;
}

/** The content stream of a page, or of a scanned form. */
export interface ContentNode {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly resources: Dictionary | undefined;
  /** The form; undefined for page content. */
  readonly form: { readonly dictionary: Dictionary; readonly objectNumber: number } | undefined;
  /** The transparent operations; all operations if `recordsAll` is set. */
  readonly paints: Paint[];
  readonly kids: Kid[];
  parent: { readonly node: ContentNode; readonly kid: Kid } | undefined;
  /** Sequences still open at the end, and each `Q` without a matching `q`. */
  ending: { readonly saved: number; readonly marked: number; readonly strays: readonly ByteSpan[] };
}

/** Consecutive painting operations that are flattened together. */
export interface TransparentRun {
  readonly paints: Paint[];
  /** Insertion point of the image that replaces the run. The image shows everything painted before this point. */
  insertion: InsertionPoint;
}
