// MCP server over standard input and output. Forwards calls to the tools of the service (`/mcp`), and adds two tools
// for local files. The bytes of these files are transferred directly between disk and service, not through the agent.
import { AsyncLocalStorage } from "node:async_hooks";
import { realpath } from "node:fs/promises";
import { Client, type ProgressCallback, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { PagewrightError } from "../core/error.ts";
import type { Pagewright } from "../core/pagewright.ts";
import { VERSION } from "../version.ts";
import { LOCAL_INSTRUCTIONS, LOCAL_TOOLS, saveFile, uploadFile } from "./local-files.ts";

/** Time limit of a call. It is longer than the service's time limit for a job. */
const CALL_LIMIT_MS = 1_800_000;

export interface BridgeOptions {
  readonly apiKey?: string | undefined;
  /** Folder in which agents can read and create files. */
  readonly root: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Stops the server when aborted. */
  readonly signal: AbortSignal;
}

/** Runs the server until standard input ends or the signal is aborted. */
export async function serveOverStdio(pw: Pagewright, options: BridgeOptions): Promise<void> {
  const { apiKey, stdin, stdout, signal } = options;
  const root = await realpath(options.root).catch(() => {
    throw new PagewrightError(0, `The folder ${options.root} does not exist.`);
  });
  const info = { name: "pagewright", version: VERSION };
  const remote = new Client(info);
  const requestInit = { headers: apiKey ? { "Api-Key": apiKey } : {} };
  const http = new StreamableHTTPClientTransport(new URL(`${pw.baseUrl}/mcp`), {
    requestInit,
    fetch: fetchForCall,
  });
  await remote.connect(http).catch((cause: Error) => {
    throw new PagewrightError(0, `The service at ${pw.baseUrl} has no /mcp: ${cause.message}`, { cause });
  });
  const instructions = [remote.getInstructions() ?? "", LOCAL_INSTRUCTIONS(root)].join(" ").trim();
  const serverOfAgent = () => {
    const server = new Server(info, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler("tools/list", async () => {
      const { tools } = await remote.listTools();
      return { tools: [...tools, ...LOCAL_TOOLS] };
    });
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }): Promise<CallToolResult> => {
      const local = LOCAL.get(params.name);
      if (!local) {
        const limits = { signal: mcpReq.signal, timeout: CALL_LIMIT_MS, resetTimeoutOnProgress: true };
        const told = { ...limits, ...forwarding(mcpReq) };
        return cancellation.run(mcpReq.signal, () => remote.callTool(params, told));
      }
      try {
        return await local(params.arguments ?? {}, { pw, root, signal: mcpReq.signal });
      } catch (error) {
        return { content: [{ type: "text", text: (error as Error).message }], isError: true };
      }
    });
    return server;
  };

  const ended = new Promise<void>((resolve) => {
    stdin.once("end", resolve);
    stdin.once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const transport = new StdioServerTransport(stdin as never, stdout as never);
  const serving = serveStdio(serverOfAgent, { transport });
  await ended;
  await serving.close();
  await remote.close();
}

/** Returns a callback that forwards progress to the agent; no callback if the agent has not requested progress. */
function forwarding({ _meta, notify }: ServerContext["mcpReq"]): { onprogress?: ProgressCallback } {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onprogress(progress) {
      const params = { ...progress, progressToken };
      notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

/** The abort signal of the current tool call, for the HTTP requests that the call sends. */
const cancellation = new AsyncLocalStorage<AbortSignal>();

/**
 * Sends an HTTP request, and aborts it if its tool call is canceled. The service then cancels the job, because it has
 * no MCP sessions.
 */
function fetchForCall(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const signals = [init.signal, cancellation.getStore()].filter((signal) => signal instanceof AbortSignal);
  return fetch(url, { ...init, signal: AbortSignal.any(signals) });
}

const LOCAL: ReadonlyMap<string, typeof uploadFile> = new Map([
  ["upload_file", uploadFile],
  ["save_file", saveFile],
]);
