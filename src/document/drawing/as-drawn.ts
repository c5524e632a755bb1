// Corrects objects that MuPDF draws differently from other viewers. The corrections apply page by page, in memory only.
import { EngineFailure } from "../contract/failure.ts";
import type { DocumentOptions, MupdfDocument } from "../engines/mupdf/document.ts";
import { MupdfError, type MupdfOptions } from "../engines/mupdf/instance/mupdf.ts";
import { DrawnFields } from "./drawn-fields.ts";
import { DrawnFile } from "./drawn-file.ts";
import { DrawnResources } from "./drawn-resources.ts";

/** Returns options to open a document for drawing, with all corrections. */
export const asDrawn = (options: MupdfOptions): DocumentOptions => ({
  ...options,
  repair(document) {
    const drawn = new DrawnFile(document);
    const fields = new DrawnFields(drawn);
    const resources = new DrawnResources(drawn);
    return (page) => {
      attempt(document, () => fields.dress(page));
      attempt(document, () => resources.repairPage(page));
    };
  },
});

/** Applies a correction. If it fails, the page is drawn without it. */
export function attempt({ engine }: MupdfDocument, repair: () => void): void {
  try {
    repair();
  } catch (error) {
    const isBearable = error instanceof MupdfError || (error instanceof EngineFailure && !engine.dead);
    if (!isBearable) throw error;
    engine.complain();
  }
}
