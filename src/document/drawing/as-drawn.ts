// Mends what the engine would draw differently from other viewers, page by page and in memory alone.
import { EngineFailure } from "../contract/failure.ts";
import type { DocumentOptions, MupdfDocument } from "../engines/mupdf/document.ts";
import { MupdfError, type MupdfOptions } from "../engines/mupdf/instance/mupdf.ts";
import { DrawnFields } from "./drawn-fields.ts";
import { DrawnFile } from "./drawn-file.ts";
import { DrawnResources } from "./drawn-resources.ts";

/** Returns options for opening a document that is drawn. */
export const asDrawn = (options: MupdfOptions): DocumentOptions => ({
  ...options,
  mend(document) {
    const drawn = new DrawnFile(document);
    const fields = new DrawnFields(drawn);
    const resources = new DrawnResources(drawn);
    return (page) => {
      attempt(document, () => fields.dress(page));
      attempt(document, () => resources.mendPage(page));
    };
  },
});

/** Mends as much as possible. A page is drawn as it is where that fails. */
export function attempt({ engine }: MupdfDocument, mend: () => void): void {
  try {
    mend();
  } catch (error) {
    const isBearable = error instanceof MupdfError || (error instanceof EngineFailure && !engine.dead);
    if (!isBearable) throw error;
    engine.complain(error.message);
  }
}
