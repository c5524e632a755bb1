// Hosted for what becomes PDF/A: parameters in, and the system's fonts.

import { z } from "zod";
import { countContent } from "../../src/operations/pdfa-steps/count-content.ts";
import { type RepairPdfaParams, repairPdfa } from "../../src/operations/pdfa-steps/repair-pdfa.ts";
import { systemShelf } from "../pdfa/system-shelf.ts";
import { archivalLevel } from "./archival-level.ts";
import { edgeOperation } from "./edge-operation.ts";

const place = z.object({
  pageNumber: z.int().exactOptional(),
  objectNumber: z.int().exactOptional(),
  context: z.string(),
});
const failure = z.object({ clause: z.string(), test: z.int(), places: z.array(place) });
const params: z.ZodType<RepairPdfaParams> = z
  .object({ level: archivalLevel, failures: z.array(failure) })
  .transform((given) => ({ ...given, shelf: systemShelf }));

export const hostedRepairPdfa = edgeOperation(repairPdfa, params);
export const hostedCountContent = edgeOperation(countContent, z.object({}));
