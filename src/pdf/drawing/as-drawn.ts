// Mends what the engine would draw differently from other viewers, page by page and in memory alone.
import type { MupdfOptions } from "../../engines/mupdf/mupdf.ts";
import { DrawnFields } from "./drawn-fields.ts";

/** Returns options for opening a document that is drawn. */
export const asDrawn = <T extends MupdfOptions>(options: T): T & Pick<MupdfOptions, "mend"> => ({
  ...options,
  mend(document) {
    const fields = new DrawnFields(document);
    return (page) => fields.dress(page);
  },
});
