// Parses a multipart body. Collects fields in memory, and writes files to the store as they arrive. Buffers at most one
// upload part of a file.
import { Busboy, type BusboyFileStream, type BusboyHeaders } from "@fastify/busboy";
import { safeFolder, safeName } from "../../../document/contract/file-name.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { detectMediaType } from "../../../document/contract/media-type.ts";
import { textOfFile } from "../../../document/contract/parameters/text.ts";
import type { Batch } from "../../storage/batch.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import { PART_BYTES } from "../../storage/standalone-files.ts";
import { fieldTooLarge, fileTooLarge, malformedBody, tooManyFields, tooManyInputs } from "../contract/errors.ts";
import { isFilled } from "../contract/fields.ts";
import { type Form, type FormOptions, maxParts } from "../contract/form.ts";
import { ArrivingBody, hold } from "./arriving-body.ts";
import {
  decodeEncodedWords,
  type FormEntry,
  type FormKey,
  grouped,
  parseName,
  withOneFileName,
} from "./form-entries.ts";

/** Memory that is reserved before the first byte arrives: the size of one read. */
const MIN_HELD_BYTES = 2 ** 16;

export async function readMultipart(
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
        return [options.fileFields, options.jsonFileFields, options.secretFileFields].some((names) => names?.has(key));
      },
      limits: { fieldSize: LIMITS.fieldBytes, fieldNameSize: 200, parts: maxParts(options.maxFiles) },
    });
  } catch {
    await body.cancel();
    throw malformedBody();
  }
  preferExtendedNames(busboy);
  return new MultipartReader(busboy, uploads, options).read(body);
}

/**
 * Busboy's internal parser, which its types do not contain. It emits an event for each part, and then for the headers
 * of the part.
 */
interface PartParser {
  readonly _parser: {
    readonly parser: {
      prependListener(
        event: "part",
        listener: (part: { on(event: "header", listener: (fields: Record<string, string[]>) => void): void }) => void,
      ): void;
    };
  };
}

/**
 * Makes busboy prefer `filename*` if a part also has `filename`. By default, busboy uses the first name, which is
 * usually an ASCII substitute.
 */
function preferExtendedNames(busboy: unknown): void {
  (busboy as PartParser)._parser.parser.prependListener("part", (part) => {
    part.on("header", (fields) => {
      const [disposition] = fields["content-disposition"] ?? [];
      if (/filename\*/i.test(disposition ?? "")) fields["content-disposition"] = [withOneFileName(disposition!)];
    });
  });
}

/** Parses one multipart body. */
class MultipartReader {
  readonly #busboy: InstanceType<typeof Busboy>;
  readonly #uploads: Batch;
  readonly #options: FormOptions;
  readonly #isKept: boolean;
  readonly #fields: FormEntry<string>[] = [];
  readonly #files: FormEntry<ReceivedFile>[] = [];
  readonly #order: string[] = [];
  readonly #open = new Set<BusboyFileStream>();
  readonly #finished: Promise<void>;
  readonly #failed = Promise.withResolvers<void>();
  #fieldBytes = 0;
  #fileCount = 0;
  #failure: unknown;
  /**
   * Settles when the current file is stored. Files are stored one after the other, so that a slow store slows down the
   * reading of the body.
   */
  #storing: Promise<void> = Promise.resolve();

