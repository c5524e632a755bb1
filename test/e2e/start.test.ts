// Tests `npm start` as a new user runs it: both variants run from one checkout, and no process remains after the end.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { eventually } from "../support/eventually.ts";
import { type Command, canListen, freePort, processTree, run, survivors, waitForOutput } from "../support/processes.ts";

const stateDir = mkdtempSync(join(tmpdir(), "start-"));
afterAll(() => rmSync(stateDir, { recursive: true, force: true, maxRetries: 3 }));

function npmStart(port: number, env: Record<string, string> = {}): Command {
  return run("npm", ["start"], { VARIANT: "", API_KEY: "", PORT: String(port), STATE_DIR: stateDir, ...env });
}

async function end(command: Command): Promise<void> {
  const all = processTree(command.pid);
  try {
    process.kill(-command.pid, "SIGTERM");
  } catch {
    // The test has already ended the process.
  }
  for (const pid of await survivors(all)) process.kill(pid, "SIGKILL");
}

const curlLine = (output: string) => /^ *(curl .*)$/m.exec(output)?.[1] ?? "";
const answerOf = async (line: string) => {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${line} -s`]);
  return JSON.parse(stdout) as { outputUrl: string };
};

describe("both variants side by side", () => {
  let open: Command;
  let keyed: Command;
  let ports: [number, number];
  beforeAll(async () => {
    ports = [await freePort(), await freePort()];
    open = npmStart(ports[0]);
    keyed = npmStart(ports[1], { VARIANT: "keyed" });
    await Promise.all([waitForOutput(open, "Ready"), waitForOutput(keyed, "Ready")]);
  });
  afterAll(async () => {
    await Promise.all([end(open), end(keyed)]);
  });

  test("each answers for its own variant on localhost", async () => {
    for (const [index, variant] of ["private", "keyed"].entries()) {
      const response = await fetch(`http://localhost:${ports[index]}/up`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ status: "OK", variant });
    }
  });

  test("the curl line that it prints makes a file, in both", async () => {
    for (const command of [open, keyed]) {
      const { outputUrl } = await answerOf(curlLine(command.output()));
      expect(await (await fetch(outputUrl)).text()).toBe("<h1>Hello</h1>");
    }
  });

  test("the keyed one prints a key in groups of 8-4-4-4-12 and refuses others", async () => {
    const key = /^Development key: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(keyed.output())?.[1];
    expect(key).toBeDefined();
    const line = curlLine(keyed.output()).replace(key!, "00000000-0000-0000-0000-000000000000");
    expect(await answerOf(line)).toEqual({ error: "The provided key is not valid." });
  });

  test("what one stores the other does not know", async () => {
    const { outputUrl } = await answerOf(curlLine(open.output()));
    const elsewhere = outputUrl.replace(String(ports[0]), String(ports[1]));
    expect((await fetch(elsewhere)).status).toBe(404);
  });

  test("a request with a password can wait in the queue, and only this user can read the secret that protects it", async () => {
    const body = new FormData();
    body.append("file", new Blob([Buffer.from(await textPdf(1))]), "a.pdf");
    body.append("new_open_password", "correct horse");
    const headers = { Prefer: "respond-async" };
    const response = await fetch(`http://localhost:${ports[0]}/encrypted-pdf`, { method: "POST", headers, body });
    expect(response.status).toBe(202);
    expect(statSync(join(stateDir, "private/form-secret")).mode & 0o777).toBe(0o600);
  });

  test("a port in use is told in one sentence, exit code 1", async () => {
    const second = npmStart(ports[0]);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Port ${ports[0]} is in use`);
    const third = npmStart(ports[1], { VARIANT: "keyed", API_KEY: "my own" });
    expect(await third.ended).toBe(1);
    const [, suggested] = /Choose another port: PORT=(\d+) VARIANT=keyed API_KEY='my own' .*npm start/.exec(
      third.output(),
    )!;
    expect(await canListen(Number(suggested))).toBe(true);
  });

  test("the keyed one prints an address that carries the key to the workbench", () => {
    expect(keyed.output()).toMatch(/Open http:\/\/localhost:\d+\/#key=[0-9a-f-]{36} to try it/);
    expect(open.output()).toMatch(/Open http:\/\/localhost:\d+ to try it/);
  });

  test("Ctrl-C ends every process and frees the ports", async () => {
    for (const [index, command] of [open, keyed].entries()) {
      const all = processTree(command.pid);
      expect(all.length).toBeGreaterThan(4);
      // A terminal sends SIGINT to the whole foreground process group.
      process.kill(-command.pid, "SIGINT");
      expect(await command.ended).toBe(0);
      expect(await survivors(all)).toEqual([]);
      expect(await canListen(ports[index]!)).toBe(true);
      expect(await canListen(ports[index]! + 1000)).toBe(true);
    }
  });
});

describe("whichever way it is ended, nothing is left", () => {
  let command: Command | undefined;
  afterEach(async () => {
    if (command) await end(command);
  });

  for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
    const setsKey = signal === "SIGTERM";
    test(`${signal} to npm alone${setsKey ? ", with a key that API_KEY has set" : ""}`, async () => {
      command = npmStart(await freePort(), setsKey ? { VARIANT: "keyed", API_KEY: "my-own-key" } : {});
      await waitForOutput(command, "Ready");
      if (setsKey) {
        expect(command.output()).toContain("Development key: my-own-key");
        expect(await answerOf(curlLine(command.output()))).toHaveProperty("outputUrl");
      }
      const all = processTree(command.pid);
      process.kill(command.pid, signal);
      expect(await survivors(all)).toEqual([]);
    });
  }

  test("SIGKILL to the script itself", async () => {
    command = npmStart(await freePort());
    await waitForOutput(command, "Ready");
    const [npm, script, ...rest] = processTree(command.pid);
    process.kill(script!, "SIGKILL");
    expect(await survivors([npm!, script!, ...rest])).toEqual([]);
  });

  test("Ctrl-C while it is still starting", async () => {
    const starting = npmStart(await freePort());
    command = starting;
    await eventually(() => expect(processTree(starting.pid).length).toBeGreaterThanOrEqual(3), { intervalMs: 20 });
    const all = processTree(starting.pid);
    process.kill(-starting.pid, "SIGINT");
    expect(await starting.ended).toBe(0);
    expect(await survivors(all)).toEqual([]);
  });
});

describe("settings", () => {
  test("a variant or a port that cannot be is told with what can be, exit code 1", async () => {
    const variant = npmStart(8787, { VARIANT: "public" });
    expect(await variant.ended).toBe(1);
    expect(variant.output()).toContain('VARIANT is "public"; it can be private or keyed.');
    const port = npmStart(8787, { PORT: "http" });
    expect(await port.ended).toBe(1);
    expect(port.output()).toContain('PORT must be a number from 1 to 65535, not "http".');
  });

  test("--help shows them, and other arguments are refused with it", async () => {
    const help = run("npm", ["start", "--", "--help"], {});
    expect(await help.ended).toBe(0);
    expect(help.output()).toMatch(/Usage: npm start[\s\S]*STATE_DIR/);
    const wrong = run("npm", ["run", "serve", "--", "--port", "80"], {});
    expect(await wrong.ended).toBe(2);
    expect(wrong.output()).toMatch(/Unknown argument --port\.[\s\S]*Usage: npm run serve/);
  });

  test("a port that is taken on IPv6 alone counts as taken", async (context) => {
    const port = await freePort();
    const server = createServer();
    const listening = await new Promise((resolve) => {
      server.once("error", () => resolve(false));
      server.listen({ port, host: "::1" }, () => resolve(true));
    });
    if (!listening) return context.skip("this machine has no IPv6 loopback address");
    const command = npmStart(port);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(`Port ${port} is in use`);
    server.close();
  });
});
