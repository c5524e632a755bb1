// Compresses a PDF according to a level or a profile. Yields one output, never larger than the input unless the profile
// allows it or the page tree must be repaired.

import { compressFile } from "../document/compression/compress-file.ts";
import { compressionProfile } from "../document/compression/profile.ts";
import { settingsOfProfile } from "../document/compression/profile-settings.ts";
import { type CompressionSettings, LEVEL_SETTINGS, LEVELS } from "../document/compression/settings.ts";
import { settingsFrom } from "../document/compression/target-settings.ts";
import { EngineFailure } from "../document/contract/failure.ts";
import { countedNotices, type Notice } from "../document/contract/notice.ts";
import { type Context, defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { onlyWith, optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { json } from "../document/contract/parameters/json.ts";
import { byteSize } from "../document/contract/parameters/number.ts";
import type { Family } from "../document/formats/xmp/claims.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { countDamagedContents } from "../document/pages/damaged-contents.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { readPages } from "../document/pages/pages.ts";
import { released } from "./in-memory.ts";

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
  targetSize: onlyWith(
    "level",
    LEVELS,
    optional("Size that the file must not exceed. Stronger settings than the level are used if needed.", byteSize),
  ),
};
export type CompressParams = Params<typeof parameters>;

/**
 * Heap limit that distinguishes the container from an isolate: a container always has at least this much memory, an
 * isolate never.
 */
const CONTAINER_BYTES = 256 * 2 ** 20;

/** @throws EngineFailure `password-protected`, `target-missed`, or the failure of the document or the engine */
const run: Run<CompressParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  const { level, targetSize } = params;
  if (level === "custom" || targetSize === undefined) {
    const settings = level === "custom" ? settingsOfProfile(params.profile!) : LEVEL_SETTINGS[level];
    const { body, notices } = await compressed(bytes, settings, context);
    return yield pdfOutput(body, notices);
  }
  const { body, notices } = await compressedTo(targetSize, bytes, settingsFrom(level), context);
  yield pdfOutput(body, notices);
};

export const compressPdf = defineOperation({ name: "compress-pdf", parameters, run });

/**
 * Finds the settings with the smallest loss that reach a size: sizes shrink from one settings to the next, so a binary
 * search needs few attempts.
 * @throws EngineFailure `target-missed`
 */
async function compressedTo(
  targetBytes: number,
  bytes: Uint8Array,
  [first, ...stronger]: ReturnType<typeof settingsFrom>,
  context: Context,
): Promise<Compressed> {
  let best = await compressed(bytes, first, context, { bytes: targetBytes });
  if (best.size <= targetBytes) return best;
  let [low, high] = [0, stronger.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const isLast = middle === stronger.length - 1;
    const attempt = await compressed(bytes, stronger[middle]!, context, { bytes: targetBytes, isCounted: isLast });
    if (attempt.size <= targetBytes || isLast) best = attempt;
    if (attempt.size <= targetBytes) high = middle;
    else low = middle + 1;
  }
  if (best.size <= targetBytes) return best;
  throw new EngineFailure("target-missed", `${best.size} bytes`, { feature: best.size.toLocaleString("en-US") });
}

interface Compressed {
  /** Empty if the size is above the limit. */
  readonly body: Output["body"];
  /** Less than the whole size if it is above the limit and not counted. */
  readonly size: number;
  readonly notices: readonly Notice[];
}

/** @param limit above which the result is not kept; `isCounted` to find its size nevertheless. @default unlimited */
async function compressed(
  bytes: Uint8Array,
  settings: CompressionSettings,
  context: Context,
  limit: { readonly bytes: number; readonly isCounted?: boolean } = { bytes: Number.POSITIVE_INFINITY },
): Promise<Compressed> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let mayGrow = settings.evenIfLarger;
  let ofCopy: readonly Notice[] = [];
  let ofEither: readonly Notice[] = [];
  {
    using pdf = await openPdf(bytes, context, { inPasses: true });
    const { file, source, notices, memory } = pdf;
    const { engineBytes, objectBytes } = memory;
    mayGrow ||= source.hasNewPageTree;
    ofCopy = [...notices, ...withdrawClaims(file, isBrokenBy(settings))];
    ofEither = countedNotices("damaged-content-kept", countDamagedContents(file, readPages(file).pages));
    const moreElsewhere = context.heapLimitBytes < CONTAINER_BYTES;
    const decoder = { roomBytes: engineBytes, decode: (number: number) => source.decodeImage(number) };
    const limits = { decodedBytes: objectBytes / 2, kernelBytes: objectBytes, moreElsewhere, decoder };
    for await (const chunk of await compressFile(file, settings, limits, context.signal)) {
      context.signal.throwIfAborted();
      size += chunk.length;
      if (size <= limit.bytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size >= bytes.length && !mayGrow) break;
      if (size > limit.bytes && !limit.isCounted) break;
    }
  }
  const isTaken = size < bytes.length || mayGrow;
  if (!isTaken) size = bytes.length;
  context.log("document compressed", { from: bytes.length, to: size });
  const notices = isTaken ? [...ofCopy, ...ofEither] : ofEither;
  return { body: isTaken ? released(chunks) : bytes, size, notices };
}

/** Reports whether a compression breaks a standard's rules on fonts, colors or tags. */
const isBrokenBy =
  ({ discard, fonts }: CompressionSettings) =>
  (family: Family, name: string): boolean => {
    if (fonts.unembedStandard) return true;
    if (discard.has("output-intent") && family !== "PDF/UA") return true;
    return discard.has("document-tags") && (family === "PDF/UA" || /^PDF\/A-\da$/.test(name));
  };