  constructor(busboy: InstanceType<typeof Busboy>, uploads: Batch, options: FormOptions) {
    const { bodySize = 0 } = options;
    this.#busboy = busboy;
    this.#uploads = uploads;
    this.#options = options;
    this.#isKept = bodySize > 0 && options.uploadReservation.tryReserve(bodySize);
    this.#finished = new Promise<void>((resolve) => busboy.on("finish", resolve));
    this.#hold(MIN_HELD_BYTES);
    busboy.on("error", () => this.#fail(malformedBody()));
    busboy.on("partsLimit", () => this.#fail(tooManyFields()));
    busboy.on("field", (name, value, _nameTruncated, valueTruncated) => {
      if (name !== undefined) this.#takeField(parseName(name), value, valueTruncated);
    });
    busboy.on("file", (name, stream, fileName) => this.#takeFile(parseName(name), stream, fileName));
  }

  async read(body: ReadableStream<Uint8Array>): Promise<Form> {
    const { signal, isTransient } = this.#options;
    const arriving = new ArrivingBody(body);
    const onAbort = () => this.#fail(signal.reason);
    signal.addEventListener("abort", onAbort);
    try {
      await this.#feed(arriving);
    } catch (error) {
      this.#fail(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      arriving.cancel();
    }
    await this.#storing;
    if (this.#failure) {
      await this.#uploads.discard();
      throw this.#failure;
    }
    const files = this.#files;
    if (!isTransient || files.some(({ value }) => !value.bytes)) this.#uploads.flush();
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
    // A destroyed file stream blocks busboy permanently, so `#failed` ends every wait for busboy.
    for (const stream of this.#open) stream.destroy();
    this.#failed.resolve();
  }

  #addField(key: FormKey, value: string): void {
    this.#fieldBytes += value.length;
    if (this.#fieldBytes > LIMITS.fieldsBytes) this.#fail(tooManyFields());
    this.#hold(value.length);
    if (!this.#failure) this.#fields.push({ ...key, value });
  }

  #hold(bytes: number): void {
    try {
      hold(this.#options.bodyReservation, bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  #takeField(key: FormKey, value: string, isTruncated: boolean): void {
    if (isTruncated) this.#fail(fieldTooLarge(key.name));
    this.#addField(key, value);
    this.#order.push(key.name);
  }

  #takeFile(key: FormKey, stream: BusboyFileStream, fileName: string | undefined): void {
    this.#open.add(stream);
    stream.on("error", () => this.#fail(malformedBody()));
    const { jsonFileFields, secretFileFields } = this.#options;
    const isSecret = secretFileFields?.has(key.name) ?? false;
    const isJson = jsonFileFields?.has(key.name) ?? false;
    if (!isJson && !isSecret && ++this.#fileCount > this.#options.maxFiles) this.#fail(tooManyInputs());
    this.#order.push(key.name);
    this.#storing = this.#storing.then(async () => {
      try {
        if (isJson) await this.#readSmallFile(key, stream, fileName, textOfJson);
        else if (isSecret) await this.#readSmallFile(key, stream, fileName, textOfFile);
        else await this.#storeFile(key, stream, fileName);
      } catch (error) {
        this.#fail(error);
      } finally {
        this.#open.delete(stream);
        stream.resume();
      }
    });
  }

  async #readSmallFile(
    key: FormKey,
    stream: BusboyFileStream,
    fileName: string | undefined,
    read: (bytes: Uint8Array) => string,
  ): Promise<void> {
    if (this.#failure) return;
    const text = read(await beginningOf(stream, this.#options.bodyReservation));
    if (fileName || isFilled(text)) this.#addField(key, text);
  }

  async #storeFile(key: FormKey, stream: BusboyFileStream, fileName: string | undefined): Promise<void> {
    if (this.#failure) return;
    // The length of the body limits the size of the first file. For later files, it would be too large a hint.
    const { bodySize: _, ...others } = this.#options;
    const known = this.#files.length === 0 ? this.#options : others;
    const file = await storePart(stream, fileName, this.#uploads, known, this.#isKept);
    if (file)
      this.#files.push({ ...key, value: this.#isKept ? file : retainBytes(file, this.#options.uploadReservation) });
  }

  /** Passes the body to the parser. After a failure, only discards the remaining body, up to a limit. */
  async #feed(arriving: ArrivingBody): Promise<void> {
    const busboy = this.#busboy;
    let drained = 0;
    for (;;) {
      const piece = await arriving.read();
      if (!piece) break;
      if (this.#failure) {
        drained += piece.length;
        if (drained > LIMITS.drainedBytes || this.#options.signal.aborted) break;
      } else if (!busboy.write(piece)) {
        await Promise.race([new Promise((resolve) => busboy.once("drain", resolve)), this.#failed.promise]);
      }
    }
    if (this.#failure) return;
    busboy.end();
    await Promise.race([this.#finished, this.#failed.promise]);
  }
}

/** Returns the file. Omits its bytes if the reservation has no space for them. */
export function retainBytes(file: ReceivedFile, keeping: Reservation): ReceivedFile {
  const { bytes, ...rest } = file;
  return !bytes || keeping.tryReserve(bytes.length) ? file : rest;
}

async function storePart(
  stream: BusboyFileStream,
  fileName: string | undefined,
  uploads: Batch,
  options: FormOptions,
  isKept: boolean,
): Promise<ReceivedFile | undefined> {
  const { maxFileBytes, uploadSemaphore, signal, bodySize, isTransient, onFileStart } = options;
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first = await chunks.next();
  // If the user selected no file, a form sends a part without file name and content.
  if (first.done && !fileName) return undefined;
  const path = decodeEncodedWords(fileName ?? "");
  const name = safeName(path) || "file";
  const folder = safeFolder(path);
  if (!first.done) onFileStart?.(first.value, name);
  using _turn = await uploadSemaphore.acquire(signal);
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
    if (stream.destroyed && !stream.readableEnded) throw malformedBody();
  }
  const file = await uploads.add({
    name,
    type: (start) => detectMediaType(start, name),
    body: enforceMaxBytes(body(), maxFileBytes),
    ...(bodySize ? { sizeHint: bodySize } : {}),
    ...(isKept && bodySize && bodySize > PART_BYTES ? { partBytes: bodySize } : {}),
    deferStore: isKept && isTransient,
  });
  return folder === "" ? file : { ...file, folder };
}

/** @throws ServiceError 413 if the body exceeds the limit */
export async function* enforceMaxBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > maxBytes) throw fileTooLarge(maxBytes);
    yield chunk;
  }
}

/** Returns the text of a JSON file. Of a truncated file, leaves out a character that is not complete. */
const textOfJson = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes, { stream: bytes.length > LIMITS.jsonFileBytes });

/**
 * Returns the bytes of a small file. A file above the limit for JSON files is truncated slightly above it, possibly within
 * a character.
 */
async function beginningOf(stream: BusboyFileStream, bodyReservation: Reservation): Promise<Uint8Array> {
  let remainingBytes = LIMITS.jsonFileBytes + 4;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    const kept = chunk.subarray(0, remainingBytes);
    hold(bodyReservation, kept.length);
    chunks.push(kept);
    remainingBytes -= kept.length;
  }
  return Buffer.concat(chunks);
}
