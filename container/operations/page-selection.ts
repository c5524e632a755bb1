// A page selection as it arrives from the Worker, which may be of another version.

import { z } from "zod";
import type { PageSelection } from "../../src/core/pages.ts";

const position = z.union([z.int(), z.literal("last")]);

export const pageSelection: z.ZodType<PageSelection> = z.object({
  text: z.string(),
  items: z.array(z.union([z.object({ first: position, last: position }), z.enum(["even", "odd"])])),
});
