// Tests `npm run serve`: the whole service on Node by one command, which leaves no process behind when it ends.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type Command, canListen, freePort, processTree, run, survivors, waitForOutput } from "../support/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

let started: number[] = [];
afterEach(async () => {
  for (const pid of await survivors(started)) process.kill(pid, "SIGKILL");
  started = [];
});

async function serve(port: number, env: Record<string, string> = {}): Promise<Command> {
  const command = run("npm", ["run", "serve"], { PORT: String(port), DATA_DIR: folder, VARIANT: "keyed", ...env });
  // The last log line of a start.
  await waitForOutput(command, '"expired files removed"').finally(() => {
    started.push(...processTree(command.pid));
  });
  return command;
}

/** A page that takes long enough that the test can observe its job. */
const BUSY_PAGE = "<h1>Hello</h1><script>for (const end = Date.now() + 2000; Date.now() < end;);</script>";

/** Returns the number of web pages that the container is converting. */
async function workingIn(command: Command): Promise<number> {
  const [, port] = /"server started","port":(\d+)/.exec(command.output())!;
  const { jobs } = (await (await fetch(`http://127.0.0.1:${port}/up`)).json()) as {
    readonly jobs: Readonly<Record<string, { readonly working: number }>>;
  };
  return jobs["html-to-pdf"]!.working;
}

async function endsWithEverything(command: Command): Promise<void> {
  const all = processTree(command.pid);
  process.kill(-command.pid, "SIGINT");
  expect(await command.ended).toBe(0);
  expect(await survivors(all)).toEqual([]);
}

const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim();

describe("npm run serve", () => {
  test("keeps files and keys over a restart, and lets a job end at Ctrl-C", async () => {
    const port = await freePort();
    const first = await serve(port, { API_KEYS: "one, two", ENGINES: "chromium,threads" });
    const client = createClient(`http://127.0.0.1:${port}`, "two");
    const [made] = await client.make("/html", { content: "<p>Kept</p>", output: "kept" });
    const late = client.post("/pdf", { file: upload(BUSY_PAGE, "page.html"), output: "late" });
    await eventually(async () => expect(await workingIn(first)).toBe(1), { intervalMs: 20 });
    const ended = endsWithEverything(first);
    const { status, body } = await late;
    expect([status, body.error]).toEqual([200, undefined]);
    await ended;
    expect(await canListen(port)).toBe(true);

    const second = await serve(port, { API_KEYS: "one", ENGINES: "off" });
    for (const id of [made!.id, String(body.outputId)]) {
      expect((await fetch(`${client.url}/resource/${id}?format=file`)).status).toBe(200);
    }
    expect((await client.post("/html", { content: "a", output: "a" })).status).toBe(401);
    await endsWithEverything(second);
  });

  test("starts the engines again when they end with their supervisor", async () => {
    const command = await serve(await freePort(), { VARIANT: "private" });
    const [, port] = /"host":"127.0.0.1","port":(\d+)/.exec(command.output())!;
    const client = createClient(`http://127.0.0.1:${port}`);
    const supervisor = processTree(command.pid).find((pid) => nameOf(pid) === "perl")!;
    process.kill(supervisor, "SIGKILL");
    await waitForOutput(command, "engine server restarted");
    await eventually(async () => {
      const { status } = await client.post("/pdf", { file: upload("<h1>Hello</h1>", "page.html"), output: "a" });
      expect(status).toBe(200);
    });
    await endsWithEverything(command);
  });

  test("is ready with the engines that it is meant to have, and says which are switched off", async () => {
    const port = await freePort();
    const command = await serve(port, { ENGINES: "chromium", VARIANT: "private" });
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/ready`);
      expect([response.status, await response.json()]).toMatchObject([
        200,
        {
          status: "OK",
          storage: "OK",
          container: { engines: "off", web: "OK" },
          engines: { office: { state: "off" }, chromium: { state: "warm", proof: { by: "probe" } } },
          reasons: [],
          notes: expect.arrayContaining(["The engine office is switched off.", "The engine threads is switched off."]),
        },
      ]);
    });
    await endsWithEverything(command);
  });

  test("where it cannot listen, it says so, ends with 1 and leaves nothing", async () => {
    const port = await freePort();
    const first = await serve(port, { ENGINES: "off" });
    const second = run("npm", ["run", "serve"], { PORT: String(port), DATA_DIR: join(folder, "second") });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("host not started");
    expect(await survivors(processTree(second.pid))).toEqual([]);
    await endsWithEverything(first);
  });

  test("a setting that cannot be is told in a sentence, exit code 1", async () => {
    const command = run("npm", ["run", "serve"], { PORT: "http", ENGINES: "off" });
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain("PORT must be a whole number");
  });

  test.each([{ URL_ALLOW: "[[" }, { URL_DNS: "foo" }, { GRACE_MS: "soon" }])(
    "so is one of the container: %o",
    async (setting) => {
      const port = await freePort();
      const env = { PORT: String(port), DATA_DIR: join(folder, "unread"), ENGINES: "ghostscript", ...setting };
      const command = run("npm", ["run", "serve"], env);
      expect(await command.ended).toBe(1);
      expect(command.output()).toContain(Object.keys(setting)[0]);
      expect(command.output()).toContain("The container cannot read one of its settings");
      expect(command.output()).not.toContain("numeric");
      expect(await survivors(processTree(command.pid))).toEqual([]);
    },
  );
});
