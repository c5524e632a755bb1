// A PDF as PDF/A. Nothing at the edge can do it: the container carries it out, since the validator is there.
import type { ArchivalLevel } from "../pdf/pdfa/level.ts";

export interface PdfToPdfaParams {
  readonly level: ArchivalLevel;
  /** Whether pages that cannot be made to conform become pictures; else the document is refused. */
  readonly rasterize: boolean;
}
