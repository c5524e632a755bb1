// Serves resumable uploads with the tus 1.0 protocol (docs/api.md#resumable-uploads). Buffers at most one part of an
// upload.

import { LIMITS } from "../../../../document/contract/limits.ts";
import type { Semaphore } from "../../../placement/semaphore.ts";
import type { Bucket } from "../../../ports/bucket.ts";
import type { Config } from "../../../settings/config.ts";
import type { DeletePolicy, FilePolicy } from "../../../storage/file-policy.ts";
import type { Store } from "../../../storage/store.ts";
import type { CountedFile, Storing } from "../../../storage/stored-bytes.ts";
import { isUploadId, ResumableUploads } from "../../../storage/uploads/resumable-uploads.ts";
import { UploadConflict, type UploadWriter } from "../../../storage/uploads/upload-writer.ts";
import {
  beyondLength,
  checksumMismatch,
  fileTooLarge,
  methodNotAllowed,
  noSuchUpload,
  notOwner,
  offsetMismatch,
  ServiceError,
  uploadConflict,
  uploadExpired,
} from "../../contract/errors.ts";
import { TUS_PATH } from "../../contract/paths.ts";
import { ArrivingBody } from "../../requests/arriving-body.ts";
import {
  bodySizeOf,
  CHECKSUMS,
  checksumOf,
  EXTENSIONS,
  isPatch,
  metadataFor,
  parseByteCount,
  parseMetadata,
  requireKnownExtensions,
  requirePatch,
  requireVersion,
  TUS_VERSION,
} from "./headers.ts";

export interface TusService {
  readonly bucket: Bucket;
  /** Tag of the region in the IDs of new uploads. @default none */
  readonly tag?: string | undefined;
  readonly store: Store;
  readonly config: Config;
  readonly uploadSemaphore: Semaphore;
  /** Returns the policy of a file stored now. */
  marks(): FilePolicy;
  readonly mayRemove: DeletePolicy;
  /** Counts the whole length of an upload when the upload is created. @default not counted */
  readonly storing?: Storing | undefined;
  /** Called with the deleted upload. */
  retired?(files: readonly CountedFile[]): Promise<void>;
  /** Counts bytes that were received. */
  received(bytes: number): void;
  /** Base URL of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/**
 * Returns the method of a request. A client that cannot send PATCH or DELETE sends POST with the header
 * X-HTTP-Method-Override.
 */
function methodOf({ method, headers }: Request): string {
  const other = headers.get("X-HTTP-Method-Override");
  return method === "POST" && other !== null ? other.trim().toUpperCase() : method;
}

/**
 * Handles a request to one upload, or without an ID to the collection of uploads.
 * @throws ServiceError 400, 404, 405, 408, 409, 410, 412, 413, 415, 423, 460, 503
 */
export async function serveUploads(request: Request, id: string | undefined, service: TusService): Promise<Response> {
  const method = methodOf(request);
  if (method === "OPTIONS") return describeService(service);
  requireVersion(request.headers);
  const tus = new Tus(service);
  if (id === undefined) {
    if (method === "POST") return tus.create(request);
    throw methodNotAllowed("OPTIONS, POST");
  }
  // The ID belongs to a file that is not an upload; /resource serves it.
  if (!isUploadId(id)) throw noSuchUpload();
  switch (method) {
    case "HEAD":
      return tus.describe(id);
    case "PATCH":
      return tus.continue(request, id);
    case "DELETE":
      return tus.remove(id);
    default:
      throw methodNotAllowed("OPTIONS, HEAD, PATCH, DELETE");
  }
}

function describeService({ config }: TusService): Response {
  const headers = {
    "Tus-Version": TUS_VERSION,
    "Tus-Extension": [...EXTENSIONS, ...(config.fileLifetimeMs > 0 ? ["expiration"] : [])].join(","),
    "Tus-Max-Size": String(config.maxUploadBytes),
    "Tus-Checksum-Algorithm": Object.keys(CHECKSUMS).join(","),
  };
  return new Response(null, { status: 204, headers });
}

interface UploadProgress {
  /** Missing if no byte was written. */
  readonly offset?: number;
  /** True if the upload has become a stored file, which does not expire as an upload. */
  readonly isFinished: boolean;
}

class Tus {
  readonly #service: TusService;
  readonly #uploads: ResumableUploads;

