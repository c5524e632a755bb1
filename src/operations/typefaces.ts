// Declares the operations that read the container's fonts for text that the edge sets.
import * as z from "zod";
import { declareOperation } from "../document/contract/operation.ts";

/** Yields one font. It has no input, and fails with `unsupported` if there is no such font. */
export const readTypeface = declareOperation({
  name: "read-typeface",
  params: z.object({ face: z.string(), member: z.int().min(0).optional(), characters: z.string().optional() }),
});

/** Yields one picture for each emoji, without bytes if there is none. */
export const drawEmoji = declareOperation({ name: "draw-emoji", params: z.object({ sequences: z.array(z.string()) }) });
