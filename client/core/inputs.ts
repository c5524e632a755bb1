// Recognizes what callers give as an input, and makes it readable piece by piece.
import { PagewrightError } from "./error.ts";

/** Bytes that exist only as they are read. With a size, a broken upload can be resumed. */
export interface NamedStream {
  readonly stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Name of the file, with its extension. */
  readonly name: string;
  /** In bytes. */
  readonly size?: number;
}

/** A file that the service has: a result, or what `upload()` and `stored()` return. */
export interface StoredInput {
  readonly id: string;
  readonly sizeBytes?: number | undefined;
}

/**
 * One document. A string or URL that begins with `http:` or `https:` is an address that the service fetches; any other
 * string is the path of a file, in programs that have files.
 */
export type Input =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | NamedStream
  | StoredInput;

/** One or more documents, or a promise of them: an earlier call need not be awaited. */
export type Inputs = Input | PromiseLike<Input | Results> | Results;

/** An input with the pages that an operation on several documents takes from it. */
export interface Selected {
  readonly input: Inputs;
  /** Such as `1-3,last`, `even` or `all`. @default all */
  readonly pages?: string | undefined;
}

/** A result that may have several files. */
export interface Results {
  readonly files: readonly StoredInput[];
}

/** A file whose bytes are not with the service yet. */
export interface LocalFile {
  readonly name: string;
  /** Undefined if nobody knows before the end. */
  readonly sizeBytes: number | undefined;
  /**
   * Reads the bytes from `start` up to `end`, or to the end of the file. Of a stream, pieces are read in their order,
   * and the last one can be read again.
   */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Gives back what reading holds. */
  close(): Promise<void>;
}

export type ResolvedInput =
  | { readonly kind: "stored"; readonly id: string; readonly sizeBytes: number | undefined }
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "local"; open(): Promise<LocalFile> };

/** Opens the path of a file. */
export type OpenPath = (path: string | URL) => Promise<LocalFile>;

/** Resolves inputs, in their order. A result with several files gives each of them. */
export async function resolveInputs(input: Inputs, openPath: OpenPath): Promise<readonly ResolvedInput[]> {
  const settled = isPromise(input) ? await input : input;
  if (isResults(settled)) return settled.files.map(storedOf);
  return [oneOf(settled, openPath)];
}

const storedOf = ({ id, sizeBytes }: StoredInput): ResolvedInput => ({ kind: "stored", id, sizeBytes });

function oneOf(input: Input, openPath: OpenPath): ResolvedInput {
  if (typeof input === "string" || input instanceof URL) {
    const text = String(input);
    if (/^https?:\/\//i.test(text)) return { kind: "address", url: text };
    return { kind: "local", open: () => openPath(input) };
  }
  if (input instanceof Blob) return { kind: "local", open: async () => fileOfBlob(input) };
  if (input instanceof ArrayBuffer || ArrayBuffer.isView(input)) {
    return { kind: "local", open: async () => fileOfBlob(new Blob([input as Uint8Array<ArrayBuffer>])) };
  }
  if (isStream(input)) return { kind: "local", open: async () => fileOfStream({ stream: input, name: UNNAMED }) };
  if (typeof input === "object" && input !== null) {
    if ("stream" in input && isStream(input.stream)) return { kind: "local", open: async () => fileOfStream(input) };
    if ("id" in input && typeof input.id === "string") return storedOf(input);
  }
  throw new PagewrightError(0, "An input is a path, a URL, a Blob, bytes, a stream or an earlier result.");
}

/** The service determines the type from the content. */
const UNNAMED = "document";

const isPromise = (value: unknown): value is PromiseLike<Input | Results> =>
  typeof (value as { then?: unknown } | null)?.then === "function";

const isResults = (value: unknown): value is Results =>
  typeof value === "object" && value !== null && Array.isArray((value as { files?: unknown }).files);

const isStream = (value: unknown): value is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> =>
  value instanceof ReadableStream || typeof (value as AsyncIterable<Uint8Array>)?.[Symbol.asyncIterator] === "function";

export function fileOfBlob(blob: Blob): LocalFile {
  return {
    name: "name" in blob && typeof blob.name === "string" && blob.name !== "" ? blob.name : UNNAMED,
    sizeBytes: blob.size,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
    close: async () => {},
  };
}

function fileOfStream({ stream, name, size }: NamedStream): LocalFile {
  const chunks = chunksOf(stream);
  let held: Uint8Array<ArrayBuffer> = new Uint8Array();
  /** Where the held bytes begin. */
  let heldFrom = 0;
  let rest: Uint8Array = new Uint8Array();
  async function next(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const piece = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      if (rest.length === 0) {
        const { done, value } = await chunks.next();
        if (done) break;
        rest = typeof value === "string" ? new TextEncoder().encode(value) : value;
        continue;
      }
      const part = rest.subarray(0, length - filled);
      piece.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
    }
    return piece.subarray(0, filled);
  }
  return {
    name,
    sizeBytes: size,
    async read(start, end) {
      if (start === heldFrom + held.length) [held, heldFrom] = [await next(end - start), start];
      if (start < heldFrom) throw new PagewrightError(0, "A stream cannot be read again from its start.");
      const again = held.subarray(start - heldFrom, end - heldFrom);
      // The service kept a part of the last piece: its rest goes first.
      return again;
    },
    async close() {
      await chunks.return?.(undefined);
    },
  };
}

/** Safari's streams cannot be iterated. */
async function* chunksOf(stream: NamedStream["stream"]): AsyncGenerator<Uint8Array | string> {
  if (!(stream instanceof ReadableStream)) {
    yield* stream;
    return;
  }
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
