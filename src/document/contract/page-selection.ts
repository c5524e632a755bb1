// Zod schema of a parsed page selection, as an operation parameter.
import * as z from "zod";
import type { PageSelection } from "./pages.ts";

const position = z.union([z.int(), z.literal("last")]);

export const pageSelection: z.ZodType<PageSelection> = z.object({
  text: z.string(),
  items: z.array(z.union([z.object({ first: position, last: position }), z.enum(["even", "odd"])])),
});
