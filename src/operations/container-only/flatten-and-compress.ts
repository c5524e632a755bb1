// Compresses a PDF by a profile that has its transparency flattened first. Yields one output. Runs only in the
// container, because an isolate does not have the memory for flattening.

import { flatteningOf } from "../../document/compression/profile-settings.ts";
import type { Notice } from "../../document/contract/notice.ts";
import { type Context, defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import type { FlatteningQuality } from "../../document/flattening/settings.ts";
import { type CompressParams, compressPdf } from "../compress-pdf.ts";
import { flattenAndCompress as signature } from "../flatten-and-compress.ts";
import { memoryInput } from "../memory-input.ts";
import { flattenTransparency } from "./flatten-transparency.ts";

/** @throws EngineFailure as the two operations do */
const run: Run<CompressParams> = async function* ([input], params, context) {
  const quality = params.level === "custom" ? flatteningOf(params.profile!) : undefined;
  const notices: Notice[] = [];
  const source = quality ? await flattened(input!, quality, context, notices) : input!;
  for await (const output of compressPdf.run([source], params, context)) {
    yield { ...output, notices: () => [...notices, ...(output.notices?.() ?? [])] };
  }
};

export const flattenAndCompress = defineOperation({ ...signature, run });

/** @param notices receives the losses */
async function flattened(
  input: Input,
  quality: FlatteningQuality,
  context: Context,
  notices: Notice[],
): Promise<Input> {
  const chunks: Uint8Array[] = [];
  for await (const { body, notices: lost } of flattenTransparency.run([input], { quality }, context)) {
    if (body instanceof Uint8Array) chunks.push(body);
    else for await (const chunk of body) chunks.push(chunk.slice());
    notices.push(...(lost?.() ?? []));
  }
  return memoryInput(new Uint8Array(Buffer.concat(chunks)), input.name);
}
