// The parameter that several operations have.

import { z } from "zod";
import type { ArchivalLevel } from "../../src/pdf/pdfa/level.ts";

export const archivalLevel: z.ZodType<ArchivalLevel> = z.object({
  part: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  conformance: z.enum(["b", "u"]),
});
