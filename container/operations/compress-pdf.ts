// The edge's own operation, for documents too large for an isolate: the same code, with more memory.

import { z } from "zod";
import { type CompressParams, compressPdf } from "../../src/operations/compress-pdf.ts";
import { compressionProfile } from "../../src/pdf/compression/profile.ts";
import { LEVELS } from "../../src/pdf/compression/settings.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<CompressParams> = z.discriminatedUnion("level", [
  z.object({ level: z.enum(LEVELS) }),
  z.object({ level: z.literal("custom"), profile: compressionProfile }),
]);

export const hostedCompressPdf = edgeOperation(compressPdf, params);
