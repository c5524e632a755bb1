// Reads the content of a page as one stream.

import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { PdfStream, Value } from "../objects/values.ts";

const MAX_CONTENT_BYTES = 64 * 2 ** 20;

/**
 * Returns decoded content; no bytes if it cannot be decoded, because such content paints nothing.
 * @throws EngineFailure `too-large`
 */
export function decodeContent({ body }: PdfStream, limitBytes = MAX_CONTENT_BYTES): Uint8Array {
  try {
    return body.decoded(limitBytes);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "damaged") return new Uint8Array(0);
    throw error;
  }
}

/** Returns all content streams, joined by line breaks, because no token spans two streams (ISO 32000-1, 7.8.2). */
export function contentOf(file: PdfFile, contents: Value | undefined): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const part of file.array(contents) ?? [contents]) {
    const stream = file.stream(part);
    const bytes = stream && decodeContent(stream, MAX_CONTENT_BYTES - size);
    if (!bytes || bytes.length === 0) continue;
    parts.push(bytes, Buffer.from("\n"));
    size += bytes.length + 1;
  }
  return parts.length === 2 ? parts[0]! : new Uint8Array(Buffer.concat(parts));
}
