// A PDF in fewer bytes, one output: of the level's or the profile's making, and never larger than the input unless that is asked for.
import { Budget } from "../pdf/budget.ts";
import { compressFile } from "../pdf/compression/compress-file.ts";
import type { CompressionProfile } from "../pdf/compression/profile.ts";
import { settingsOfProfile } from "../pdf/compression/profile-settings.ts";
import { LEVEL_SETTINGS, type Level } from "../pdf/compression/settings.ts";
import { countDamagedContents } from "../pdf/damaged-contents.ts";
import { MupdfSource } from "../pdf/mupdf-source.ts";
import { readPages } from "../pdf/pages.ts";
import { PdfFile } from "../pdf/pdf-file.ts";
import { roomOf } from "../pdf/room.ts";
import { held } from "./held.ts";
import { linearizePdf } from "./linearize-pdf.ts";
import { type Notice, noticesOf } from "./notice.ts";
import type { Chunks, Context, Input, Operation } from "./operation.ts";
import { unprotect } from "./unprotect.ts";

export type CompressParams =
  | { readonly level: Level }
  | { readonly level: "custom"; readonly profile: CompressionProfile };

const TYPE = { extension: "pdf", type: "application/pdf" } as const;

/** An isolate never has so much, the container always. */
const CONTAINER_BYTES = 256 * 2 ** 20;

/** @throws EngineFailure `password-protected`, or what else the document or the engine made impossible */
export const compressPdf: Operation<CompressParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  const settings = params.level === "custom" ? settingsOfProfile(params.profile) : LEVEL_SETTINGS[params.level];
  const { engineBytes, objectBytes } = roomOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const objects = await MupdfSource.open(bytes, engineBytes, budget);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let ofCopy: readonly Notice[] = [];
  let ofEither: readonly Notice[] = [];
  try {
    const file = PdfFile.inPasses(objects, budget);
    ofCopy = unprotect(file, objects, bytes);
    ofEither = noticesOf("damaged-content-kept", countDamagedContents(file, readPages(file).pages));
    const moreElsewhere = context.heapLimitBytes < CONTAINER_BYTES;
    const decoder = { roomBytes: engineBytes, decode: (number: number) => objects.decodeImage(number) };
    const limits = { decodedBytes: objectBytes / 2, kernelBytes: objectBytes, moreElsewhere, decoder };
    for await (const chunk of await compressFile(file, settings, limits, context.signal)) {
      context.signal.throwIfAborted();
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bytes.length && !settings.evenIfLarger) break;
    }
  } finally {
    objects.close();
  }
  const isSmaller = size < bytes.length || settings.evenIfLarger;
  context.log("compressed", { from: bytes.length, to: isSmaller ? size : bytes.length });
  const notices = isSmaller ? [...ofCopy, ...ofEither] : ofEither;
  if (params.level !== "custom" || !settings.forWeb) {
    yield { ...TYPE, body: isSmaller ? released(chunks) : bytes, notices: () => notices };
    return;
  }
  for await (const output of linearized(isSmaller ? chunks : [bytes], input!, context)) {
    yield { ...output, notices: () => [...notices, ...(output.notices?.() ?? [])] };
  }
};

/** A profile asks for it, at the price of a few bytes. */
async function* linearized(chunks: Uint8Array[], { name }: Input, context: Context) {
  const whole = new Uint8Array(Buffer.concat(chunks));
  chunks.length = 0;
  yield* linearizePdf([held(whole, name)], {}, context);
}

/** Forgets each chunk once it has been read, so that memory goes down while the output is stored. */
function* released(chunks: Uint8Array[]): Chunks & Generator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
}
