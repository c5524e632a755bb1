// Rejects a body whose Content-Length exceeds the limit of its path, before reading it.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Config } from "../../settings/config.ts";
import { type Endpoint, uploadLimit } from "./endpoint.ts";
import { bodyTooLarge, fileTooLarge } from "./errors.ts";
import { furtherInputsOf } from "./input-declaration.ts";

export interface BodyLimits {
  /** Maximum number of files in a form. */
  readonly files: number;
  readonly fileBytes: number;
  /** Whether a body that is not a form is a file (true) or text (false). @default false */
  readonly isFile?: boolean;
}

/** Reports whether a body is a form that can contain files. */
export const isForm = (headers: Headers): boolean => /^multipart\/form-data\b/i.test(headers.get("Content-Type") ?? "");

/** @throws ServiceError 413 */
export function requireSize(headers: Headers, { files, fileBytes, isFile = false }: BodyLimits): void {
  const bytes = Number(headers.get("Content-Length") ?? 0);
  if (isForm(headers)) {
    const fieldBytes = LIMITS.jsonFileBytes + LIMITS.fieldsBytes + LIMITS.formOverheadBytes;
    if (bytes <= files * fileBytes + fieldBytes) return;
    throw files === 0 ? bodyTooLarge(fieldBytes) : fileTooLarge(fileBytes);
  }
  if (isFile && bytes > fileBytes) throw fileTooLarge(fileBytes);
  if (!isFile && bytes > LIMITS.jsonBodyBytes) throw bodyTooLarge(LIMITS.jsonBodyBytes);
}

/** Returns the body limits of an endpoint. */
export const bodyLimitsOf = (endpoint: Endpoint, config: Config): BodyLimits => ({
  files: furtherInputsOf(endpoint.inputs).reduce(
    (sum, { isList }) => sum + (isList ? config.maxInputs : 1),
    endpoint.inputs.file?.kind === "several" ? config.maxInputs : 1,
  ),
  fileBytes: uploadLimit(endpoint, config),
});
