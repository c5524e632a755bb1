// A PDF whose images have at most a given resolution on the page, and photographs as JPEG unless nothing may be lost: what Office
// documents and web pages need after they were exported. Tags, links, outlines and forms stay, since nothing but images is replaced.
import { Budget } from "../pdf/budget.ts";
import { limitImages as limitImagesOf } from "../pdf/images/limit-images.ts";
import { MupdfSource } from "../pdf/mupdf-source.ts";
import { PdfFile } from "../pdf/pdf-file.ts";
import { roomOf } from "../pdf/room.ts";
import { writeFile } from "../pdf/writer.ts";
import type { Operation } from "./operation.ts";

export interface LimitImagesParams {
  /** Dots per inch. @default as many as there are */
  readonly maxImageDpi?: number;
  /** Photographs stay what they are, else they become JPEG where that is smaller. */
  readonly lossless: boolean;
  /** Images of more than one bit are left alone. @default false */
  readonly onlyBilevel?: boolean;
}

const TYPE = { extension: "pdf", type: "application/pdf" } as const;

/**
 * One output; the input itself where nothing had to change.
 * @throws EngineFailure what the document or the engine made impossible
 */
export const limitImages: Operation<LimitImagesParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  if (!mayChange(bytes, params)) {
    yield { ...TYPE, body: bytes };
    return;
  }
  const { engineBytes, objectBytes } = roomOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const objects = await MupdfSource.open(bytes, engineBytes, budget);
  try {
    const file = PdfFile.of(objects, budget);
    const memory = { decodedBytes: objectBytes / 2, kernelBytes: objectBytes };
    const { lossless, maxImageDpi, onlyBilevel = false } = params;
    const limits = { lossless, onlyBilevel, memory, ...(maxImageDpi === undefined ? {} : { maxDpi: maxImageDpi }) };
    const limited = await limitImagesOf(file, limits, context.signal);
    context.log("images limited", { ...limited });
    yield { ...TYPE, body: limited.replaced > 0 ? writeFile(file) : bytes };
  } finally {
    objects.close();
  }
};

/** Whether there can be anything to do, told at a glance, even of a part of the file. */
export function mayChange(pdf: Uint8Array, { lossless, maxImageDpi, onlyBilevel }: LimitImagesParams): boolean {
  if (maxImageDpi === undefined && (lossless || onlyBilevel)) return false;
  return onlyBilevel ? hasBilevelImages(pdf) : hasImages(pdf);
}

/** An image XObject says so in plain bytes, as below; its values may be references, which no engine of ours writes there. */
function hasBilevelImages(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return /\/BitsPerComponent\s+1\b|\/ImageMask\s+true/.test(file.toString("latin1"));
}

/**
 * A stream's dictionary is never compressed (ISO 32000-1, 7.5.7), and names are not encrypted: an image XObject says in plain
 * bytes that it is one.
 */
function hasImages(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = file.indexOf("/Image", 0, "latin1"); at >= 0; at = file.indexOf("/Image", at + 1, "latin1")) {
    // Not the procedure sets ImageB, ImageC and ImageI.
    if (!/[A-Za-z]/.test(String.fromCharCode(file[at + 6] ?? 0))) return true;
  }
  return false;
}
