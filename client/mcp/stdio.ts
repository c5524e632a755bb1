// Serves agents over standard input and output: passes on the tools of the service (`/mcp`), and adds two for files of
// this machine, whose bytes go between disk and service and never through the agent.
import { AsyncLocalStorage } from "node:async_hooks";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { ProgressCallback } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type ServerNotification,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { VERSION } from "../cli/version.ts";
import { PagewrightError } from "../core/error.ts";
import type { Pagewright } from "../core/pagewright.ts";

/** A call ends with the job, which the service limits; the bridge only has to outlast it. */
const CALL_LIMIT_MS = 1_800_000;

export interface BridgeOptions {
  readonly apiKey?: string | undefined;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Ends the bridge. */
  readonly signal: AbortSignal;
}

/** Serves until standard input ends or the signal is aborted. */
export async function serveOverStdio(pw: Pagewright, options: BridgeOptions): Promise<void> {
  const { apiKey, stdin, stdout, signal } = options;
  const info = { name: "pagewright", version: VERSION };
  const remote = new Client(info);
  const requestInit = { headers: apiKey ? { "Api-Key": apiKey } : {} };
  const transport = new StreamableHTTPClientTransport(new URL(`${pw.baseUrl}/mcp`), {
    requestInit,
    fetch: fetchForCall,
  });
  await remote.connect(transport as never).catch((cause: Error) => {
    throw new PagewrightError(0, `The service at ${pw.baseUrl} has no /mcp: ${cause.message}`, { cause });
  });
  const instructions = remote.getInstructions();
  const server = new Server(info, { capabilities: { tools: {} }, ...(instructions ? { instructions } : {}) });

  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const { tools } = await remote.listTools();
    return { tools: [...tools, ...LOCAL_TOOLS] };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, caller): Promise<CallToolResult> => {
    const local = LOCAL.get(params.name);
    if (!local) {
      const limits = { signal: caller.signal, timeout: CALL_LIMIT_MS, resetTimeoutOnProgress: true };
      const told = { ...limits, ...forwarding(params._meta?.progressToken, caller) };
      const answer = cancellation.run(caller.signal, () => remote.callTool(params, undefined, told));
      return (await answer) as CallToolResult;
    }
    try {
      return said(await local(pw, params.arguments ?? {}, caller.signal));
    } catch (error) {
      return { ...said((error as Error).message), isError: true };
    }
  });

  const ended = new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    stdin.once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport(stdin as never, stdout as never));
  await ended;
  await server.close();
  await remote.close();
}

interface Caller {
  sendNotification(notification: ServerNotification): Promise<void>;
}

/** Returns what passes the progress of a call on to an agent that asks for it. */
function forwarding(progressToken: string | number | undefined, caller: Caller): { onprogress?: ProgressCallback } {
  if (progressToken === undefined) return {};
  return {
    onprogress(progress) {
      const params = { ...progress, progressToken };
      caller.sendNotification({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

/** The signal of the call that a request belongs to. */
const cancellation = new AsyncLocalStorage<AbortSignal>();

/** Ends the request of a call that is canceled: without sessions, that is what cancels it at the service. */
function fetchForCall(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const signals = [init.signal, cancellation.getStore()].filter((signal) => signal instanceof AbortSignal);
  return fetch(url, { ...init, signal: AbortSignal.any(signals) });
}

const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

type Local = (pw: Pagewright, given: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<string>;

const uploadFile: Local = async (pw, { path }, signal) =>
  `The file is stored. Its id is ${(await pw.upload(textIn("path", path), { signal })).id}`;

const saveFile: Local = async (pw, { file, path }, signal) => {
  const id = /[12][\da-f]{8}-[\da-f-]{27}/.exec(textIn("file", file))?.[0];
  if (id === undefined) throw new Error("`file` must be the id or the address of a stored file.");
  return `The file is saved: ${await pw.stored(id).save(textIn("path", path), { signal })}`;
};

const LOCAL: ReadonlyMap<string, Local> = new Map([
  ["upload_file", uploadFile],
  ["save_file", saveFile],
]);

function textIn(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`\`${name}\` must be a text.`);
}

const text = (description: string) => ({ type: "string", description });

const LOCAL_TOOLS: readonly Tool[] = [
  {
    name: "upload_file",
    description: "Stores a file of this machine, and returns its id, which other tools take as an input.",
    inputSchema: { type: "object", properties: { path: text("Path of the file.") }, required: ["path"] },
  },
  {
    name: "save_file",
    description: "Saves a stored file on this machine. A file that is there already is replaced.",
    inputSchema: {
      type: "object",
      properties: {
        file: text("Id or address of the stored file."),
        path: text("Path of the file, or of a folder that exists or ends with a slash."),
      },
      required: ["file", "path"],
    },
  },
];
