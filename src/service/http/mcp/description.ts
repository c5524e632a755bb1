// Describes the paths of MCP and of upload URLs.
import { LIMITS } from "../../../document/contract/limits.ts";
import {
  BINARY,
  type Describe,
  EXAMPLE_INPUT,
  exampleBytes,
  FILE_ID,
  json,
  type OperationDescription,
} from "../contract/description.ts";
import {
  bodyTooLarge,
  bodyTooSlow,
  busy,
  fieldRequired,
  fileTooLarge,
  lengthRequired,
  limitReached,
  malformedBody,
  noSuchUpload,
  storageFull,
  tooManyFiles,
  uploadConflict,
  uploadExpired,
  uploadUsed,
} from "../contract/errors.ts";
import { MCP_PATH, ONE_TIME_PATH } from "../contract/paths.ts";

const text = { type: "string" };
const ADDRESS = {
  type: "object",
  properties: { uploadUrl: { ...text, format: "uri" }, expires: { ...text, format: "date-time" } },
  required: ["uploadUrl", "expires"],
};
const FILES = {
  type: "object",
  properties: {
    files: {
      type: "array",
      maxItems: 1,
      items: { type: "object", properties: { name: text, id: FILE_ID }, required: ["name", "id"] },
    },
  },
  required: ["files"],
};
const FILE = { type: "object", properties: { file: BINARY }, required: ["file"] };
const RPC_MESSAGE = {
  type: "object",
  properties: {
    jsonrpc: { type: "string", const: "2.0" },
    id: { type: ["string", "integer"], description: "Absent from notifications." },
    method: text,
    params: { type: "object" },
  },
  required: ["jsonrpc"],
};
const RPC_ERROR = {
  type: "object",
  properties: {
    jsonrpc: { const: "2.0" },
    error: {
      type: "object",
      properties: { code: { type: "integer" }, message: text, data: { description: "Facts for a program." } },
      required: ["code", "message"],
    },
    id: { type: ["string", "integer", "null"] },
  },
  required: ["jsonrpc", "error"],
};
const TOKEN = "5f0c".repeat(16);
const ARRIVED = { files: [{ name: "report.pdf", id: EXAMPLE_INPUT }] };

export const describeNewAddress: Describe = (_config, baseUrl) => ({
  path: ONE_TIME_PATH,
  section: "upload-urls",
  operations: [
    {
      ...{ method: "post", id: "create-upload-address", tag: "Files", needsKey: true },
      errors: [bodyTooLarge(LIMITS.jsonBodyBytes), storageFull()],
      summary: "Makes an address at which one file can be uploaded, once and without a key.",
      query: { name: { description: "Name of the file.", example: "report.pdf" } },
      responses: {
        200: {
          description: "The address, and when it expires.",
          content: json(ADDRESS, {
            uploadUrl: `${baseUrl}${ONE_TIME_PATH}/${TOKEN}`,
            expires: "2026-11-23T13:00:00.000Z",
          }),
        },
      },
    },
  ],
});

export const describeAddress: Describe = ({ maxUploadBytes }) => {
  // Each method accepts a file or a form. The description contains one of the two for each method.
  const send = (method: "put" | "post", body: NonNullable<OperationDescription["body"]>): OperationDescription => ({
    ...{ method, id: `${method}-upload-address`, tag: "Files", summary: "Stores the file of an upload address." },
    body,
    responses: { 200: { description: "The file is stored.", content: json(FILES, ARRIVED) } },
    errors: [
      ...[fieldRequired("file"), tooManyFiles(), noSuchUpload(), uploadUsed(), uploadExpired(), uploadConflict()],
      ...[fileTooLarge(maxUploadBytes), malformedBody(), bodyTooSlow(), busy(), storageFull()],
      ...(method === "put" ? [lengthRequired(), limitReached("10 MB a day", { "Retry-After": "17" })] : []),
    ],
  });
  return {
    path: `${ONE_TIME_PATH}/{token}`,
    section: "upload-urls",
    placeholders: { token: { description: "The secret of the address.", schema: text, example: TOKEN } },
    operations: [
      {
        ...{ method: "get", id: "get-upload-address", tag: "Files", errors: [noSuchUpload(), uploadExpired()] },
        summary: "Tells which file has arrived at an upload address.",
        responses: { 200: { description: "The file; none before it has arrived.", content: json(FILES, ARRIVED) } },
      },
      send("put", {
        "application/octet-stream": { schema: { ...BINARY, description: "The file, of any media type." } },
      }),
      send("post", { "multipart/form-data": { schema: FILE, example: { file: exampleBytes("report.pdf") } } }),
    ],
  };
};

export const describeAgents: Describe = () => ({
  path: MCP_PATH,
  section: "agents",
  operations: [
    {
      ...{ method: "post", id: "mcp", tag: "Service", needsKey: true },
      errors: [bodyTooLarge(LIMITS.agentMessageBytes), bodyTooSlow(), busy()],
      summary: "Takes a message of an agent (Model Context Protocol, streamable HTTP).",
      body: json(
        { oneOf: [RPC_MESSAGE, { type: "array", items: RPC_MESSAGE }] },
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
      ),
      responses: {
        200: {
          description: "The response, as an event; or the reason why there is no stream of changes.",
          content: { "text/event-stream": { schema: text }, ...json(RPC_ERROR) },
        },
        202: { description: "A notification was taken." },
        400: { description: "The message is not one of the protocol.", content: json(RPC_ERROR) },
        406: { description: "The client does not accept JSON and events.", content: json(RPC_ERROR) },
        415: { description: "The message is not JSON.", content: json(RPC_ERROR) },
      },
    },
  ],
});
