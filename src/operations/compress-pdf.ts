// Compresses a PDF according to a level or a profile. Yields one output, never larger than the input unless the profile
// allows it or the page tree must be repaired.

import { compressFile } from "../document/compression/compress-file.ts";
import { compressionProfile } from "../document/compression/profile.ts";
import { settingsOfProfile } from "../document/compression/profile-settings.ts";
import { type CompressionSettings, LEVEL_SETTINGS, LEVELS } from "../document/compression/settings.ts";
import { countedNotices, type Notice } from "../document/contract/notice.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { onlyWith, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { json } from "../document/contract/parameters/json.ts";
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
};
export type CompressParams = Params<typeof parameters>;

/**
 * Heap limit that distinguishes the container from an isolate: a container always has at least this much memory, an
 * isolate never.
 */
const CONTAINER_BYTES = 256 * 2 ** 20;

/** @throws EngineFailure `password-protected`, or the failure of the document or the engine */
const run: Run<CompressParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  const settings = params.level === "custom" ? settingsOfProfile(params.profile!) : LEVEL_SETTINGS[params.level];
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
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bytes.length && !mayGrow) break;
    }
  }
  const isTaken = size < bytes.length || mayGrow;
  context.log("document compressed", { from: bytes.length, to: isTaken ? size : bytes.length });
  const notices = isTaken ? [...ofCopy, ...ofEither] : ofEither;
  yield pdfOutput(isTaken ? released(chunks) : bytes, notices);
};

export const compressPdf = defineOperation({ name: "compress-pdf", parameters, run });

/** Reports whether a compression breaks a standard's rules on fonts, colors or tags. */
const isBrokenBy =
  ({ discard, fonts }: CompressionSettings) =>
  (family: Family, name: string): boolean => {
    if (fonts.unembedStandard) return true;
    if (discard.has("output-intent") && family !== "PDF/UA") return true;
    return discard.has("document-tags") && (family === "PDF/UA" || /^PDF\/A-\da$/.test(name));
  };
