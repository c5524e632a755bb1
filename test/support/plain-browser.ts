// A headless Chromium without the service's confinement. Shows one page and evaluates expressions in it.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROGRAMS } from "../../container/engines/chromium/launch.ts";

/** Returns the reason why this machine has no browser, or undefined if it has one. */
export const missingBrowser = (): string | undefined =>
  PROGRAMS.some(existsSync) ? undefined : "Chromium is not installed.";

export interface PlainBrowser extends AsyncDisposable {
  /** Evaluates an expression in the page. If the result is a promise, waits for it. */
  evaluate<T>(expression: string): Promise<T>;
  /** Returns the content of the window, as PNG. */
  screenshot(): Promise<Uint8Array>;
}

interface Message {
  readonly id?: number;
  readonly result?: never;
  readonly error?: { readonly message: string };
}

/** @param size width and height of the window, in pixels */
export async function openPlainBrowser(url: string, size: readonly [number, number]): Promise<PlainBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "plain-browser-"));
  const options = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--remote-debugging-port=0",
    `--user-data-dir=${folder}`,
  ];
  const program = spawn(PROGRAMS.find(existsSync)!, [...options, `--window-size=${size.join(",")}`, "about:blank"]);
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(program.stderr).on("line", (line) => {
      const [, found] = /listening on (ws:\S+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
    program.on("exit", (code) => reject(new Error(`Chromium ended with ${code}`)));
  });
  const pages = await fetch(`http://${new URL(address).host}/json/new?${encodeURIComponent(url)}`, { method: "PUT" });
  const { webSocketDebuggerUrl } = (await pages.json()) as { webSocketDebuggerUrl: string };
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const waiting = new Map<number, (message: Message) => void>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    waiting.get(message.id ?? -1)?.(message);
  });
  let last = 0;
  const call = async (method: string, params: object): Promise<never> => {
    const id = ++last;
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result!;
  };
  return {
    async evaluate(expression) {
      const params = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = (await call("Runtime.evaluate", params)) as {
        result: { value: never };
        exceptionDetails?: { text: string; exception?: { description?: string } };
      };
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async screenshot() {
      const { data } = (await call("Page.captureScreenshot", { format: "png" })) as { data: string };
      return new Uint8Array(Buffer.from(data, "base64"));
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      const ended = new Promise((resolve) => program.once("exit", resolve));
      program.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
