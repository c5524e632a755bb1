// Reads the content of a page as one stream.

import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Value } from "../objects/values.ts";

const MAX_CONTENT_BYTES = 64 * 2 ** 20;

/** Returns all content streams, joined by line breaks, because no token spans two streams (ISO 32000-1, 7.8.2). */
export function contentOf(file: PdfFile, contents: Value | undefined): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const part of file.array(contents) ?? [contents]) {
    const stream = file.stream(part);
    if (!stream) continue;
    try {
      const bytes = stream.body.decoded(MAX_CONTENT_BYTES - size);
      parts.push(bytes, Buffer.from("\n"));
      size += bytes.length + 1;
    } catch (error) {
      // A stream that cannot be decoded paints nothing.
      if (!(error instanceof EngineFailure) || error.reason !== "damaged") throw error;
    }
  }
  return parts.length === 2 ? parts[0]! : new Uint8Array(Buffer.concat(parts));
}
