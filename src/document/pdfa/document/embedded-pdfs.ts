// Finds the PDFs embedded in a document (ISO 32000-1, 7.11.4), always in the same order.
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, Reference } from "../../objects/values.ts";

export interface EmbeddedPdf {
  /** Reference to the stream. */
  readonly reference: Reference;
  readonly stream: PdfStream;
  readonly bytes: Uint8Array;
}

const MOST_BYTES = 64 * 2 ** 20;
const HEADER = "%PDF-";

export function* embeddedPdfs(file: PdfFile): Generator<EmbeddedPdf> {
  const seen = new Set<number>();
  for (let number = 1, end = file.size; number < end; number++) {
    const object = file.get(new Reference(number));
    const dictionary = object instanceof PdfStream ? object.dictionary : object;
    if (!(dictionary instanceof Dictionary)) continue;
    for (const reference of file.dictionary(dictionary.get("EF"))?.values() ?? []) {
      const stream = file.stream(reference);
      if (!stream || !(reference instanceof Reference) || seen.has(reference.number)) continue;
      seen.add(reference.number);
      const bytes = decoded(stream);
      if (bytes && Buffer.from(bytes.subarray(0, HEADER.length)).toString("latin1") === HEADER) {
        yield { reference, stream, bytes };
      }
    }
  }
}

function decoded({ body }: PdfStream): Uint8Array | undefined {
  try {
    return body.decoded(MOST_BYTES);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason !== "crashed") return undefined;
    throw error;
  }
}
