// Recognizes the kind of an input, and provides its content in chunks.
import { PagewrightError } from "./error.ts";

/** A stream with a name and an optional size. If the size is known, a broken upload can be resumed. */
export interface NamedStream {
  readonly stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Name of the file, with its extension. */
  readonly name: string;
  /** Size in bytes. */
  readonly size?: number;
}

/** A file that is stored at the service: part of a result, or the return value of `upload()` or `stored()`. */
export interface StoredInput {
  readonly id: string;
  readonly sizeBytes?: number | undefined;
}

/**
 * One document. The service fetches a URL or string that starts with `http:` or `https:`; any other string is a file
 * path, on platforms with a file system.
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

/**
 * One or more documents, or a promise of them. With a promise, the result of another call can be an input without being
 * awaited.
 */
export type Inputs = Input | PromiseLike<Input | Results> | Results;

/** An input of an operation on several documents, with the pages that the operation uses. */
export interface InputWithPages {
  readonly input: Inputs;
  /** Page selection such as `1-3,last`, `even` or `all`. @default all */
  readonly pages?: string | undefined;
}

/** Earlier name of {@link InputWithPages}, for existing programs. */
export type Selected = InputWithPages;

/** A result with one or more files. */
export interface Results {
  readonly files: readonly StoredInput[];
}

/** A file that is not uploaded yet. */
export interface LocalFile {
  readonly name: string;
  /** Size in bytes; undefined if it is unknown before the end of the stream. */
  readonly sizeBytes: number | undefined;
  /**
   * Reads the bytes from `start` to `end` (exclusive), or fewer at the end of the file. A stream must be read in order;
   * only its last chunk can be read again.
   */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Releases the file or stream. */
  close(): Promise<void>;
}

export type ResolvedInput =
  | { readonly kind: "stored"; readonly id: string; readonly sizeBytes: number | undefined }
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "local"; open(): Promise<LocalFile> };

/** Opens a file by its path. */
export type OpenPath = (path: string | URL) => Promise<LocalFile>;

/** Resolves inputs in order. A result with several files becomes several inputs. */
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

/** Name of a file without a name. It needs no extension, because the service detects the type from the content. */
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
  /** Offset of the buffered bytes. */
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
      // The service has stored only part of the last chunk, so the remaining bytes are sent again.
      return again;
    },
    async close() {
      await chunks.return?.(undefined);
    },
  };
}

/** Iterates over a stream. In Safari, a ReadableStream is not async iterable. */
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
