// Declares /upload, which stores files for later requests.
import { fieldRequired, fileUnreachable, outOfRange, tooManyInputs } from "../http/errors.ts";
import type { Route } from "../http/route.ts";
import { receiveFiles } from "../http/uploads.ts";

export const upload: Route = {
  path: "/upload",
  summary: "Stores files, for requests that refer to them by id.",
  body({ maxUploadBytes, maxInputs }) {
    const file = {
      type: "string",
      format: "binary",
      description: `Any file, at most ${Math.floor(maxUploadBytes / 2 ** 20)} MB`,
    };
    const urls = { type: "array", items: { type: "string", format: "uri" }, maxItems: maxInputs };
    return {
      "multipart/form-data": {
        type: "object",
        properties: { file: { type: "array", items: file, maxItems: maxInputs }, "url[]": urls },
        anyOf: [{ required: ["file"] }, { required: ["url[]"] }],
      },
      "application/json": { type: "object", properties: { url: urls }, required: ["url"] },
      "application/octet-stream": {
        ...file,
        description: "The file itself, of any media type, with its name in the header field Content-Filename.",
      },
    };
  },
  answer: {
    type: "object",
    properties: {
      files: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: { name: { type: "string" }, id: { type: "string" } },
          required: ["name", "id"],
        },
      },
    },
    required: ["files"],
  },
  errors: [fieldRequired("file"), outOfRange("url[]", "http://127.0.0.1/"), tooManyInputs(), fileUnreachable()],
  serve: receiveFiles,
};
