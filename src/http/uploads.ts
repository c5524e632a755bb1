// Stores files for later requests: those of a form, or the body itself. Holds at most one upload part.

import { safeName } from "../core/file-name.ts";
import { LIMITS } from "../core/limits.ts";
import { mediaTypeOf } from "../core/media-type.ts";
import type { Batch } from "../storage/batch.ts";
import type { Service } from "./endpoint.ts";
import { fieldRequired, malformedBody, tooManyInputs } from "./errors.ts";
import { receiveAddressed } from "./fetched.ts";
import { isFilled, listName } from "./fields.ts";
import { decodeEncodedWords } from "./form-entries.ts";
import { limited } from "./multipart.ts";
import { readForm } from "./read-form.ts";
import { chunksOf } from "./sources.ts";
import { abortAfter } from "./time-limit.ts";

/** Name of the header field that makes the body a file. */
const NAME_FIELD = "Content-Filename";

/** Answers POST /upload. If it fails, it removes what it stored. */
export async function receiveFiles(request: Request, service: Service): Promise<Response> {
  using waiting = service.waiting.open();
  const isForm = /^multipart\/form-data\b/i.test(request.headers.get("Content-Type") ?? "");
  const fileName = isForm ? null : request.headers.get(NAME_FIELD);
  const uploads =
    fileName === null
      ? await receiveForm(request, service)
      : await receiveBody(request, fileName, service.store.batch("input", waiting), service);
  const files = await service.timing.during("store", () => uploads.settle());
  if (files.length === 0) throw fieldRequired("file");
  request.signal.throwIfAborted();
  return Response.json({ files: files.map(({ name, id }) => ({ name, id })) });
}

async function receiveForm(request: Request, service: Service) {
  const { store, config, timing } = service;
  using keeping = service.kept.open();
  using waiting = service.waiting.open();
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  const form = await readForm(request, {
    ...{ store, keeping, waiting, signal, isTransient: false },
    fileFields: new Set(["file"]),
    textFields: new Set<string>(),
    jsonFileFields: new Set<string>(),
    maxFileBytes: config.maxUploadBytes,
    maxFiles: config.maxInputs,
    uploadTurns: timing.of(service.uploadTurns),
  });
  const { uploads } = form;
  using _limit = abortAfter(LIMITS.fetchesMs, late);
  const fetching = {
    ...{ signal, uploads, keeping, isTransient: false, maxBytes: config.maxUploadBytes },
    ...{ places: service, container: service.container, log: service.log, defer: service.defer },
  };
  const urls = (form.fields.get("url") ?? []).filter(isFilled);
  try {
    if ((form.files.get("file") ?? []).length + urls.length > config.maxInputs) throw tooManyInputs();
    for (const url of urls) await receiveAddressed({ url: url.trim(), parameter: listName("url") }, fetching);
  } catch (error) {
    await uploads.discard();
    throw error;
  }
  uploads.send();
  return uploads;
}

async function receiveBody(request: Request, fileName: string, uploads: Batch, service: Service): Promise<Batch> {
  const { config, timing, uploadTurns } = service;
  using _turn = await timing.of(uploadTurns).take(request.signal);
  const name = safeName(decodedName(fileName)) || "file";
  const sizeHint = Number(request.headers.get("Content-Length") ?? 0);
  const body = request.body ? bodyOf(request.body, request.signal) : new Uint8Array(0);
  try {
    await uploads.receive({
      name,
      type: (start) => mediaTypeOf(start, name),
      body: body instanceof Uint8Array ? body : limited(body, config.maxUploadBytes),
      ...(sizeHint > 0 ? { sizeHint } : {}),
    });
  } catch (error) {
    await uploads.discard();
    throw error;
  }
  return uploads;
}

/** @throws ServiceError 400 if the body breaks off */
async function* bodyOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksOf(body);
  } catch {
    signal.throwIfAborted();
    throw malformedBody();
  }
}

/** Decodes a name in any of the encodings for header fields: RFC 8187, percent-encoded, RFC 2047, or plain UTF-8. */
function decodedName(text: string): string {
  const [, encoded = text] = /^UTF-8'[^']*'(.*)$/i.exec(text) ?? [];
  try {
    const bytes = /^[\x20-\xff]*$/.test(encoded) ? decodeURIComponent(escapedBytes(encoded)) : encoded;
    return decodeEncodedWords(bytes);
  } catch {
    return decodeEncodedWords(encoded);
  }
}

/** Escapes bytes that a header field passes on as letters of Latin-1. */
const escapedBytes = (text: string) =>
  text.replace(/[\x80-\xff]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
