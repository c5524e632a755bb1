// Compresses a PDF according to a level or a profile. Yields one output, never larger than the input unless the profile
// asks for that, or the input has a wrong page tree.

import { compressFile } from "../document/compression/compress-file.ts";
import { compressionProfile } from "../document/compression/profile.ts";
import { settingsOfProfile } from "../document/compression/profile-settings.ts";
import { type CompressionSettings, LEVEL_SETTINGS, LEVELS } from "../document/compression/settings.ts";
import { countedNotices, type Notice } from "../document/contract/notice.ts";
import { type Chunks, type Context, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { onlyWith, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { json } from "../document/contract/parameters/json.ts";
import type { Family } from "../document/formats/xmp/claims.ts";
import { Budget } from "../document/objects/budget.ts";
import { MupdfSource } from "../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../document/objects/memory-limits.ts";
import { PdfFile } from "../document/objects/pdf-file.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { countDamagedContents } from "../document/pages/damaged-contents.ts";
import { readPages } from "../document/pages/pages.ts";
import { unprotect } from "../document/pages/unprotect.ts";
import { linearizePdf } from "./linearize-pdf.ts";
import { memoryInput } from "./memory-input.ts";

const parameters = {
  level: parameter(
    "low favors fidelity, and high favors a small file; custom uses the settings of the profile.",
    choice([...LEVELS, "custom"]),
  ),
  profile: onlyWith(
    "level",
    "custom",
    parameter(
      "JSON file with compression settings, at most 1 MB.",
      json(compressionProfile, { name: "CompressionProfile", file: "compression settings" }),
    ),
  ),
};
export type CompressParams = Params<typeof parameters>;

const TYPE = { extension: "pdf", type: "application/pdf" } as const;

/**
 * Heap limit that distinguishes the container from an isolate: an isolate never has this much memory, the container
 * always does.
 */
const CONTAINER_BYTES = 256 * 2 ** 20;

/** @throws EngineFailure `password-protected`, or the failure that the document or the engine caused */
const run: Run<CompressParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  const settings = params.level === "custom" ? settingsOfProfile(params.profile!) : LEVEL_SETTINGS[params.level];
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const objects = await MupdfSource.open(bytes, engineBytes, budget);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const mayGrow = settings.evenIfLarger || objects.hasNewPageTree;
  let ofCopy: readonly Notice[] = [];
  let ofEither: readonly Notice[] = [];
  try {
    const file = PdfFile.inPasses(objects, budget);
    ofCopy = [...unprotect(file, objects, bytes), ...withdrawClaims(file, isBrokenBy(settings))];
    ofEither = countedNotices("damaged-content-kept", countDamagedContents(file, readPages(file).pages));
    const moreElsewhere = context.heapLimitBytes < CONTAINER_BYTES;
    const decoder = { roomBytes: engineBytes, decode: (number: number) => objects.decodeImage(number) };
    const limits = { decodedBytes: objectBytes / 2, kernelBytes: objectBytes, moreElsewhere, decoder };
    for await (const chunk of await compressFile(file, settings, limits, context.signal)) {
      context.signal.throwIfAborted();
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bytes.length && !mayGrow) break;
    }
  } finally {
    objects.close();
  }
  const isTaken = size < bytes.length || mayGrow;
  context.log("document compressed", { from: bytes.length, to: isTaken ? size : bytes.length });
  const notices = isTaken ? [...ofCopy, ...ofEither] : ofEither;
  if (params.level !== "custom" || !settings.forWeb) {
    yield { ...TYPE, body: isTaken ? released(chunks) : bytes, notices: () => notices };
    return;
  }
  for await (const output of linearized(isTaken ? chunks : [bytes], input!, context)) {
    yield { ...output, notices: () => [...notices, ...(output.notices?.() ?? [])] };
  }
};

export const compressPdf = defineOperation({ name: "compress-pdf", parameters, run });

/** Reports for a standard whether a compression breaks its rules on fonts, colors or tags. */
const isBrokenBy =
  ({ discard, fonts }: CompressionSettings) =>
  (family: Family, name: string): boolean => {
    if (fonts.unembedStandard) return true;
    if (discard.has("output-intent") && family !== "PDF/UA") return true;
    return discard.has("document-tags") && (family === "PDF/UA" || /^PDF\/A-\da$/.test(name));
  };

/** Linearizes the output if the profile asks for it, at the cost of a few bytes. */
async function* linearized(chunks: Uint8Array[], { name }: Input, context: Context) {
  const whole = new Uint8Array(Buffer.concat(chunks));
  chunks.length = 0;
  yield* linearizePdf.run([memoryInput(whole, name)], {}, context);
}

/** Releases each chunk once it has been read, so that memory is freed while the output is stored. */
function* released(chunks: Uint8Array[]): Chunks & Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
}
