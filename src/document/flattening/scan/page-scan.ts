// Holds the part of a page's scan that the scans of its content and its forms share.

import type { ContentOperation } from "../../content/content.ts";
import type { Budget } from "../../objects/budget.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { PdfStream } from "../../objects/values.ts";
import type { RunBuilder } from "../run-builder.ts";
import type { ColorUse } from "./color-use.ts";
import type { ContentNode, InsertionPoint, LayerScope } from "./content-node.ts";
import type { GraphicsState } from "./graphics-state.ts";
import type { TransparencyFinder } from "./transparency.ts";

export interface ScanOptions {
  readonly file: PdfFile;
  readonly marks: TransparencyFinder;
  readonly colors: ColorUse;
  readonly budget: Budget;
  /** True to make fills of one color runs of their own, so that their shapes can be kept. */
  readonly splitsFills: boolean;
  /** True to note everything that paints, and to enter every form. @default false */
  readonly notesAll?: boolean;
}

/** The position of a form in the content that paints it. */
export interface FormPlace {
  /** Number of forms around this content. */
  readonly depth: number;
  readonly state: GraphicsState;
  readonly node: ContentNode;
  place(at: number): InsertionPoint;
}

export interface PageScan {
  readonly options: ScanOptions;
  readonly runs: RunBuilder;
  /** @throws TooMuch */
  countOperation(): void;
  /** @returns the sequence number of the next operation that paints. @throws TooMuch */
  next(isNoted: boolean): number;
  noteLayer(): void;
  /** Scans the content of a form. @returns false if the form counts as one operation instead */
  enter(
    scan: FormPlace,
    form: PdfStream,
    objectNumber: number,
    operation: ContentOperation,
    layers: LayerScope | undefined,
  ): boolean;
}
