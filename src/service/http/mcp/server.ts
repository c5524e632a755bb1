// Serves the Model Context Protocol (docs/api.md#agents) with streamable HTTP, without sessions. Messages contain IDs
// and URLs of files, not their content, except small images of pages.
import { type CallToolResult, createMcpHandler, type Tool as ListedTool, Server } from "@modelcontextprotocol/server";
import { LIMITS } from "../../../document/contract/limits.ts";
import { isModestJson } from "../../../document/contract/parameters/json-shape.ts";
import type { Config } from "../../settings/config.ts";
import { RELEASE } from "../../settings/release.ts";
import type { MemoryQuota, Reservation } from "../../storage/memory-quota.ts";
import { describe } from "../contract/described.ts";
import { type Endpoint, isServed } from "../contract/endpoint.ts";
import { bodyTooLarge, methodNotAllowed } from "../contract/errors.ts";
import { readWhole } from "../requests/arriving-body.ts";
import { CallError, type Calling, callOperation, createUpload, deleteFile, describeFile } from "./calls.ts";
import { CallProgress } from "./progress.ts";
import { READING_TOOLS } from "./reading.ts";
import { toolOf } from "./tools.ts";

const INSTRUCTIONS =
  "Converts and processes documents. Files are given by id or by http(s) address, never as bytes. To bring in a local " +
  "file, call create_upload and have the file sent to the address it returns. Results are links: fetch them by HTTP " +
  "GET, or pass their id to another tool. To read a stored PDF, call search_pages and read_pages; to see a page, call " +
  "look_at_page.";

/** A tool: its description for agents, and its implementation. */
interface Tool {
  readonly listed: ListedTool;
  call(args: Readonly<Record<string, unknown>>, calling: Calling): Promise<CallToolResult>;
}

export type Tools = ReadonlyMap<string, Tool>;

/** Returns the tools of a deployment by name. They are the same for all requests. */
export function createTools(endpoints: readonly Endpoint[], config: Pick<Config, "variant" | "model">): Tools {
  const operations = endpoints.filter((endpoint) => isServed(endpoint, config)).map(describe);
  const tools = operations.map((one): Tool => ({ listed: toolOf(one), call: callOperation.bind(undefined, one) }));
  return new Map([...tools, ...FILE_TOOLS, ...READING_TOOLS].map((tool) => [tool.listed.name, tool]));
}

/** The services for tool calls. */
export interface Served extends Omit<Calling, "progress"> {
  readonly tools: Tools;
  /** Memory for messages. */
  readonly bodies: MemoryQuota;
}

/**
 * Handles an agent's request.
 * @throws ServiceError 405, 408, 413, 503
 */
export async function serveMcp(request: Request, served: Served): Promise<Response> {
  // In MCP, GET opens a stream and DELETE ends a session. This server has neither streams of its own nor sessions.
  if (request.method !== "POST") throw methodNotAllowed("POST");
  using held = served.bodies.openReservation();
  const message = await messageOf(request, held);
  // The handler supports MCP versions before and since 2026-07-28. There are no subscriptions, because the tools never
  // change.
  const handler = createMcpHandler(() => serverOf(served), { responseMode: "sse", maxSubscriptions: 0 });
  return handler.fetch(message);
}

function serverOf(served: Served): Server {
  const server = new Server(
    { name: "pagewright", version: RELEASE.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...served.tools.values()].map(({ listed }) => listed) }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    using progress = new CallProgress(mcpReq);
    try {
      return await call(name, args, { ...served, progress: progress.tell });
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
  // For deeply nested or invalid JSON, the body is empty, which the handler reports as invalid JSON.
  return new Request(url, { method, headers, signal, body: isModestJson(text) ? text : "" });
}

async function call(
  name: string,
  args: Readonly<Record<string, unknown>>,
  { tools, ...calling }: Calling & Pick<Served, "tools">,
): Promise<CallToolResult> {
  const tool = tools.get(name);
  if (!tool) throw new CallError(`There is no tool ${name.slice(0, 200)}.`);
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(tool.listed.inputSchema.properties ?? {}, key));
  // Rejects misspelled parameters instead of silently ignoring them.
  if (unknown !== undefined) throw new CallError(`The tool ${name} has no parameter ${unknown.slice(0, 200)}.`);
  return tool.call(args, calling);
}

const text = (description: string) => ({ type: "string", description });

const ONE_FILE: ListedTool["inputSchema"] = {
  type: "object",
  properties: { file: text("Id or address of the stored file, or its upload address.") },
  required: ["file"],
  additionalProperties: false,
};

const FILE_TOOLS: readonly Tool[] = [
  {
    call: createUpload,
    listed: {
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
  },
  {
    call: describeFile,
    listed: {
      name: "describe_file",
      description: "Tells the name, media type, size and address of a stored file, and the number of pages of a PDF.",
      inputSchema: ONE_FILE,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
  },
  {
    call: deleteFile,
    listed: {
      name: "delete_file",
      description: "Removes a stored file. It cannot be brought back.",
      inputSchema: ONE_FILE,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
  },
];
