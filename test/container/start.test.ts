// Tests a container that gets a job before its engines have started, and is then stopped.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { root } from "../../scripts/services/wrangler.ts";
import { docx, pageBreak, paragraph } from "../fixtures/office.ts";
import { carryOut, memoryInput, post } from "../support/container-client.ts";
import { eventually } from "../support/eventually.ts";

interface Health {
  readonly status: string;
  readonly jobs: Readonly<Record<string, { readonly working: number }>>;
  readonly engines: Readonly<Record<string, string>>;
}

let folder: string;
let logFile: string;
let container: ContainerProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "start-test-"));
  logFile = join(folder, "log");
});
afterEach(async () => {
  await container?.stop();
  await rm(folder, { recursive: true });
});

async function start(env: Record<string, string>): Promise<ContainerProcess> {
  container = await startContainer({ logFile, env });
  return container;
}

async function health({ url }: ContainerProcess): Promise<Health> {
  return (await (await fetch(`${url}/up`)).json()) as Health;
}

const params = { lossless: false };
const postscript = memoryInput(Buffer.from("%!PS\n/Times-Roman 20 selectfont 50 50 moveto (Hi) show showpage"), "a.ps");
const document = (pages: number) =>
  memoryInput(
    docx({ body: Array.from({ length: pages }, (_, page) => paragraph(`${page}`) + pageBreak).join("") }),
    "a.docx",
  );
const nothing = async function* () {};

test("a job's engine starts before those that no job waits for, veraPDF last of all", async () => {
  const running = await start({});
  expect(Object.keys((await health(running)).engines)).toEqual([
    "office",
    "ghostscript",
    "verapdf",
    "chromium",
    "threads",
  ]);
  expect(await carryOut(running, "postscript-to-pdf", [postscript], params)).toHaveLength(1);
  await eventually(async () =>
    expect(new Set(Object.values((await health(running)).engines))).toEqual(new Set(["warm"])),
  );
  const events = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.includes(' warmed"'));
  const warm = events.map((line) => JSON.parse(line) as { message: string; engine?: string });
  const names = warm.map(({ message, engine }) => engine ?? message.split(" ")[0]);
  expect(names.indexOf("Ghostscript")).toBeLessThan(names.indexOf("chromium"));
  expect(names.at(-1)).toBe("verapdf");
});

test("only the selected engines start, and the operations of others do not exist", async () => {
  const running = await start({ ENGINES: "ghostscript" });
  expect(await carryOut(running, "postscript-to-pdf", [postscript], params)).toHaveLength(1);
  for (const other of ["office-to-pdf", "html-to-pdf", "pdf-to-pdfa", "merge-pdfs"]) {
    expect((await post(running, other, nothing())).status, other).toBe(404);
  }
  const { engines } = await health(running);
  expect(engines).toMatchObject({
    ghostscript: "warm",
    office: "off",
    verapdf: "off",
    chromium: "off",
    threads: "off",
  });
});

test("an unknown engine ends the start, with a reason", async () => {
  await expect(start({ ENGINES: "libreoffice" })).rejects.toThrow("ENGINES has unknown engines: libreoffice");
});

test("asked to end, it finishes the job that runs, refuses others, says so, and ends", async () => {
  const running = await start({ ENGINES: "office", GRACE_MS: "180000" });
  const job = carryOut(running, "office-to-pdf", [document(2000)], { tagged: false, ...params });
  await eventually(async () => expect((await health(running)).jobs["office-to-pdf"]!.working).toBe(1));
  process.kill(running.pid!, "SIGTERM");
  await eventually(async () => expect((await health(running)).status).toBe("ending"));
  const refused = await post(running, "office-to-pdf", nothing());
  expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
  expect(await job).toHaveLength(1);
  await eventually(() => expect(fetch(`${running.url}/up`)).rejects.toThrow());
});

test("a job that takes longer than the grace is ended", async () => {
  const running = await start({ ENGINES: "office", GRACE_MS: "1" });
  const job = carryOut(running, "office-to-pdf", [document(3000)], { tagged: false, ...params });
  job.catch(() => {});
  await eventually(async () => expect((await health(running)).jobs["office-to-pdf"]!.working).toBe(1));
  process.kill(running.pid!, "SIGTERM");
  await expect(job).rejects.toMatchObject({ reason: expect.stringMatching(/busy|lost/) });
});

test("it ends if its parent was gone before it started", async () => {
  const server = join(root, "container/server.ts");
  const child = spawn("perl", [join(root, "container/supervision/supervise.pl"), process.execPath, server], {
    env: { ...process.env, CONTAINER_SECRET: "secret", ENGINES: "threads", PORT: "0" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), 120_000);
  child.disconnect();
  expect(await once(child, "exit")).toEqual([0, null]);
  clearTimeout(limit);
});
