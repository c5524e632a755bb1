// The state of a page scan, shared by the scans of the page's content and of its forms.

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
  readonly transparency: TransparencyFinder;
  readonly colors: ColorUse;
  readonly budget: Budget;
  /** True to put each fill of one color in a separate run, so that its shape can be kept. */
  readonly splitsFills: boolean;
  /** True to record all painting operations and to enter every form. @default false */
  readonly recordsAll?: boolean;
}

/** The insertion point of a form in the enclosing content. */
export interface FormPlace {
  /** Number of enclosing forms. */
  readonly depth: number;
  readonly state: GraphicsState;
  readonly node: ContentNode;
  insertionAt(at: number): InsertionPoint;
}

export interface PageScan {
  readonly options: ScanOptions;
  readonly runs: RunBuilder;
  /** @throws PageTooComplex */
  countOperation(): void;
  /** @returns the sequence number of the next painting operation. @throws PageTooComplex */
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
