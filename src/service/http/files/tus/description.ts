// Describes the requests of the tus 1.0 protocol: headers, responses and errors.

import type { Config } from "../../../settings/config.ts";
import {
  BINARY,
  type Describe,
  EXAMPLE_INPUT,
  FILE_ID,
  type MediaTypeObject,
  type OperationDescription,
  type ParameterDescription,
  type ParametersByName,
} from "../../contract/description.ts";
import {
  beyondLength,
  bodyTooSlow,
  busy,
  checksumMismatch,
  fileTooLarge,
  invalidHeader,
  limitReached,
  noSuchUpload,
  offsetMismatch,
  storageFull,
  uploadConflict,
  uploadExpired,
  wrongPatchType,
  wrongTusVersion,
} from "../../contract/errors.ts";
import { TUS_PATH } from "../../contract/paths.ts";
import { CHECKSUMS, PATCH_TYPE, TUS_VERSION } from "./headers.ts";

const bytes = (description: string): ParameterDescription => ({ description, schema: { type: "integer", minimum: 0 } });

/** Headers of requests and responses. */
const FIELDS = {
  "Tus-Resumable": { description: "Version of tus.", example: TUS_VERSION, required: true },
  "Tus-Version": { description: "Versions that the service has.", example: TUS_VERSION },
  "Tus-Extension": { description: "Extensions that the service has.", example: "creation,checksum,termination" },
  "Tus-Max-Size": bytes("Size of the largest upload in bytes."),
  "Tus-Checksum-Algorithm": {
    description: "Algorithms of Upload-Checksum.",
    example: Object.keys(CHECKSUMS).join(","),
  },
  "Upload-Length": bytes("Size of the file in bytes."),
  "Upload-Offset": bytes("Number of bytes that are stored."),
  "Upload-Metadata": { description: "Pairs of a key and a value in base64.", example: "filename cmVwb3J0LnBkZg==" },
  "Upload-Checksum": { description: "Algorithm and checksum of the body in base64.", example: "crc32 AAAAAA==" },
  "Upload-Expires": { description: "When the upload is removed if nothing is added to it." },
  Location: {
    description: "URL of the upload; its last segment is the id.",
    schema: { type: "string", format: "uri" },
  },
} satisfies ParametersByName;

const fields = (...names: readonly (keyof typeof FIELDS)[]): ParametersByName =>
  Object.fromEntries(names.map((name) => [name, FIELDS[name]]));
const required = (name: keyof typeof FIELDS) => ({ [name]: { ...FIELDS[name], required: true } });

const BODY: Readonly<Record<string, MediaTypeObject>> = {
  [PATCH_TYPE]: { schema: { ...BINARY, contentMediaType: PATCH_TYPE, description: "Bytes of the file." } },
};
const ALWAYS = [wrongTusVersion(TUS_VERSION), limitReached("60 requests a minute", { "Retry-After": "17" })];
const WRITING = [
  ...[beyondLength(), wrongPatchType(), uploadConflict(), checksumMismatch(), invalidHeader("Upload-Checksum")],
  ...[bodyTooSlow(), busy(), storageFull()],
];
const UNKNOWN = [noSuchUpload(), uploadExpired()];

type Call = Omit<OperationDescription, "tag" | "headers" | "responses"> & {
  readonly headers?: ParametersByName;
  readonly status: number;
  readonly description: string;
  readonly responseHeaders: ParametersByName;
};

const operation = ({ status, description, responseHeaders, headers, ...rest }: Call): OperationDescription => ({
  ...rest,
  tag: "Resumable uploads",
  headers: { ...(rest.method === "options" ? {} : fields("Tus-Resumable")), ...headers },
  responses: {
    [status]: {
      description,
      headers: { ...(rest.method === "options" ? {} : fields("Tus-Resumable")), ...responseHeaders },
    },
  },
});

/** Describes the path that creates uploads. */
export const describeUploads: Describe = ({ maxUploadBytes }: Config) => ({
  path: TUS_PATH,
  section: "resumable-uploads",
  operations: [
    operation({
      ...{ method: "options", id: "tus-options", summary: "Tells which parts of tus the service has." },
      status: 204,
      description: "The header fields tell.",
      responseHeaders: fields("Tus-Version", "Tus-Extension", "Tus-Max-Size", "Tus-Checksum-Algorithm"),
      errors: [],
    }),
    operation({
      ...{ method: "post", id: "tus-create", needsKey: true },
      summary: "Creates a resumable upload, whose id is the last segment of its Location.",
      headers: { ...required("Upload-Length"), ...fields("Upload-Metadata", "Upload-Checksum") },
      body: BODY,
      status: 201,
      description: "The upload was created, with the bytes of the body.",
      responseHeaders: { ...required("Location"), ...fields("Upload-Offset", "Upload-Expires") },
      errors: [
        ...[invalidHeader("Upload-Length"), invalidHeader("Upload-Metadata"), fileTooLarge(maxUploadBytes)],
        ...[...WRITING, ...ALWAYS],
      ],
    }),
  ],
});

/** Describes the path of one upload. */
export const describeUpload: Describe = () => ({
  path: `${TUS_PATH}/{id}`,
  section: "resumable-uploads",
  placeholders: { id: { description: "Id of the upload.", schema: FILE_ID, example: EXAMPLE_INPUT } },
  operations: [
    operation({
      ...{ method: "head", id: "tus-progress", summary: "Tells how much of an upload is stored.", needsKey: true },
      status: 200,
      description: "The header fields tell.",
      responseHeaders: {
        ...{ ...required("Upload-Offset"), ...required("Upload-Length") },
        ...fields("Upload-Metadata", "Upload-Expires"),
      },
      errors: [...UNKNOWN, ...ALWAYS],
    }),
    operation({
      ...{ method: "patch", id: "tus-append", needsKey: true },
      summary: "Adds bytes to an upload, which is a stored file when it is complete.",
      headers: { ...required("Upload-Offset"), ...fields("Upload-Checksum") },
      body: BODY,
      status: 204,
      description: "The bytes were stored.",
      responseHeaders: { ...required("Upload-Offset"), ...fields("Upload-Expires") },
      errors: [invalidHeader("Upload-Offset"), ...UNKNOWN, offsetMismatch(), ...WRITING, ...ALWAYS],
    }),
    operation({
      ...{ method: "delete", id: "tus-remove", summary: "Removes an upload, finished or not.", needsKey: true },
      status: 204,
      description: "The upload was removed.",
      responseHeaders: {},
      errors: [...UNKNOWN, ...ALWAYS],
    }),
  ],
});
