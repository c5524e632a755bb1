// Declares the requests of tus 1.0 for OpenAPI: their header fields, answers and errors.

import type { Config } from "../../core/config.ts";
import {
  beyondLength,
  busy,
  checksumMismatch,
  fileTooLarge,
  invalidHeader,
  invalidKey,
  noSuchUpload,
  offsetMismatch,
  type ServiceError,
  uploadExpired,
  uploadTaken,
  wrongPatchType,
  wrongTusVersion,
} from "../errors.ts";
import { PATCH_TYPE, TUS_VERSION } from "./headers.ts";
import { TUS_PATH } from "./uploads.ts";

export interface TusCall {
  readonly method: "options" | "post" | "head" | "patch" | "delete";
  readonly summary: string;
  /** Header fields of the request, true if they are required. */
  readonly fields: Readonly<Record<string, boolean>>;
  /** Media type of the body, if the request has one. */
  readonly bodyType?: string;
  readonly status: number;
  /** Header fields of the answer. */
  readonly answers: readonly string[];
  readonly errors: readonly ServiceError[];
}

/** Returns the requests by path. */
export function tusCalls({ variant, maxUploadBytes }: Config): Readonly<Record<string, readonly TusCall[]>> {
  const always = [wrongTusVersion(TUS_VERSION), ...(variant === "keyed" ? [invalidKey()] : [])];
  const writing = [beyondLength(), wrongPatchType(), uploadTaken(), checksumMismatch(), busy()];
  const unknown = [noSuchUpload(), uploadExpired()];
  const version = { "Tus-Resumable": true };
  const body = { "Upload-Checksum": false };
  return {
    [TUS_PATH]: [
      {
        method: "options",
        summary: "Tells which parts of tus the service has.",
        fields: {},
        status: 204,
        answers: ["Tus-Version", "Tus-Extension", "Tus-Max-Size", "Tus-Checksum-Algorithm"],
        errors: [],
      },
      {
        method: "post",
        summary: "Creates a resumable upload, whose id is the last segment of its Location.",
        fields: { ...version, "Upload-Length": true, "Upload-Metadata": false, ...body },
        bodyType: PATCH_TYPE,
        status: 201,
        answers: ["Location", "Upload-Offset", "Upload-Expires"],
        errors: [invalidHeader("Upload-Length"), fileTooLarge(maxUploadBytes), ...writing, ...always],
      },
    ],
    [`${TUS_PATH}/{id}`]: [
      {
        method: "head",
        summary: "Tells how much of an upload is stored.",
        fields: version,
        status: 200,
        answers: ["Upload-Offset", "Upload-Length", "Upload-Metadata", "Upload-Expires"],
        errors: [...unknown, ...always],
      },
      {
        method: "patch",
        summary: "Adds bytes to an upload, which is a stored file when it is complete.",
        fields: { ...version, "Upload-Offset": true, ...body },
        bodyType: PATCH_TYPE,
        status: 204,
        answers: ["Upload-Offset", "Upload-Expires"],
        errors: [invalidHeader("Upload-Offset"), ...unknown, offsetMismatch(), ...writing, ...always],
      },
      {
        method: "delete",
        summary: "Removes an upload, finished or not.",
        fields: version,
        status: 204,
        answers: [],
        errors: [...unknown, ...always],
      },
    ],
  };
}
