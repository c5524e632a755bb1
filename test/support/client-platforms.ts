// The platforms on which the client's test suite runs: this process, workerd, a browser, Deno and Bun.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { OPERATIONS } from "../../client/generated/operations.ts";
import { Pagewright } from "../../client/node.ts";
import { PROGRAMS } from "../../container/engines/chromium/launch.ts";
import { CHECKS } from "./client-checks.ts";
import type { Assignment } from "./client-elsewhere.ts";
import { programOf, startProgram } from "./client-programs.ts";
import type { ClientService } from "./client-setup.ts";

export interface ClientPlatform extends AsyncDisposable {
  /** Runs a check by name. @throws the check's error */
  run(check: string): Promise<void>;
}

type Start = (service: ClientService) => Promise<ClientPlatform>;

export const PLATFORMS: Readonly<Record<"Node" | "workerd" | "a browser" | "Deno" | "Bun", Start>> = {
  Node: async (service) => ({
    run: (check) => CHECKS[check]!({ ...service, Pagewright, operations: OPERATIONS }),
    async [Symbol.asyncDispose]() {},
  }),

  async workerd(service) {
    const script = await bundle("client-in-workerd.ts", ["workerd"]);
    const worker = new Miniflare(
      convertV4MiniflareOptions({ modules: true, script, compatibilityDate: "2026-11-01", cf: false }),
    );
    await worker.ready;
    return {
      async run(check) {
        const body = JSON.stringify(assignmentOf(check, service));
        fail(await (await worker.dispatchFetch("http://worker/", { method: "POST", body })).text());
      },
      [Symbol.asyncDispose]: () => worker.dispose(),
    };
  },

  async "a browser"(service) {
    const script = await bundle("client-in-browser.ts", ["browser"]);
    const page = new CheckPage(script, service);
    await page.start();
    return page;
  },

  Deno: async (service) => startProgram("deno", (check) => JSON.stringify(assignmentOf(check, service))),
  Bun: async (service) => startProgram("bun", (check) => JSON.stringify(assignmentOf(check, service))),
};

/** Names of platforms that are not installed on this machine. */
export const MISSING = (["Deno", "Bun"] as const).filter((name) => !programOf(name === "Deno" ? "deno" : "bun"));

/** Returns a module of this folder, bundled with its imports. */
export async function bundle(name: string, conditions: string[]): Promise<string> {
  const entry = join(import.meta.dirname, name);
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm", conditions });
  return outputFiles[0]!.text;
}

function assignmentOf(check: string, { samples, baseUrl, apiKey, pdfUrl }: ClientService): Assignment {
  const encoded = Object.fromEntries(
    Object.entries(samples).map(([format, bytes]) => [format, Buffer.from(bytes).toString("base64")]),
  ) as Assignment["encoded"];
  return { check, baseUrl, apiKey, pdfUrl, encoded };
}

function fail(error: string): void {
  if (error !== "") throw new Error(error);
}

/**
 * Serves the page with the checks, and proxies the service under the same origin. A headless Chromium has the page
 * open.
 */
class CheckPage implements ClientPlatform {
  readonly #script: string;
  readonly #service: ClientService;
  readonly #server = createServer((from, to) => this.#answer(from, to));
  #askedFor: ((response: { done: boolean; assignment?: Assignment }) => void) | undefined;
  #waiting = Promise.withResolvers<void>();
  #checked: ((error: string) => void) | undefined;
  #end = async () => {};

  constructor(script: string, service: ClientService) {
    this.#script = script;
    this.#service = service;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as { port: number };
    const profile = await mkdtemp(join(tmpdir(), "client-browser-"));
    const program = PROGRAMS.find(existsSync);
    if (program === undefined) throw new Error("Chromium is not installed.");
    const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`];
    const browser = spawn(program, [...options, `http://127.0.0.1:${port}/`], { stdio: "ignore" });
    const ended = new Promise((resolve) => browser.once("close", resolve));
    this.#end = async () => {
      browser.kill("SIGKILL");
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    };
  }

  async run(check: string): Promise<void> {
    await this.#waiting.promise;
    this.#waiting = Promise.withResolvers();
    const checked = new Promise<string>((resolve) => {
      this.#checked = resolve;
    });
    this.#askedFor!({ done: false, assignment: assignmentOf(check, this.#service) });
    fail(await checked);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(from: IncomingMessage, to: ServerResponse): void {
    if (from.url === "/") {
      to.setHeader("Content-Type", "text/html").end(`<!doctype html><script type="module" src="/checks.js"></script>`);
    } else if (from.url === "/checks.js") {
      to.setHeader("Content-Type", "text/javascript").end(this.#script);
    } else if (from.url === "/next-check") {
      this.#askedFor = (next) => to.end(JSON.stringify(next));
      this.#waiting.resolve();
    } else if (from.url === "/checked") {
      let error = "";
      from.on("data", (chunk) => {
        error += chunk;
      });
      from.on("end", () => {
        to.end();
        this.#checked?.(error);
      });
    } else {
      this.#forward(from, to);
    }
  }

  #forward(from: IncomingMessage, to: ServerResponse): void {
    const target = new URL(from.url ?? "/", this.#service.baseUrl);
    const headers = { ...from.headers, host: target.host };
    const onward = request(target, { method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
      answer.on("error", () => to.destroy());
    });
    onward.on("error", () => to.destroy());
    to.on("close", () => onward.destroy());
    from.pipe(onward);
  }
}
