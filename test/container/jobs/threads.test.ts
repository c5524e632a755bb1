// Tests the edge's operations in the container's threads.
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { warmUpThread } from "../../../container/operations/warm-up.ts";
import type { JobThreads, ThreadJob } from "../../../container/processes/thread-job.ts";
import { Threads } from "../../../container/threads/threads.ts";
import type { Context, Output } from "../../../src/document/contract/operation.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { type RasterizeParams, rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { responseOutcome, runRemotely } from "../../../src/service/placement/remote.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { memoryInput, stepNamed } from "../../support/container-client.ts";
import { eventually } from "../../support/eventually.ts";

let folder: string;
let path: string;
let pdf: Uint8Array;
let threads: Threads;
const logged: string[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "threads-test-"));
  path = join(folder, "document.pdf");
  pdf = await textPdf(3);
  await writeFile(path, pdf);
  threads = new Threads({ size: 1, heapMiB: 128, log: (message) => logged.push(message) });
});
afterAll(async () => {
  await threads[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const ANY = stepNamed("any");
const params = (dpi: number, format = "tif") => ({ format, colorModel: "rgb", dpi, pages: parsePages("1-last") });
const job = (over: Partial<ThreadJob> = {}): ThreadJob => ({
  operation: "rasterize-pdf",
  inputs: [{ name: "document.pdf", size: pdf.length, path }],
  params: params(36),
  heapLimitBytes: 2 ** 28,
  ...over,
});

const context = (over: Partial<Context> = {}): Context => ({
  signal: never,
  heapLimitBytes: 2 ** 28,
  defer: () => {},
  log: () => {},
  ...over,
});

async function outputsOf(outputs: AsyncIterable<Output>): Promise<string[]> {
  const made: string[] = [];
  for await (const { body, headerPatch } of outputs) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk.slice());
    const bytes = Buffer.concat(chunks);
    bytes.set(headerPatch?.() ?? []);
    made.push(bytes.toString("base64"));
  }
  return made;
}

const inThread = (asked: ThreadJob, signal = never, pool = threads) =>
  outputsOf(runRemotely([ANY], [], context({ container: { post: async () => pool.run(asked, signal, () => {}) } })));

test("each job of the warm-up succeeds in a thread", async () => {
  const outcomes: unknown[] = [];
  const run: JobThreads["run"] = async function* (...asked) {
    let last: Uint8Array | undefined;
    for await (last of threads.run(...asked)) yield last;
    outcomes.push(last && responseOutcome(last));
  };
  expect(threads.isUsed).toBe(false);
  await warmUpThread({ threads: { run }, heapLimitBytes: 2 ** 28 }, folder, never);
  expect(outcomes).toEqual(Array.from({ length: 12 }, () => "answered"));
  expect([threads.isUsed, threads.count]).toEqual([true, 1]);
});

test("what a thread makes is what the edge makes, byte for byte, job after job", async () => {
  const atEdge = await outputsOf(
    rasterizePdf.run([memoryInput(pdf, "document.pdf")], params(36) as RasterizeParams, context()),
  );
  expect(atEdge).toHaveLength(3);
  expect(await inThread(job())).toEqual(atEdge);
  expect(await inThread(job())).toEqual(atEdge);
});

test("a document is split as at the edge, byte for byte", async () => {
  for (const asked of [{}, { pages: [parsePages("3-1")!, parsePages("even", true)!] }]) {
    const made = await inThread(job({ operation: "split-pdf", params: asked }));
    expect(made).toEqual(await outputsOf(splitPdf.run([memoryInput(pdf, "a.pdf")], asked, context())));
    expect(made.length).toBe("pages" in asked ? 2 : 3);
  }
});

test("documents are merged as at the edge, byte for byte", async () => {
  const params = { pages: [parsePages("2-1")!, parsePages("odd", true)!] };
  const [input] = job().inputs;
  const made = await inThread(job({ operation: "merge-pdfs", params, inputs: [input!, input!] }));
  const inputs = [memoryInput(pdf, "a.pdf"), memoryInput(pdf, "a.pdf")];
  expect(made).toEqual(await outputsOf(mergePdfs.run(inputs, params, context())));
});

test("a document is compressed as at the edge, byte for byte", async () => {
  for (const asked of [
    { level: "low" },
    { level: "custom", profile: { cleanup: { compression: "compress-entire-file" } } },
  ] as const) {
    const made = await inThread(job({ operation: "compress-pdf", params: asked }));
    expect(made).toEqual(await outputsOf(compressPdf.run([memoryInput(pdf, "a.pdf")], asked, context())));
    expect(made.length).toBe(1);
  }
});

test("a failure of the engine keeps its reason", async () => {
  await writeFile(join(folder, "text.pdf"), "no PDF");
  const inputs = [{ name: "text.pdf", size: 6, path: join(folder, "text.pdf") }];
  await expect(inThread(job({ inputs }))).rejects.toMatchObject({ reason: "not-a-pdf" });
  await expect(inThread(job({ params: { ...params(36), pages: parsePages("4") } }))).rejects.toMatchObject({
    parameter: "pages",
  });
});

test("parameters of another shape: crashed, not carried out", async () => {
  await expect(inThread(job({ params: { dpi: "many" } }))).rejects.toMatchObject({ reason: "crashed" });
});

test("an abort ends a thread at work, and the next job finds another", async () => {
  const gone = new AbortController();
  const frames = threads.run(job({ params: params(2400, "png") }), gone.signal, () => {});
  expect((await frames.next()).done).toBe(false);
  gone.abort(new Error("enough"));
  await expect(frames.next()).rejects.toThrow("enough");
  expect(await inThread(job())).toHaveLength(3);
});

test("a job that nobody reads any more ends its thread, and the next job finds another", async () => {
  for await (const _ of threads.run(job({ params: params(2400, "png") }), never, () => {})) break;
  expect(await inThread(job())).toHaveLength(3);
});

test("a reader that leaves with the last frame leaves the thread for the next job", async () => {
  await using one = new Threads({ size: 1, heapMiB: 128, log: () => {} });
  for await (const frame of one.run(job(), never, () => {})) if (responseOutcome(frame) !== undefined) break;
  expect(one.state).toBe("warm");
  expect(await inThread(job(), never, one)).toHaveLength(3);
});

test("an operation that does not exist: crashed, and not run", async () => {
  await expect(inThread(job({ operation: "no such operation" }))).rejects.toMatchObject({ reason: "crashed" });
});

test("a job that ends one thread after the other: too-complex, told in the log, and the next one works", async () => {
  // An exception outside of any operation ends a thread.
  const malformed = job({ inputs: null as never });
  await expect(inThread(malformed)).rejects.toMatchObject({ reason: "too-complex" });
  expect(logged).toContain("thread failed");
  expect(await inThread(job())).toHaveLength(3);
});

test("threads that were started for many jobs at once end when they have nothing to do", async () => {
  await using some = new Threads({ size: 1, heapMiB: 128, spareMs: 50, log: () => {} });
  const readers = () =>
    outputsOf(runRemotely([ANY], [], context({ container: { post: async () => some.run(job(), never, () => {}) } })));
  const all = Promise.all([readers(), readers(), readers()]);
  await eventually(() => expect(some.count).toBe(3), { intervalMs: 1 });
  expect((await all).map((pages) => pages.length)).toEqual([3, 3, 3]);
  await eventually(() => expect(some.count).toBe(1));
  expect(await readers()).toHaveLength(3);
  expect(some.count).toBe(1);
});

test("if no job ends for a while, one warm thread is left, and further ones start again", async () => {
  await using some = new Threads({ size: 2, heapMiB: 128, calmMs: 300, log: () => {} });
  const run = async () => {
    let frames = 0;
    for await (const _ of some.run(job(), never, () => {})) frames++;
    return frames;
  };
  for (let round = 0; round < 2; round++) {
    const both = Promise.all([run(), run()]);
    await eventually(() => expect(some.count).toBe(2), { intervalMs: 1 });
    const [one, other] = await both;
    expect(one).toBeGreaterThan(3);
    expect(other).toBe(one);
    await eventually(() => expect(some.count).toBe(1));
    expect(some.state).toBe("warm");
  }
});

describe("a thread that ends", () => {
  const module = new URL("../../fixtures/failing-thread.ts", import.meta.url);
  const mortal = () => new Threads({ size: 1, heapMiB: 128, log: () => {}, module });
  const orders = () => `${path}.end`;
  const order = (how: string) => writeFile(orders(), how);
  afterEach(() => rm(orders(), { force: true }));

  test.each(["exit", "throw"])("by %s: its job is done by another one", async (how) => {
    await using some = mortal();
    await order(how);
    expect(await inThread(job(), never, some)).toHaveLength(3);
    expect(existsSync(orders())).toBe(false);
    await eventually(() => expect(some.count).toBe(1));
  });

  test.each([
    ["exit", "busy"],
    ["throw", "too-complex"],
  ])("by %s, and the next one too: %s", async (how, reason) => {
    await using some = mortal();
    await order(`${how}, always`);
    await expect(inThread(job(), never, some)).rejects.toMatchObject({ reason });
    await rm(orders());
    expect(await inThread(job(), never, some)).toHaveLength(3);
  });

  test("without memory: its job is not begun again, and the next one works", async () => {
    await using some = mortal();
    await order("fill");
    await expect(inThread(job(), never, some)).rejects.toMatchObject({ reason: "too-large" });
    expect(await inThread(job(), never, some)).toHaveLength(3);
  });

  test("or does not, and answers nothing: its job is ended in time, and the next one works", async () => {
    await using some = mortal();
    await order("block");
    const gone = new AbortController();
    const blocked = inThread(job(), gone.signal, some);
    await eventually(() => expect(existsSync(orders())).toBe(false));
    gone.abort(new Error("time is up"));
    await expect(blocked).rejects.toThrow("time is up");
    expect(await inThread(job(), never, some)).toHaveLength(3);
    expect(some.count).toBe(1);
  });
});

describe.each(["sleep", "loop"])("an idle thread that freezes in a %s", (how) => {
  const module = new URL("../../fixtures/failing-thread.ts", import.meta.url);
  async function withFrozenThread() {
    const events: string[] = [];
    const some = new Threads({ size: 1, heapMiB: 128, log: (message) => events.push(message), module });
    await writeFile(`${path}.end`, `${how} afterwards`);
    expect(await inThread(job(), never, some)).toHaveLength(3);
    expect(some.count).toBe(1);
    return { some, events };
  }

  test("fails its proof, and is replaced", async () => {
    const { some, events } = await withFrozenThread();
    await using _ = some;
    await expect(some.prove(AbortSignal.timeout(500))).rejects.toThrow("timeout");
    await expect(some.prove(never)).rejects.toThrow("the thread hung");
    await eventually(() => some.prove(AbortSignal.timeout(500)));
    expect(events).toEqual(["thread hung"]);
    expect(some.count).toBe(1);
  });

  test("fails no job: another thread does it", async () => {
    const { some, events } = await withFrozenThread();
    await using _ = some;
    expect(await inThread(job(), never, some)).toHaveLength(3);
    expect(events).toEqual(["thread hung"]);
    expect(some.count).toBe(1);
  });
});
