// Reads the body of a POST: its fields, and its files, which go to the store as they arrive. Holds at most one upload
// part of a file. Removes what it stored if the body is invalid or the client disconnects.
import { Busboy, type BusboyFileStream, type BusboyHeaders } from "@fastify/busboy";
import { safeName } from "../core/file-name.ts";
import { mediaTypeOf } from "../core/media-type.ts";
import type { Turns } from "../placement/turns.ts";
import type { Batch } from "../storage/batch.ts";
import type { Arrival } from "../storage/file.ts";
import type { Keeping } from "../storage/kept-bytes.ts";
import { PART_BYTES } from "../storage/lone-files.ts";
import type { Store } from "../storage/store.ts";
import {
  bodyTooLarge,
  fieldTooLarge,
  fileTooLarge,
  malformedBody,
  malformedJson,
  tooManyFields,
  tooManyInputs,
  wrongContentType,
} from "./errors.ts";
import { isFilled, type SentFields } from "./fields.ts";

/**
 * A request's fields and files. All spellings of lists are equivalent: `pages[]`, repeated `pages`, and `pages[0]`,
 * `pages[1]`.
 */
export interface Form extends SentFields {
  /** Files by the name of their field, in the same order. */
  readonly files: ReadonlyMap<string, readonly Arrival[]>;
  /** All files, on their way into the store. */
  readonly uploads: Batch;
  /** Names of fields and files in the order of arrival, one entry for each value. */
  readonly order: readonly string[];
  /** Encoding of the body. JSON clients may leave out what multipart clients must send (WIRE: `output`). */
  readonly encoding: "multipart" | "json";
}

export interface FormOptions {
  readonly store: Store;
  /** Names of the file fields. A part with any other name is a field, whatever its headers claim. */
  readonly fileFields: ReadonlySet<string>;
  /** Names of the file fields that hold text, which is a string in a JSON body. */
  readonly textFields: ReadonlySet<string>;
  /** Names of the fields that are small JSON files. Their text becomes a value of the field. */
  readonly jsonFileFields: ReadonlySet<string>;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Limits concurrent uploads, because each holds a buffer of one part. */
  readonly uploadTurns: Turns;
  /** Memory for files until the request ends. Files stay in memory as long as there is room. */
  readonly keeping: Keeping;
  /** Memory for files that wait to be stored together with others. */
  readonly waiting: Keeping;
  readonly signal: AbortSignal;
  /** Size of the whole body in bytes, if the client sent it. */
  readonly bodySize?: number;
}

const MAX_FIELD_BYTES = 64 * 2 ** 10;
/** Size limit of a small JSON file. */
export const MAX_JSON_FILE_BYTES = 2 ** 20;
const MAX_JSON_BYTES = 8 * 2 ** 20;
/** Size limit of all fields together. */
const MAX_FIELDS_BYTES = 4 * 2 ** 20;
/**
 * Returns the limit of parts. Each input can have a file, an id, a type and an expression, and there are fields that do
 * not belong to inputs.
 */
const maxParts = (maxFiles: number) => 4 * maxFiles + 1000;
/**
 * Size limit of a body whose files are each stored in one piece and not read back from storage. Most requests are below
 * it.
 */
export const WHOLE_BYTES = 8 * 2 ** 20;
/** Size of a read. The runtime's own chunks are small, and each costs a turn of all code that processes it. */
const READ_BYTES = 2 ** 16;
/**
 * Limits how much of a refused upload is read and dropped: many clients read the response only after they have sent
 * everything.
 */
const MAX_DRAINED_BYTES = 256 * 2 ** 20;

/** @throws ServiceError 400, 413, 415, 503 */
export async function readForm(request: Request, options: FormOptions): Promise<Form> {
  const uploads = options.store.batch("input", options.waiting);
  const contentType = request.headers.get("Content-Type") ?? "";
  if (request.body === null || request.headers.get("Content-Length") === "0") {
    return { fields: new Map(), files: new Map(), uploads, order: [], encoding: "multipart" };
  }
  if (/^multipart\/form-data\b/i.test(contentType)) {
    const bodySize = Number(request.headers.get("Content-Length") ?? Number.NaN);
    return readMultipart(request.body, contentType, uploads, { ...options, ...(bodySize > 0 ? { bodySize } : {}) });
  }
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return readJson(request.body, uploads, options);
  throw wrongContentType();
}

/** A field or file as it was sent: `pages[2]` is `{ name: "pages", index: 2 }`. */
interface Entry<T> {
  readonly name: string;
  readonly index: number;
  readonly value: T;
}

