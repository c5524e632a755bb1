// Declares /upload, which stores files for later requests.
import { BINARY, EXAMPLE_INPUT, exampleBytes, json } from "../../service/http/contract/description.ts";
import {
  fieldRequired,
  filesAndUrls,
  fileTooLarge,
  fileUnreachable,
  outOfRange,
  storageFull,
  timedOut,
  tooManyInputs,
} from "../../service/http/contract/errors.ts";
import type { Route } from "../../service/http/contract/route.ts";
import { FILE_INFO } from "../../service/http/files/resource-description.ts";
import { deferredUpload, FILENAME_HEADER, handleUpload } from "../../service/http/files/uploads.ts";
import { errorsOfBody } from "../../service/http/requests/read-form.ts";

const ANSWER = {
  type: "object",
  properties: {
    files: {
      type: "array",
      minItems: 1,
      // The other properties are present only with the header Include-File-Info.
      items: { type: "object", properties: FILE_INFO.properties, required: ["name", "id"] },
    },
  },
  required: ["files"],
};

export const upload: Route = {
  path: "/upload",
  bodyLimits: (headers, { maxInputs, maxUploadBytes }) => ({
    ...{ files: maxInputs, fileBytes: maxUploadBytes },
    isFile: headers.has(FILENAME_HEADER),
  }),
  describe({ maxUploadBytes, maxInputs, dialect }) {
    const description = `Any file, at most ${Math.floor(maxUploadBytes / 2 ** 20)} MB.`;
    const list = { type: "array", minItems: 1, maxItems: maxInputs };
    const file = { ...list, items: BINARY, description };
    const urls = {
      ...{ ...list, items: { type: "string", format: "uri" } },
      description: "Addresses of files, which are fetched.",
    };
    const alone = (properties: object) => ({ type: "object", properties, required: Object.keys(properties) });
    const example = { files: [{ name: "report.pdf", id: EXAMPLE_INPUT }] };
    const url = "https://www.example.com/report.pdf";
    return {
      section: "upload",
      operations: [
        {
          ...{ method: "post", id: "upload", tag: "Files", needsKey: true },
          summary: "Stores files, for requests that refer to them by id.",
          headers: {
            [FILENAME_HEADER]: {
              description: "Name of the file that is the body: ASCII, UTF-8, percent-encoded, RFC 8187 or RFC 2047.",
              example: "report.pdf",
            },
          },
          body: {
            "multipart/form-data": {
              schema: {
                ...{ type: "object", properties: { file, "url[]": urls } },
                allOf: [{ anyOf: [alone({ file }), alone({ "url[]": urls })] }],
              },
              example: { file: [exampleBytes("report.pdf")] },
            },
            "application/json": { schema: alone({ url: urls }), example: { url: [url] } },
            "application/x-www-form-urlencoded": { schema: alone({ "url[]": urls }), example: { "url[]": [url] } },
            "application/octet-stream": {
              schema: { ...BINARY, description: "The file itself, of any media type, if Content-Filename is sent." },
            },
          },
          responses: {
            200: { description: "The names and ids of the files, in order.", content: json(ANSWER, example) },
          },
          errors: [
            ...[fieldRequired("file"), outOfRange("url[]", "http://127.0.0.1/"), tooManyInputs(), fileUnreachable()],
            ...(dialect === "current" ? [filesAndUrls()] : []),
            ...[...errorsOfBody("url[]"), fileTooLarge(maxUploadBytes), timedOut(), storageFull()],
          ],
        },
      ],
    };
  },
  serve: handleUpload,
  deferred: deferredUpload,
};
