// Serves resumable uploads by tus 1.0 (docs/api.md#resumable-uploads). Holds one part of an upload.

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
  readonly store: Store;
  readonly config: Config;
  readonly uploadTurns: Semaphore;
  /** Returns the marks of a file that is stored now. */
  marks(): FilePolicy;
  readonly mayRemove: DeletePolicy;
  /** Counts an upload with its whole length from its start. @default not counted */
  readonly storing?: Storing | undefined;
  /** Told of uploads that were removed. */
  retired?(files: readonly CountedFile[]): Promise<void>;
  /** Counts bytes that were received. */
  received(bytes: number): void;
  /** Prefix of all URLs, without a path. */
  readonly baseUrl: string;
}

/** Returns the method of a request. A client that cannot send PATCH or DELETE sends POST and names the method. */
function methodOf({ method, headers }: Request): string {
  const other = headers.get("X-HTTP-Method-Override");
  return method === "POST" && other !== null ? other.trim().toUpperCase() : method;
}

/**
 * Answers a request for all uploads, or for the one with an id.
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
  // Other files can be asked for and removed under their own path.
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
  /** Absent if nothing was written. */
  readonly offset?: number;
  /** True if the upload is a stored file, which has no time of its own any more. */
  readonly isFinished: boolean;
}

class Tus {
  readonly #service: TusService;
  readonly #uploads: ResumableUploads;

  constructor(service: TusService) {
    this.#service = service;
    this.#uploads = new ResumableUploads(service.bucket, { lifetimeMs: service.config.fileLifetimeMs });
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
        // The client does not get to know the id.
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
    // A request may have finished the upload meanwhile.
    await store.remove([id]);
    if (upload === "expired") throw uploadExpired();
    const { expires } = upload ?? file!;
    await this.#service.retired?.([{ id, marks, size: upload?.length ?? file!.size, expires }]);
    return new Response(null, { status: 204 });
  }

  /** Writes a body at an offset. @returns the progress after it */
  async #write({ headers, body, signal }: Request, id: string, offset: number): Promise<UploadProgress> {
    const checksum = checksumOf(headers);
    const bodySize = bodySizeOf(headers);
    // Each byte that arrives counts, even if the connection breaks before the next one.
    const arriving = body && new ArrivingBody(body, 1);
    const first = await arriving?.read().catch(orBroken);
    // What has arrived is stored even if the client has left.
    const until = first instanceof Uint8Array ? new AbortController().signal : signal;
    using _turn = await this.#service.uploadTurns.acquire(until);
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

  /** Answers for an upload that is finished, to which nothing can be added. */
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

/** Returns the error that ended a body before its end. */
function orBroken(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

/**
 * Passes a body to a writer as it arrives.
 * @param first its first piece, or how it ended without one
 * @returns the error that ended the body before its end
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

/** Reads a limited rest of a body that failed, because many clients read the response only after they have sent it. */
async function drain(arriving: ArrivingBody): Promise<void> {
  for (let drained = 0; drained < LIMITS.drainedBytes; ) {
    const piece = await arriving.read(1).catch(() => undefined);
    if (!piece) return;
    drained += piece.length;
  }
}
