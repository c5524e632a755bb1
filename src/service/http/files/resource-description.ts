// Describes /resource/{id}, the path of a stored file.

import { DELETE_TOKEN_HEADER } from "../clients/auth.ts";
import {
  BINARY,
  type Describe,
  EXAMPLE_OUTPUT,
  FILE_ID,
  json,
  type ParametersByName,
  ref,
} from "../contract/description.ts";
import {
  invalidKey,
  invalidRequest,
  keyRequired,
  noSuchFile,
  notOwner,
  outOfRange,
  preconditionFailed,
  rangeNotSatisfiable,
} from "../contract/errors.ts";
import { fileUrl } from "../responses/operation-response.ts";
import { ALREADY_REMOVED } from "./delete-files.ts";

const FILE_HEADERS: ParametersByName = {
  "Content-Disposition": { description: "Name of the file.", example: "attachment; filename=report.pdf" },
  "Content-Length": { description: "Size in bytes.", schema: { type: "integer" } },
  ETag: { description: "Tag of the file, which never changes." },
  "Last-Modified": { description: "When the file was stored." },
  Expires: { description: "When the file ends; absent if it stays for ever." },
  "Accept-Ranges": { description: "`bytes`: a request can have one range." },
};
const CONDITIONS: ParametersByName = {
  Range: { description: "One range of bytes, for format=file.", example: "bytes=0-1023" },
  "If-Match": { description: "ETag that the file must have." },
  "If-None-Match": { description: "ETag that the file must not have." },
  "If-Modified-Since": { description: "Time since which the file must have been stored." },
  "If-Range": { description: "ETag or time without which Range does not count." },
};
const TOKEN: ParametersByName = {
  [DELETE_TOKEN_HEADER]: {
    description: "Keyed variant: token in the response that named the file, instead of the key.",
  },
};
const text = { type: "string" };
const url = { type: "string", format: "uri" };

export const describeResource: Describe = ({ variant, dialect }, baseUrl) => {
  const isKeyed = variant === "keyed";
  const token = isKeyed ? TOKEN : {};
  const removing = isKeyed ? [notOwner()] : [];
  const lastErrors = isKeyed ? [keyRequired(), invalidKey(), notOwner()] : [];
  const file = {
    "application/octet-stream": { schema: BINARY },
    "*/*": { schema: { ...BINARY, contentMediaType: "*/*" } },
  };
  const query = {
    format: {
      description: "`file`: the file. `url`: its URL. `info`: facts about it.",
      schema: {
        ...{ type: "string", enum: ["file", "url", "info"] },
        ...(dialect === "current" ? { default: "file" } : {}),
      },
      ...(dialect === "current" ? {} : { required: true }),
      example: "file",
    },
  };
  const last = {
    delete_after: {
      description: "`1` removes the file once it has been downloaded.",
      schema: { type: "string", enum: ["0", "1"] },
      example: "0",
    },
  };
  const unchanged = { description: "The file matches If-None-Match, or was not modified." };
  const example = { url: fileUrl(baseUrl, EXAMPLE_OUTPUT) };
  const errors = [invalidRequest(), noSuchFile(), preconditionFailed()];
  return {
    path: "/resource/{id}",
    section: "stored-files",
    placeholders: { id: { description: "Id of an input or output.", schema: FILE_ID, example: EXAMPLE_OUTPUT } },
    schemas: { FileUrl: FILE_URL, FileInfo: FILE_INFO },
    operations: [
      {
        ...{ method: "get", id: "get-resource", tag: "Files", query: { ...query, ...last } },
        headers: { ...CONDITIONS, ...token },
        summary: "Returns a stored file, its URL, or information about it.",
        responses: {
          200: {
            description: "The file, with its media type, or a JSON object for format=url and format=info.",
            headers: FILE_HEADERS,
            content: {
              ...file,
              "application/json": { schema: { anyOf: [ref("FileInfo"), ref("FileUrl")] }, example },
            },
          },
          206: {
            description: "The requested range of the file.",
            headers: { ...FILE_HEADERS, "Content-Range": { description: "The range.", example: "bytes 0-1023/48213" } },
            content: file,
          },
          304: unchanged,
        },
        errors: [...[...errors, outOfRange("delete_after", "2"), rangeNotSatisfiable(48_213)], ...lastErrors],
      },
      {
        ...{ method: "head", id: "head-resource", tag: "Files", query, headers: CONDITIONS },
        summary: "Returns the headers of GET.",
        responses: { 200: { description: "The file exists.", headers: FILE_HEADERS }, 304: unchanged },
        errors,
      },
      {
        ...{ method: "delete", id: "delete-resource", tag: "Files", summary: "Removes a stored file." },
        ...{ needsKey: true, headers: token },
        responses: {
          200: {
            description: "The file had been removed before, at most a day ago.",
            content: json(
              { type: "object", properties: { message: text }, required: ["message"] },
              { message: ALREADY_REMOVED },
            ),
          },
          204: { description: "The file was removed." },
        },
        errors: [noSuchFile(), ...removing],
      },
    ],
  };
};

const POINTS = { type: "number", exclusiveMinimum: 0, description: "Points, of 1/72 inch." };
const FILE_URL = { type: "object", properties: { url }, required: ["url"] };
export const FILE_INFO = {
  type: "object",
  properties: {
    ...{ id: FILE_ID, name: text, url, type: { ...text, description: "Media type." } },
    size: { type: "integer", minimum: 0, description: "Size in bytes." },
    modified: { type: "string", format: "date-time" },
    pages: { type: "integer", minimum: 1, description: "Number of pages of a PDF." },
    pageSizes: {
      type: "array",
      maxItems: 1000,
      items: { type: "object", properties: { width: POINTS, height: POINTS }, required: ["width", "height"] },
      description: "Sizes of the first pages of a PDF.",
    },
    problem: {
      ...text,
      description: "Why no operation that reads documents takes the file, if its content shows that.",
    },
    expires: { type: "string", format: "date-time", description: "Absent if the file stays for ever." },
    scheduledDeletionTimeUtc: { type: "string", format: "date-time", description: "The same as expires." },
  },
  required: ["id", "name", "url", "type", "size", "modified"],
};