async function readMultipart(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  uploads: Batch,
  options: FormOptions,
): Promise<Form> {
  const { bodySize = 0 } = options;
  const fields: Entry<string>[] = [];
  const files: Entry<Arrival>[] = [];
  const order: string[] = [];
  const isKept = bodySize > 0 && bodySize <= WHOLE_BYTES && options.keeping.take(bodySize);
  let fieldBytes = 0;
  let fileCount = 0;
  const open = new Set<BusboyFileStream>();
  let failure: unknown;
  // Files are stored one after the other, so the file being stored applies backpressure to the body.
  let storing: Promise<void> = Promise.resolve();
  let busboy: InstanceType<typeof Busboy>;

  const failed = Promise.withResolvers<void>();
  const fail = (error: unknown) => {
    failure ??= error;
    // A destroyed file stream blocks busboy for good, so nothing waits for busboy from here on.
    for (const stream of open) stream.destroy();
    failed.resolve();
  };

  try {
    busboy = new Busboy({
      headers: { "content-type": contentType } as BusboyHeaders,
      preservePath: true,
      isPartAFile: (name) => {
        const key = name === undefined ? "" : parseName(name).name;
        return options.fileFields.has(key) || options.jsonFileFields.has(key);
      },
      limits: { fieldSize: MAX_FIELD_BYTES, fieldNameSize: 200, parts: maxParts(options.maxFiles) },
    });
  } catch {
    await body.cancel();
    throw malformedBody();
  }
  const finished = new Promise<void>((resolve) => busboy.on("finish", resolve));
  busboy.on("error", () => fail(malformedBody()));
  busboy.on("partsLimit", () => fail(tooManyFields()));
  const addField = (key: Pick<Entry<string>, "name" | "index">, value: string) => {
    fieldBytes += value.length;
    if (fieldBytes > MAX_FIELDS_BYTES) fail(tooManyFields());
    if (!failure) fields.push({ ...key, value });
  };
  busboy.on("field", (name, value, _nameTruncated, valueTruncated) => {
    if (name === undefined) return;
    const key = parseName(name);
    if (valueTruncated) fail(fieldTooLarge(key.name));
    addField(key, value);
    order.push(key.name);
  });
  busboy.on("file", (name, stream, fileName) => {
    open.add(stream);
    stream.on("error", () => fail(malformedBody()));
    const key = parseName(name);
    const isJson = options.jsonFileFields.has(key.name);
    if (!isJson && ++fileCount > options.maxFiles) fail(tooManyInputs());
    order.push(key.name);
    storing = storing.then(async () => {
      try {
        if (isJson) {
          const text = failure ? undefined : await readSmallFile(stream, fileName);
          if (text !== undefined) addField(key, text);
          return;
        }
        // Only for the first file can the body's length serve as a size hint.
        const { bodySize: _, ...others } = options;
        const known = files.length === 0 ? options : others;
        const file = failure ? undefined : await storePart(stream, fileName, uploads, known, isKept);
        if (file) files.push({ ...key, value: isKept ? file : remember(file, options.keeping) });
      } catch (error) {
        fail(error);
      } finally {
        open.delete(stream);
        stream.resume();
      }
    });
  });

  const reader = body.getReader({ mode: "byob" });
  const gone = () => fail(options.signal.reason);
  options.signal.addEventListener("abort", gone);
  try {
    let drained = 0;
    for (;;) {
      // This throws only if the client has disconnected, so nobody reads the response.
      const { done, value } = await reader
        .readAtLeast(READ_BYTES, new Uint8Array(READ_BYTES))
        .catch(() => Promise.reject(malformedBody()));
      if (done) break;
      if (failure) {
        drained += value.length;
        if (drained > MAX_DRAINED_BYTES || options.signal.aborted) break;
      } else if (!busboy.write(value)) {
        await Promise.race([new Promise((resolve) => busboy.once("drain", resolve)), failed.promise]);
      }
    }
    if (!failure) {
      busboy.end();
      await Promise.race([finished, failed.promise]);
    }
  } catch (error) {
    fail(error);
  } finally {
    options.signal.removeEventListener("abort", gone);
    void reader.cancel().catch(() => {});
  }
  await storing;
  if (failure) {
    await uploads.discard();
    throw failure;
  }
  // A text is not kept, so it need not be stored if it is in memory.
  if (options.textFields.size === 0 || files.some(({ value }) => !value.bytes)) uploads.send();
  return { fields: grouped(fields), files: grouped(files), uploads, order, encoding: "multipart" };
}

/** Returns the file without its bytes if there is no memory to keep them. */
function remember(file: Arrival, keeping: Keeping): Arrival {
  const { bytes, ...rest } = file;
  return !bytes || keeping.take(bytes.length) ? file : rest;
}

