// Page selections as parameters (docs/api.md#page-selections).
import * as z from "zod";
import { HOW_PAGES_ARE_WRITTEN, type PageSelection, parseListedPages, parsePages } from "../pages.ts";
import type { Kind } from "../parameter.ts";

const position = z.union([z.int(), z.literal("last")]);

const pageSelection: z.ZodType<PageSelection> = z.object({
  text: z.string(),
  items: z.array(
    z.union([z.object({ first: position, last: position, isCapped: z.boolean().optional() }), z.enum(["even", "odd"])]),
  ),
});

const expression = (
  control: Kind<PageSelection>["control"],
  examples: readonly string[],
  read: (text: string) => PageSelection | undefined,
): Kind<PageSelection> => ({
  ...{
    value: pageSelection,
    schema: { type: "string", examples },
    control,
    read,
    hint: HOW_PAGES_ARE_WRITTEN,
  },
});

/** A page selection. JSON clients can also send an array of page numbers and ranges. */
export const pages: Kind<PageSelection> = { ...expression("pages", ["1-3,7", "last-1"], parsePages), joint: "," };

/** A page selection that can also include the words `even`, `odd` and `all` (docs/api.md#page-selections). */
export const listedPages: Kind<PageSelection> = expression(
  "listed-pages",
  ["1-3,7", "last-1", "even", "all"],
  parseListedPages,
);
