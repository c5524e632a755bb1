// Parses the body of a POST in any encoding. If the body is invalid or the client disconnects, deletes the files that
// it has stored.
import { LIMITS } from "../../../document/contract/limits.ts";
import {
  bodyTooLarge,
  fieldTooLarge,
  malformedBody,
  malformedJson,
  type ServiceError,
  tooManyFields,
  wrongContentType,
} from "../contract/errors.ts";
import type { Form, FormOptions } from "../contract/form.ts";
import { readMultipart } from "./multipart.ts";
import { readJson, readUrlEncoded } from "./text-bodies.ts";

/** @throws ServiceError 400, 408, 413, 415, 503 */
export async function readForm(request: Request, options: FormOptions): Promise<Form> {
  const uploads = options.store.batch("input", options.batchReservation);
  const contentType = request.headers.get("Content-Type") ?? "";
  if (request.body === null || request.headers.get("Content-Length") === "0") {
    return { fields: new Map(), files: new Map(), uploads, order: [], encoding: "multipart" };
  }
  const size = Number(request.headers.get("Content-Length") ?? Number.NaN);
  const sizedOptions = { ...options, ...(size > 0 ? { bodySize: size } : {}) };
  if (/^multipart\/form-data\b/i.test(contentType))
    return readMultipart(request.body, contentType, uploads, sizedOptions);
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return readUrlEncoded(request.body, uploads, sizedOptions);
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)) return readJson(request.body, uploads, sizedOptions);
  throw wrongContentType();
}

/**
 * Returns examples of the errors that an invalid body causes.
 * @param field name of one of the text fields
 */
export const errorsOfBody = (field: string): readonly ServiceError[] => [
  malformedBody(),
  malformedJson(),
  tooManyFields(),
  wrongContentType(),
  fieldTooLarge(field),
  bodyTooLarge(LIMITS.jsonBodyBytes),
];