async function storePart(
  stream: BusboyFileStream,
  fileName: string | undefined,
  uploads: Batch,
  { maxFileBytes, uploadTurns, signal, bodySize }: FormOptions,
  isKept: boolean,
): Promise<Arrival | undefined> {
  using _turn = await uploadTurns.take(signal);
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first = await chunks.next();
  // A form sends a part without a name and without content for a file input that was left empty.
  if (first.done && !fileName) return undefined;
  const name = safeName(decodeEncodedWords(fileName ?? "")) || "file";
  async function* counted(): AsyncGenerator<Uint8Array> {
    let total = 0;
    for (let next = first; !next.done; next = await chunks.next()) {
      total += next.value.length;
      if (total > maxFileBytes) throw fileTooLarge(maxFileBytes);
      yield next.value;
    }
    if (stream.destroyed && !stream.readableEnded) throw malformedBody();
  }
  return uploads.receive({
    name,
    type: (start) => mediaTypeOf(start, name),
    body: counted(),
    ...(bodySize ? { sizeHint: bodySize } : {}),
    ...(isKept && bodySize && bodySize > PART_BYTES ? { partBytes: bodySize } : {}),
  });
}

/**
 * @returns the text, or slightly more than {@link MAX_JSON_FILE_BYTES} of it, possibly cut within a character;
 * undefined if no file was sent
 */
async function readSmallFile(stream: BusboyFileStream, fileName: string | undefined): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let room = MAX_JSON_FILE_BYTES + 4;
  let text = "";
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk.subarray(0, room), { stream: true });
    room -= Math.min(room, chunk.length);
  }
  if (room > 0) text += decoder.decode();
  return fileName || isFilled(text) ? text : undefined;
}

async function readJson(
  body: ReadableStream<Uint8Array>,
  uploads: Batch,
  { textFields, jsonFileFields, maxFiles }: FormOptions,
): Promise<Form> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let value: unknown;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes <= MAX_JSON_BYTES) chunks.push(chunk);
    else if (bytes > MAX_DRAINED_BYTES) break;
  }
  if (bytes > MAX_JSON_BYTES) throw bodyTooLarge(MAX_JSON_BYTES);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    value = JSON.parse(chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode());
  } catch {
    throw malformedJson();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformedJson();
  const fields: Entry<string>[] = [];
  const emptyLists: string[] = [];
  for (const [name, given] of Object.entries(value)) {
    const { name: listName } = parseName(name);
    const isJsonFile = jsonFileFields.has(listName);
    if (Array.isArray(given) && given.length === 0 && !isJsonFile) emptyLists.push(listName);
    for (const item of Array.isArray(given) && !isJsonFile ? given : [given]) {
      if (item === null) continue;
      const field = { ...parseName(name), value: typeof item === "string" ? item : JSON.stringify(item) };
      const isLong = textFields.has(field.name) || isJsonFile;
      if (field.value.length > MAX_FIELD_BYTES && !isLong) throw fieldTooLarge(field.name);
      if (isJsonFile && !isFilled(field.value)) continue;
      fields.push(field);
      if (fields.length > maxParts(maxFiles)) throw tooManyFields();
    }
  }
  const order = fields.map(({ name }) => name);
  const files: Entry<Arrival>[] = [];
  for (const { name, index, value } of fields.filter(({ name }) => textFields.has(name))) {
    const content = new TextEncoder().encode(value);
    files.push({ name, index, value: await uploads.receive({ name, type: "text/plain", body: content }) });
  }
  const groups = grouped(fields);
  for (const name of emptyLists) if (!groups.has(name)) groups.set(name, []);
  return { fields: groups, files: grouped(files), uploads, order, encoding: "json" };
}

function parseName(spelling: string): { name: string; index: number } {
  const match = /^([^[\]]+)\[(\d{0,6})\]$/.exec(spelling);
  if (!match) return { name: spelling, index: Number.POSITIVE_INFINITY };
  return { name: match[1]!, index: match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]) };
}

function grouped<T>(entries: readonly Entry<T>[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  // The sort is stable: entries without an index keep their order of arrival, after those that have one.
  for (const { name, value } of entries.toSorted((a, b) => (a.index === b.index ? 0 : a.index - b.index))) {
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** Decodes RFC 2047 encoded words, which some clients use for file names. */
function decodeEncodedWords(text: string): string {
  return text.replace(/=\?([\w-]+)\?([BQ])\?([^?]*)\?=/gi, (whole, charset: string, encoding: string, data: string) => {
    try {
      const binary =
        encoding.toUpperCase() === "B"
          ? atob(data)
          : data
              .replaceAll("_", " ")
              .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return new TextDecoder(charset).decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
    } catch {
      return whole;
    }
  });
}
