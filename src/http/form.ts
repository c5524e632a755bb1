// Reads the body of a POST: its fields, and its files, which go to the store as they arrive. Holds at most one upload
// part of a file. Removes what it stored if the body is invalid or the client disconnects.
import { Busboy, type BusboyFileStream, type BusboyHeaders } from "@fastify/busboy";
import { safeName } from "../core/file-name.ts";
import { LIMITS } from "../core/limits.ts";
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
import { decodeEncodedWords, type FormEntry, type FormKey, grouped, parseName } from "./form-entries.ts";

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
  /** True if files need not outlive the request. They are stored only if there is no memory for them. */
  readonly isTransient: boolean;
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

/** Returns the limit of parts. */
const maxParts = (maxFiles: number) => LIMITS.formPartsPerInput * maxFiles + LIMITS.formParts;
/** Size of a read. The runtime's own chunks are small, and each costs a turn of all code that processes it. */
const READ_BYTES = 2 ** 16;

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

async function readMultipart(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  uploads: Batch,
  options: FormOptions,
): Promise<Form> {
  let busboy: InstanceType<typeof Busboy>;
  try {
    busboy = new Busboy({
      headers: { "content-type": contentType } as BusboyHeaders,
      preservePath: true,
      isPartAFile: (name) => {
        const key = name === undefined ? "" : parseName(name).name;
        return options.fileFields.has(key) || options.jsonFileFields.has(key);
      },
      limits: { fieldSize: LIMITS.fieldBytes, fieldNameSize: 200, parts: maxParts(options.maxFiles) },
    });
  } catch {
    await body.cancel();
    throw malformedBody();
  }
  return new MultipartReader(busboy, uploads, options).read(body);
}

/** Reads one multipart body. */
class MultipartReader {
  readonly #busboy: InstanceType<typeof Busboy>;
  readonly #uploads: Batch;
  readonly #options: FormOptions;
  readonly #isKept: boolean;
  readonly #fields: FormEntry<string>[] = [];
  readonly #files: FormEntry<Arrival>[] = [];
  readonly #order: string[] = [];
  readonly #open = new Set<BusboyFileStream>();
  readonly #finished: Promise<void>;
  readonly #failed = Promise.withResolvers<void>();
  #fieldBytes = 0;
  #fileCount = 0;
  #failure: unknown;
  /** Files are stored one after the other, so the file being stored applies backpressure to the body. */
  #storing: Promise<void> = Promise.resolve();

