// Declares the operation that removes the transparency of a PDF. Its code is in container-only/.
import * as z from "zod";
import { declareOperation } from "../document/contract/operation.ts";
import { FLATTENING_QUALITIES } from "../document/flattening/settings.ts";

const paramsSchema = z.object({ quality: z.enum(FLATTENING_QUALITIES) });
export type FlattenParams = z.infer<typeof paramsSchema>;

export const flattenTransparency = declareOperation({ name: "flatten-transparency", params: paramsSchema });
