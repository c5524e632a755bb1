// Serves the Model Context Protocol (docs/api.md#agents): streamable HTTP without sessions. Files are referenced by ID
// or URL; messages contain no file content except images of pages.
import { type CallToolResult, createMcpHandler, type Tool as ListedTool, Server } from "@modelcontextprotocol/server";
import { LIMITS } from "../../../document/contract/limits.ts";
import { isModestJson } from "../../../document/contract/parameters/json-shape.ts";
import type { Variant } from "../../settings/config.ts";
import type { MemoryQuota, Reservation } from "../../storage/memory-quota.ts";
import { type Described, describe } from "../contract/described.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { bodyTooLarge, methodNotAllowed } from "../contract/errors.ts";
import { readWhole } from "../requests/arriving-body.ts";
import { CallError, callOperation, createUpload, deleteFile, describeFile } from "./calls.ts";
import type { Dispatch, FactsOf } from "./dispatch.ts";
import { CallProgress } from "./progress.ts";
import { toolOf } from "./tools.ts";

const INSTRUCTIONS =
  "Converts and processes documents. Files are given by id or by http(s) address, never as bytes. To bring in a local " +
  "file, call create_upload and have the file sent to the address it returns. Results are links: fetch them by HTTP " +
  "GET, or pass their id to another tool. To see a page, call png: its result shows the picture.";

/** The services for tool calls. */
export interface Served {
  readonly endpoints: readonly Endpoint[];
  readonly variant: Variant;
  readonly dispatch: Dispatch;
  readonly factsOf: FactsOf;
  /** Memory for messages. */
  readonly bodies: MemoryQuota;
}

/**
 * Handles an agent's request.
 * @throws ServiceError 405, 408, 413, 503
 */
export async function serveMcp(request: Request, served: Served): Promise<Response> {
  // GET opens a stream and DELETE ends a session; without sessions, neither exists.
  if (request.method !== "POST") throw methodNotAllowed("POST");
  using held = served.bodies.openReservation();
  const message = await messageOf(request, held);
  const operations = served.endpoints.filter(({ variants }) => variants.includes(served.variant)).map(describe);
  // Supports protocol versions before and since 2026-07-28. Offers no subscriptions, because the tools never change.
  const handler = createMcpHandler(() => serverOf(operations, served), { responseMode: "sse", maxSubscriptions: 0 });
  return handler.fetch(message);
}

function serverOf(operations: readonly Described[], served: Served): Server {
  const server = new Server(
    { name: "pagewright", version: "0.1.0" },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...operations.map(toolOf), ...FILE_TOOLS] }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    using progress = new CallProgress(mcpReq);
    try {
      return await call(operations, name, args, { ...served, progress: progress.tell });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return { content: [{ type: "text", text: error.message }], isError: true };
    }
  });
  return server;
}

/** Returns the same request with a buffered body. */
async function messageOf({ body, url, method, headers, signal }: Request, held: Reservation): Promise<Request> {
  const length = headers.get("Content-Length");
  const size = length === null ? undefined : Number(length);
  const maxBytes = LIMITS.agentMessageBytes;
  const bytes = body ? await readWhole(body, { size, maxBytes, reservation: held }) : new Uint8Array(0);
  if (!bytes) throw bodyTooLarge(maxBytes);
  const text = new TextDecoder().decode(bytes);
  // The transport reports invalid JSON.
  return new Request(url, { method, headers, signal, body: isModestJson(text) ? text : "" });
}

async function call(
  operations: readonly Described[],
  name: string,
  args: Readonly<Record<string, unknown>>,
  calling: Pick<Served, "dispatch" | "factsOf"> & { readonly progress: CallProgress["tell"] },
): Promise<CallToolResult> {
  const operation = operations.find(({ verb }) => verb === name);
  const tool = operation ? toolOf(operation) : FILE_TOOLS.find((each) => each.name === name);
  if (!tool) throw new CallError(`There is no tool ${name.slice(0, 200)}.`);
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(tool.inputSchema.properties ?? {}, key));
  // Rejects misspelled parameters instead of silently ignoring them.
  if (unknown !== undefined) throw new CallError(`The tool ${name} has no parameter ${unknown.slice(0, 200)}.`);
  return operation ? callOperation(operation, args, calling) : ON_FILES.get(name)!(args, calling.dispatch);
}

const ON_FILES: ReadonlyMap<string, typeof createUpload> = new Map([
  ["create_upload", createUpload],
  ["describe_file", describeFile],
  ["delete_file", deleteFile],
]);

const text = (description: string) => ({ type: "string", description });

const onOneFile = (description: string): ListedTool["inputSchema"] => ({
  type: "object",
  properties: { file: text(description) },
  required: ["file"],
  additionalProperties: false,
});

const FILE_TOOLS: readonly ListedTool[] = [
  {
    name: "create_upload",
    description:
      "Makes an address to which one file can be sent once, with PUT or POST, within an hour. Afterwards, the address " +
      "is an input of the other tools.",
    inputSchema: {
      type: "object",
      properties: { name: text("Name of the file, with its extension, such as report.docx.") },
      required: ["name"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  {
    name: "describe_file",
    description: "Tells the name, media type, size and address of a stored file, and the number of pages of a PDF.",
    inputSchema: onOneFile("Id or address of the stored file, or its upload address."),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: "delete_file",
    description: "Removes a stored file. It cannot be brought back.",
    inputSchema: onOneFile("Id or address of the stored file, or its upload address."),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
];
