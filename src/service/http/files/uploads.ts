// Stores files for later requests. The files are parts of a form, or the body is the file. Buffers at most one upload
// part.

import { safeName } from "../../../document/contract/file-name.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { detectMediaType } from "../../../document/contract/media-type.ts";
import type { Batch } from "../../storage/batch.ts";
import { reserveMemory } from "../../storage/memory-quota.ts";
import { isForm } from "../contract/body-size.ts";
import type { RequestServices } from "../contract/endpoint.ts";
import { fieldRequired, filesAndUrls, tooManyInputs } from "../contract/errors.ts";
import { isFilled, listName } from "../contract/fields.ts";
import type { Form } from "../contract/form.ts";
import type { DeferredHandler, DeferredRunOptions, ReceiveOptions } from "../contract/route.ts";
import { abortAfter } from "../contract/time-limit.ts";
import { fingerprintContent, runIdempotent } from "../pipeline/idempotency.ts";
import { rejectBlockedIpLiterals } from "../requests/address-check.ts";
import { ArrivingBody } from "../requests/arriving-body.ts";
import { decodeEncodedWords } from "../requests/form-entries.ts";
import { enforceMaxBytes } from "../requests/multipart.ts";
import { readForm } from "../requests/read-form.ts";
import { fetchInput, requireWebUrl } from "../requests/url-inputs.ts";

/** Header with the file name, if the request body itself is the file. */
export const FILENAME_HEADER = "Content-Filename";

/** Handles POST /upload. On failure, deletes the files it stored. */
export async function handleUpload(
  request: Request,
  service: RequestServices,
  others: readonly string[] = [],
): Promise<Response> {
  using memory = reserveMemory(service);
  const deadline = new AbortController();
  const options = { ...memory, deadline, signal: AbortSignal.any([request.signal, deadline.signal]) };
  const fileName = isForm(request.headers) ? null : request.headers.get(FILENAME_HEADER);
  const form =
    fileName === null
      ? await receiveForm(request, service, options)
      : await receiveBody(request, fileName, service.store.batch("input", memory.batchReservation), service);
  return runIdempotent(service, {
    ...{ content: ["/upload", fingerprintContent(form), ...others], signal: options.signal },
    async run() {
      const response = await storeFiles(form, service, options);
      request.signal.throwIfAborted();
      return { response };
    },
    rollback: () => form.uploads.discard(),
  });
}

/**
 * The asynchronous job of /upload. A request has a job only if its body is a form, because only a form can contain URLs
 * to fetch.
 */
export const deferredUpload: DeferredHandler = {
  applies: (headers) => isForm(headers) || !headers.has(FILENAME_HEADER),
  receive: receiveForm,
  async check(form, signal, service) {
    const inputs = urlsIn(form).map((url) => ({ url, parameter: listName("url") }));
    if (inputs.length + (form.files.get("file") ?? []).length === 0) throw fieldRequired("file");
    inputs.forEach(requireWebUrl);
    await rejectBlockedIpLiterals(inputs, signal, service);
  },
  carryOut: storeFiles,
};

async function receiveForm(request: Request, service: RequestServices, options: ReceiveOptions): Promise<Form> {
  const { store, config, timing } = service;
  const form = await readForm(request, {
    ...{ store, ...options, isTransient: false },
    fileFields: new Set(["file"]),
    maxFileBytes: config.maxUploadBytes,
    maxFiles: config.maxInputs,
    uploadSemaphore: timing.measureWaits(service.uploadSemaphore),
  });
  if ((form.files.get("file") ?? []).length + urlsIn(form).length > config.maxInputs) {
    await form.uploads.discard();
    throw tooManyInputs();
  }
  if (config.dialect === "current" && form.files.size > 0 && urlsIn(form).length > 0) {
    await form.uploads.discard();
    throw filesAndUrls();
  }
  return form;
}

const urlsIn = ({ fields }: Form): string[] => (fields.get("url") ?? []).filter(isFilled).map((url) => url.trim());

/** Fetches the URLs in the form, and stores all files. */
async function storeFiles(
  form: Form,
  service: RequestServices,
  { uploadReservation, signal, deadline }: Pick<DeferredRunOptions, "uploadReservation" | "signal" | "deadline">,
): Promise<Response> {
  const { uploads } = form;
  const arrivals = [...(form.files.get("file") ?? [])];
  const fetching = {
    ...{ signal, uploads, uploadReservation, isTransient: false, maxBytes: service.config.maxUploadBytes },
    ...{ places: service, container: service.container, log: service.log, defer: service.defer },
  };
  using _limit = abortAfter(LIMITS.fetchesMs, deadline);
  for (const url of urlsIn(form)) arrivals.push(await fetchInput({ url, parameter: listName("url") }, fetching));
  if (arrivals.length === 0) throw fieldRequired("file");
  await service.timing.measure("store", () => uploads.commit());
  const files = await Promise.all(arrivals.map(({ stored }) => stored));
  return Response.json({ files: files.map(({ name, id }) => ({ name, id })) });
}

/**
 * Receives the request body as a file.
 * @param fileName name of the file, as a header encodes it
 */
export async function receiveBody(
  request: Request,
  fileName: string,
  uploads: Batch,
  service: Pick<RequestServices, "config" | "timing" | "uploadSemaphore">,
): Promise<Form> {
  const { config, timing, uploadSemaphore } = service;
  const name = safeName(decodedName(fileName)) || "file";
  const sizeHint = Number(request.headers.get("Content-Length") ?? 0);
  try {
    const arriving = request.body && new ArrivingBody(request.body);
    const first = await arriving?.read();
    using _turn = await timing.measureWaits(uploadSemaphore).acquire(request.signal);
    const file = await uploads.add({
      name,
      type: (start) => detectMediaType(start, name),
      body: arriving && first ? enforceMaxBytes(arriving.pieces(first), config.maxUploadBytes) : new Uint8Array(0),
      ...(sizeHint > 0 ? { sizeHint } : {}),
    });
    return { fields: new Map(), files: new Map([["file", [file]]]), uploads, order: ["file"], encoding: "multipart" };
  } catch (error) {
    await uploads.discard();
    request.signal.throwIfAborted();
    throw error;
  }
}

/** Decodes a file name from a header. The encoding is RFC 8187, percent-encoding, RFC 2047 or plain UTF-8. */
function decodedName(text: string): string {
  const [, encoded = text] = /^UTF-8'[^']*'(.*)$/i.exec(text) ?? [];
  try {
    const bytes = /^[\x20-\xff]*$/.test(encoded) ? decodeURIComponent(escapedBytes(encoded)) : encoded;
    return decodeEncodedWords(bytes);
  } catch {
    return decodeEncodedWords(encoded);
  }
}

/** Escapes the bytes that a header represents as Latin-1 characters. */
const escapedBytes = (text: string) =>
  text.replace(/[\x80-\xff]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
