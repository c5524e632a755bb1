// The edge's own operation, for documents too large for an isolate: the same code with more memory. Flattens
// transparency first if a profile asks for it, which an isolate has no memory for at all.

import { z } from "zod";
import type { Notice } from "../../src/core/notice.ts";
import type { Context, Input, Operation } from "../../src/core/operation.ts";
import { type CompressParams, compressPdf } from "../../src/operations/compress-pdf.ts";
import { flattenTransparency } from "../../src/operations/flatten-transparency.ts";
import { held } from "../../src/operations/held.ts";
import { compressionProfile } from "../../src/pdf/compression/profile.ts";
import { flatteningOf } from "../../src/pdf/compression/profile-settings.ts";
import { LEVELS } from "../../src/pdf/compression/settings.ts";
import type { FlatteningQuality } from "../../src/pdf/flattening/settings.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<CompressParams> = z.discriminatedUnion("level", [
  z.object({ level: z.enum(LEVELS) }),
  z.object({ level: z.literal("custom"), profile: compressionProfile }),
]);

const flattenAndCompress: Operation<CompressParams> = async function* ([input], params, context) {
  const quality = params.level === "custom" ? flatteningOf(params.profile) : undefined;
  const notices: Notice[] = [];
  const source = quality ? await flattened(input!, quality, context, notices) : input!;
  for await (const output of compressPdf([source], params, context)) {
    yield { ...output, notices: () => [...notices, ...(output.notices?.() ?? [])] };
  }
};

/** @param notices receives the losses */
async function flattened(
  input: Input,
  quality: FlatteningQuality,
  context: Context,
  notices: Notice[],
): Promise<Input> {
  const chunks: Uint8Array[] = [];
  for await (const { body, notices: lost } of flattenTransparency([input], { quality }, context)) {
    if (body instanceof Uint8Array) chunks.push(body);
    else for await (const chunk of body) chunks.push(chunk.slice());
    notices.push(...(lost?.() ?? []));
  }
  return held(new Uint8Array(Buffer.concat(chunks)), input.name);
}

export const hostedCompressPdf = edgeOperation(flattenAndCompress, params);
