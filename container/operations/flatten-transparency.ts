// Flattening, in one of the container's threads: pages are drawn several times each, which is more work and memory than an isolate has.
import { z } from "zod";
import { type FlattenParams, flattenTransparency } from "../../src/operations/flatten-transparency.ts";
import { FLATTENING_QUALITIES } from "../../src/pdf/flattening/settings.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<FlattenParams> = z.object({ quality: z.enum(FLATTENING_QUALITIES) });

export const hostedFlattenTransparency = edgeOperation(flattenTransparency, params);
