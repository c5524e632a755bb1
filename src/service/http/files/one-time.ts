// Serves upload URLs (docs/api.md#upload-urls). An upload URL accepts a single file, once, without a key.
import { safeName } from "../../../document/contract/file-name.ts";
import type { FilePolicy } from "../../storage/file-policy.ts";
import { type MemoryQuotas, reserveMemory } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import { OneTimeUploads, type Quota } from "../../storage/uploads/one-time-uploads.ts";
import { isForm, requireSize } from "../contract/body-size.ts";
import type { RequestServices } from "../contract/endpoint.ts";
import {
  fieldRequired,
  methodNotAllowed,
  noSuchUpload,
  tooManyFiles,
  uploadConflict,
  uploadExpired,
  uploadUsed,
} from "../contract/errors.ts";
import { ONE_TIME_PATH } from "../contract/paths.ts";
import { readForm } from "../requests/read-form.ts";
import type { TusService } from "./tus/uploads.ts";
import { receiveBody } from "./uploads.ts";

export interface OneTimeService
  extends MemoryQuotas,
    Pick<RequestServices, "config" | "timing" | "uploadSemaphore">,
    Pick<TusService, "baseUrl" | "bucket" | "tag" | "marks"> {
  /** Returns the limits for the file that a new URL accepts. @default unlimited */
  quota(): Quota | undefined;
  /**
   * Counts the body of this request.
   * @throws ServiceError 411, 429, 503
   */
  admit(quota: Quota): Promise<void>;
  /** Returns a store whose new files have the policy of the request that created the URL. */
  storeWith(marks: FilePolicy, quota: Quota | undefined): Store;
}

/** The services of a request that uploads the file. */
type Receiving = OneTimeService & Pick<RequestServices, "store">;

/**
 * Handles a request that creates an upload URL, or a request to the upload URL with this token.
 * @throws ServiceError 400, 404, 405, 410, 411, 413, 423, 429
 */
export async function serveOneTime(
  request: Request,
  token: string | undefined,
  service: OneTimeService,
): Promise<Response> {
  const uploads = new OneTimeUploads(service.bucket, Date.now, service.tag);
  const { method } = request;
  if (token === undefined) {
    if (method !== "POST") throw methodNotAllowed("POST");
    requireSize(request.headers, { files: 0, fileBytes: 0 });
    const { token: created, expires } = await uploads.create(
      nameIn(new URL(request.url)),
      service.marks(),
      service.quota(),
    );
    const uploadUrl = `${service.baseUrl}${ONE_TIME_PATH}/${created}`;
    return Response.json({ uploadUrl, expires: expires.toISOString() }, { headers: { "Cache-Control": "no-store" } });
  }
  if (method === "PUT" || method === "POST") return receive(request, token, uploads, service);
  if (method !== "GET") throw methodNotAllowed("GET, POST, PUT");
  const found = await uploads.find(token);
  if (found === undefined) throw noSuchUpload();
  if (found === "expired") throw uploadExpired();
  const files = found.state === "done" ? [{ name: found.name, id: found.id }] : [];
  return Response.json({ files }, { headers: { "Cache-Control": "no-store" } });
}

const nameIn = ({ searchParams }: URL) => safeName(searchParams.get("name") ?? "") || "file";

const REFUSALS = { unknown: noSuchUpload, expired: uploadExpired, used: uploadUsed, taken: uploadConflict } as const;

async function receive(
  request: Request,
  token: string,
  uploads: OneTimeUploads,
  givenService: OneTimeService,
): Promise<Response> {
  requireSize(request.headers, { files: 1, fileBytes: givenService.config.maxUploadBytes, isFile: true });
  const taken = await uploads.reserve(token);
  if (typeof taken === "string") throw REFUSALS[taken]();
  const service = { ...givenService, store: givenService.storeWith(taken.marks, taken.quota) };
  let id: string | undefined;
  try {
    if (taken.quota) await service.admit(taken.quota);
    const file = await receiveFile(request, taken.name, service);
    // `settle` returns false if this reservation expired and another request has reserved the URL.
    if (await taken.settle(file.id)) id = file.id;
    else await service.store.remove([file.id]);
    if (id === undefined) throw uploadConflict();
    return Response.json({ files: [file] });
  } catch (error) {
    if (id === undefined) await taken.settle(undefined);
    throw error;
  }
}

async function receiveFile(request: Request, name: string, service: Receiving) {
  const { store, config, timing, uploadSemaphore } = service;
  using memory = reserveMemory(service);
  const { uploads: batch } = isForm(request.headers)
    ? await readForm(request, {
        ...{ ...memory, store, signal: request.signal, isTransient: false },
        fileFields: new Set(["file"]),
        maxFileBytes: config.maxUploadBytes,
        maxFiles: config.maxInputs,
        uploadSemaphore: timing.measureWaits(uploadSemaphore),
      })
    : await receiveBody(request, encodeURIComponent(name), store.batch("input", memory.batchReservation), service);
  const files = await timing.measure("store", () => batch.commit());
  if (files.length === 0) throw fieldRequired("file");
  if (files.length > 1) {
    await batch.discard();
    throw tooManyFiles();
  }
  return { name: files[0]!.name, id: files[0]!.id };
}
