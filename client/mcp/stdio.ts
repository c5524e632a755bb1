// Serves agents over standard input and output: passes on the tools of the service (`/mcp`), and adds two for files of
// this machine, whose bytes go between disk and service and never through the agent.
import { AsyncLocalStorage } from "node:async_hooks";
import { realpath } from "node:fs/promises";
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
} from "@modelcontextprotocol/sdk/types.js";
import { PagewrightError } from "../core/error.ts";
import type { Pagewright } from "../core/pagewright.ts";
import { VERSION } from "../version.ts";
import { LOCAL_INSTRUCTIONS, LOCAL_TOOLS, saveFile, uploadFile } from "./local-files.ts";

/** A call ends with the job, which the service limits; the bridge only has to outlast it. */
const CALL_LIMIT_MS = 1_800_000;

export interface BridgeOptions {
  readonly apiKey?: string | undefined;
  /** Folder whose files agents may read, and to which they may add. */
  readonly root: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Ends the bridge. */
  readonly signal: AbortSignal;
}

/** Serves until standard input ends or the signal is aborted. */
export async function serveOverStdio(pw: Pagewright, options: BridgeOptions): Promise<void> {
  const { apiKey, stdin, stdout, signal } = options;
  const root = await realpath(options.root).catch(() => {
    throw new PagewrightError(0, `There is no folder ${options.root}.`);
  });
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
  const instructions = [remote.getInstructions() ?? "", LOCAL_INSTRUCTIONS(root)].join(" ").trim();
  const server = new Server(info, { capabilities: { tools: {} }, instructions });

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
      return await local(params.arguments ?? {}, { pw, root, signal: caller.signal });
    } catch (error) {
      return { content: [{ type: "text", text: (error as Error).message }], isError: true };
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

const LOCAL: ReadonlyMap<string, typeof uploadFile> = new Map([
  ["upload_file", uploadFile],
  ["save_file", saveFile],
]);
