// MCP server over standard input and output: forwards the tools of the service (`/mcp`), and adds two for local files,
// whose bytes go directly between disk and service and never through the agent.
import { AsyncLocalStorage } from "node:async_hooks";
import { realpath } from "node:fs/promises";
import { Client, type ProgressCallback, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { PagewrightError } from "../core/error.ts";
import type { Pagewright } from "../core/pagewright.ts";
import { VERSION } from "../version.ts";
import { LOCAL_INSTRUCTIONS, LOCAL_TOOLS, saveFile, uploadFile } from "./local-files.ts";

/** Longer than any job, which the service limits itself. */
const CALL_LIMIT_MS = 1_800_000;

export interface BridgeOptions {
  readonly apiKey?: string | undefined;
  /** Folder in which agents can read and add files. */
  readonly root: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Stops the server. */
  readonly signal: AbortSignal;
}

/** Runs until standard input ends or the signal is aborted. */
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

/** Returns a callback that forwards progress to an agent that requested it. */
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

/** The signal of the call that a request belongs to. */
const cancellation = new AsyncLocalStorage<AbortSignal>();

/** Aborts the HTTP request of a canceled call: without MCP sessions, this cancels the job at the service. */
function fetchForCall(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const signals = [init.signal, cancellation.getStore()].filter((signal) => signal instanceof AbortSignal);
  return fetch(url, { ...init, signal: AbortSignal.any(signals) });
}

const LOCAL: ReadonlyMap<string, typeof uploadFile> = new Map([
  ["upload_file", uploadFile],
  ["save_file", saveFile],
]);