  constructor(busboy: InstanceType<typeof Busboy>, uploads: Batch, options: FormOptions) {
    const { bodySize = 0 } = options;
    this.#busboy = busboy;
    this.#uploads = uploads;
    this.#options = options;
    this.#isKept = bodySize > 0 && bodySize <= LIMITS.keptUploadBytes && options.keeping.take(bodySize);
    this.#finished = new Promise<void>((resolve) => busboy.on("finish", resolve));
    busboy.on("error", () => this.#fail(malformedBody()));
    busboy.on("partsLimit", () => this.#fail(tooManyFields()));
    busboy.on("field", (name, value, _nameTruncated, valueTruncated) => {
      if (name !== undefined) this.#takeField(parseName(name), value, valueTruncated);
    });
    busboy.on("file", (name, stream, fileName) => this.#takeFile(parseName(name), stream, fileName));
  }

  async read(body: ReadableStream<Uint8Array>): Promise<Form> {
    const { signal, isTransient } = this.#options;
    const reader = body.getReader({ mode: "byob" });
    const gone = () => this.#fail(signal.reason);
    signal.addEventListener("abort", gone);
    try {
      await this.#feed(reader);
    } catch (error) {
      this.#fail(error);
    } finally {
      signal.removeEventListener("abort", gone);
      void reader.cancel().catch(() => {});
    }
    await this.#storing;
    if (this.#failure) {
      await this.#uploads.discard();
      throw this.#failure;
    }
    const files = this.#files;
    if (!isTransient || files.some(({ value }) => !value.bytes)) this.#uploads.send();
    return {
      fields: grouped(this.#fields),
      files: grouped(files),
      uploads: this.#uploads,
      order: this.#order,
      encoding: "multipart",
    };
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    // A destroyed file stream blocks busboy for good, so nothing waits for busboy from here on.
    for (const stream of this.#open) stream.destroy();
    this.#failed.resolve();
  }

  #addField(key: FormKey, value: string): void {
    this.#fieldBytes += value.length;
    if (this.#fieldBytes > LIMITS.fieldsBytes) this.#fail(tooManyFields());
    if (!this.#failure) this.#fields.push({ ...key, value });
  }

  #takeField(key: FormKey, value: string, isTruncated: boolean): void {
    if (isTruncated) this.#fail(fieldTooLarge(key.name));
    this.#addField(key, value);
    this.#order.push(key.name);
  }

  #takeFile(key: FormKey, stream: BusboyFileStream, fileName: string | undefined): void {
    this.#open.add(stream);
    stream.on("error", () => this.#fail(malformedBody()));
    const isJson = this.#options.jsonFileFields.has(key.name);
    if (!isJson && ++this.#fileCount > this.#options.maxFiles) this.#fail(tooManyInputs());
    this.#order.push(key.name);
    this.#storing = this.#storing.then(async () => {
      try {
        if (isJson) await this.#readJsonFile(key, stream, fileName);
        else await this.#storeFile(key, stream, fileName);
      } catch (error) {
        this.#fail(error);
      } finally {
        this.#open.delete(stream);
        stream.resume();
      }
    });
  }

  async #readJsonFile(key: FormKey, stream: BusboyFileStream, fileName: string | undefined): Promise<void> {
    const text = this.#failure ? undefined : await readSmallFile(stream, fileName);
    if (text !== undefined) this.#addField(key, text);
  }

  async #storeFile(key: FormKey, stream: BusboyFileStream, fileName: string | undefined): Promise<void> {
    if (this.#failure) return;
    // Only for the first file can the body's length serve as a size hint.
    const { bodySize: _, ...others } = this.#options;
    const known = this.#files.length === 0 ? this.#options : others;
    const file = await storePart(stream, fileName, this.#uploads, known, this.#isKept);
    if (file) this.#files.push({ ...key, value: this.#isKept ? file : remember(file, this.#options.keeping) });
  }

  /** Passes the body on until its end, or until a failure and a limited number of bytes after it. */
  async #feed(reader: ReadableStreamBYOBReader): Promise<void> {
    const busboy = this.#busboy;
    let drained = 0;
    for (;;) {
      // This throws only if the client has disconnected, so nobody reads the response.
      const { done, value } = await reader
        .readAtLeast(READ_BYTES, new Uint8Array(READ_BYTES))
        .catch(() => Promise.reject(malformedBody()));
      if (done) break;
      if (this.#failure) {
        drained += value.length;
        if (drained > LIMITS.drainedBytes || this.#options.signal.aborted) break;
      } else if (!busboy.write(value)) {
        await Promise.race([new Promise((resolve) => busboy.once("drain", resolve)), this.#failed.promise]);
      }
    }
    if (this.#failure) return;
    busboy.end();
    await Promise.race([this.#finished, this.#failed.promise]);
  }
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
  { maxFileBytes, uploadTurns, signal, bodySize, isTransient }: FormOptions,
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
    isHeld: isKept && isTransient,
  });
}

/**
 * @returns the text, or slightly more of it than a JSON file may have, possibly cut within a character;
 * undefined if no file was sent
 */
async function readSmallFile(stream: BusboyFileStream, fileName: string | undefined): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let room = LIMITS.jsonFileBytes + 4;
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
    if (bytes <= LIMITS.jsonBodyBytes) chunks.push(chunk);
    else if (bytes > LIMITS.drainedBytes) break;
  }
  if (bytes > LIMITS.jsonBodyBytes) throw bodyTooLarge(LIMITS.jsonBodyBytes);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    value = JSON.parse(chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode());
  } catch {
    throw malformedJson();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformedJson();
  const fields: FormEntry<string>[] = [];
  const emptyLists: string[] = [];
  for (const [name, given] of Object.entries(value)) {
    const { name: listName } = parseName(name);
    const isJsonFile = jsonFileFields.has(listName);
    if (Array.isArray(given) && given.length === 0 && !isJsonFile) emptyLists.push(listName);
    for (const item of Array.isArray(given) && !isJsonFile ? given : [given]) {
      if (item === null) continue;
      const field = { ...parseName(name), value: typeof item === "string" ? item : JSON.stringify(item) };
      const isLong = textFields.has(field.name) || isJsonFile;
      if (field.value.length > LIMITS.fieldBytes && !isLong) throw fieldTooLarge(field.name);
      if (isJsonFile && !isFilled(field.value)) continue;
      fields.push(field);
      if (fields.length > maxParts(maxFiles)) throw tooManyFields();
    }
  }
  const order = fields.map(({ name }) => name);
  const files: FormEntry<Arrival>[] = [];
  for (const { name, index, value } of fields.filter(({ name }) => textFields.has(name))) {
    const content = new TextEncoder().encode(value);
    files.push({ name, index, value: await uploads.receive({ name, type: "text/plain", body: content }) });
  }
  const groups = grouped(fields);
  for (const name of emptyLists) if (!groups.has(name)) groups.set(name, []);
  return { fields: groups, files: grouped(files), uploads, order, encoding: "json" };
}