  constructor(service: TusService) {
    this.#service = service;
    this.#uploads = new ResumableUploads(service.bucket, {
      ...{ lifetimeMs: service.config.fileLifetimeMs, tag: service.tag },
    });
  }

  async create(request: Request): Promise<Response> {
    const { headers } = request;
    const { baseUrl, config, storing } = this.#service;
    requireKnownExtensions(headers);
    const length = parseByteCount(headers, "Upload-Length");
    const { text, name } = parseMetadata(headers);
    const bodySize = bodySizeOf(headers);
    const hasBody = isPatch(headers);
    if (bodySize !== undefined && bodySize > 0) requirePatch(headers);
    if (length > config.maxUploadBytes) throw fileTooLarge(config.maxUploadBytes);
    if (hasBody && bodySize !== undefined && bodySize > length) throw beyondLength();
    if (hasBody) checksumOf(headers);
    await storing?.count(length);
    const upload = { name, length, metadata: text, marks: this.#service.marks() };
    const id = await this.#uploads.create(upload).catch((error) => {
      storing?.giveBack(length);
      throw error;
    });
    let progress: UploadProgress = { isFinished: length === 0 };
    if (hasBody && length > 0) {
      try {
        progress = await this.#write(request, id, 0);
      } catch (error) {
        // The client does not learn the ID from an error, so the upload would be unreachable.
        await this.#uploads.remove(id);
        storing?.giveBack(length);
        throw error;
      }
    }
    const location = { Location: `${baseUrl}${TUS_PATH}/${id}` };
    return new Response(null, { status: 201, headers: { ...location, ...this.#headersOf(progress) } });
  }

  async describe(id: string): Promise<Response> {
    const [upload, file] = await Promise.all([this.#uploads.find(id), this.#service.store.find(id)]);
    const known = file ? { offset: file.size, length: file.size, metadata: metadataFor(file.name) } : upload;
    if (!known) throw noSuchUpload();
    if (known === "expired") throw uploadExpired();
    const { offset, length, metadata } = known;
    const headers = {
      ...expiresAt("expires" in known ? known.expires : undefined),
      "Upload-Offset": String(offset),
      "Upload-Length": String(length),
      ...(metadata === "" ? {} : { "Upload-Metadata": metadata }),
      "Cache-Control": "no-store",
    };
    return new Response(null, { headers });
  }

  async continue(request: Request, id: string): Promise<Response> {
    requirePatch(request.headers);
    const progress = await this.#write(request, id, parseByteCount(request.headers, "Upload-Offset"));
    return new Response(null, { status: 204, headers: this.#headersOf(progress) });
  }

  async remove(id: string): Promise<Response> {
    const { store, mayRemove } = this.#service;
    const [upload, file] = await Promise.all([this.#uploads.find(id), store.find(id)]);
    if (!upload && !file) throw noSuchUpload();
    const { marks = {} } = file ?? (upload === "expired" ? {} : upload!);
    if (!mayRemove(marks)) throw notOwner();
    await this.#uploads.remove(id);
    // Another request might have completed the upload in the meantime.
    await store.remove([id]);
    if (upload === "expired") throw uploadExpired();
    const { expires } = upload ?? file!;
    await this.#service.retired?.([{ id, marks, size: upload?.length ?? file!.size, expires }]);
    return new Response(null, { status: 204 });
  }

  /**
   * Writes a body at an offset.
   * @returns the resulting progress
   */
  async #write({ headers, body, signal }: Request, id: string, offset: number): Promise<UploadProgress> {
    const checksum = checksumOf(headers);
    const bodySize = bodySizeOf(headers);
    // Reads chunks of 1 byte or more, so that no received byte is lost if the connection breaks.
    const arriving = body && new ArrivingBody(body, 1);
    const first = await arriving?.read().catch(orBroken);
    // Once bytes have arrived, they are stored even if the client disconnects.
    const until = first instanceof Uint8Array ? new AbortController().signal : signal;
    using _turn = await this.#service.uploadSemaphore.acquire(until);
    const writer = await this.#uploads.open(id, checksum && (bodySize ?? Number.POSITIVE_INFINITY));
    if (!writer) return this.#writeNothing(id, offset, bodySize);
    if (writer === "expired") throw uploadExpired();
    if (writer.received !== offset) throw offsetMismatch();
    if (bodySize !== undefined && bodySize > writer.missing) throw beyondLength();
    const before = writer.received;
    try {
      const broken = arriving && (await receive(arriving, first, writer, (chunk) => checksum?.update(chunk)));
      if (checksum && broken) throw broken.status === 408 ? broken : checksumMismatch();
      if (checksum && !checksum.isRight()) throw checksumMismatch();
      if (writer.missing === 0) await writer.finish();
      else await writer.save();
      if (broken?.status === 408) throw broken;
    } catch (error) {
      throw error instanceof UploadConflict ? uploadConflict() : error;
    } finally {
      this.#service.received(writer.received - before);
    }
    return { offset: writer.received, isFinished: writer.missing === 0 };
  }

  /** Responds for a completed upload, which accepts no more bytes. */
  async #writeNothing(id: string, offset: number, bodySize: number | undefined): Promise<UploadProgress> {
    const file = await this.#service.store.find(id);
    if (!file) throw noSuchUpload();
    if (offset !== file.size) throw offsetMismatch();
    if (bodySize !== 0) throw beyondLength();
    return { offset, isFinished: true };
  }

  #headersOf({ offset, isFinished }: UploadProgress): Record<string, string> {
    return {
      ...expiresAt(isFinished ? undefined : this.#uploads.expiry()),
      ...(offset === undefined ? {} : { "Upload-Offset": String(offset) }),
    };
  }
}

const expiresAt = (expires: Date | undefined): Record<string, string> =>
  expires ? { "Upload-Expires": expires.toUTCString() } : {};

/** Returns a ServiceError as a value: the error that interrupted a body. Rethrows any other error. */
function orBroken(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

/**
 * Writes a body to an upload as the body arrives.
 * @param first the first chunk of the body, or the error that interrupted the body before it
 * @returns the error that interrupted the body
 */
async function receive(
  arriving: ArrivingBody,
  first: Uint8Array | ServiceError | undefined,
  writer: UploadWriter,
  onChunk: (chunk: Uint8Array) => void,
): Promise<ServiceError | undefined> {
  try {
    for (let piece = first; piece; piece = await arriving.read(1).catch(orBroken)) {
      if (piece instanceof ServiceError) return piece;
      if (piece.length > writer.missing) throw beyondLength();
      onChunk(piece);
      await writer.add(piece);
    }
    return undefined;
  } catch (error) {
    await drain(arriving);
    throw error;
  } finally {
    arriving.cancel();
  }
}

/**
 * Reads and discards the remaining body of a failed request, up to a limit, because many clients read the response only
 * after they have sent the whole body.
 */
async function drain(arriving: ArrivingBody): Promise<void> {
  for (let drained = 0; drained < LIMITS.drainedBytes; ) {
    const piece = await arriving.read(1).catch(() => undefined);
    if (!piece) return;
    drained += piece.length;
  }
}
