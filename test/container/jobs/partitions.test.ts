// Tests jobs whose pages are drawn by several threads.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PartitionedJob, runPartitioned, ThreadAllocator } from "../../../container/jobs/partitions.ts";
import { ReadAhead } from "../../../container/jobs/read-ahead.ts";
import { Threads } from "../../../container/threads/threads.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { decodeResponse } from "../../../src/service/placement/remote.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { eventually } from "../../support/eventually.ts";

const PAGES = 7;
let folder: string;
let path: string;
let threads: Threads;
const never = new AbortController().signal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shares-test-"));
  path = join(folder, "document.pdf");
  await writeFile(path, await textPdf(PAGES));
  threads = new Threads({ size: 3, heapMiB: 128, log: () => {} });
});
afterAll(async () => {
  await threads[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Draw {
  readonly pages?: string;
  readonly dpi?: number;
  readonly claims?: ThreadAllocator;
  readonly signal?: AbortSignal;
  readonly aheadBytes?: number;
}

/** Returns the outputs of a job that can use three threads, and the partitions that were started. */
function draw({
  pages = "1-last",
  dpi = 36,
  claims = new ThreadAllocator(3),
  signal = never,
  aheadBytes = 2 ** 20,
}: Draw) {
  const begun: number[] = [];
  const all = { format: "png" as const, colorModel: "rgb" as const, dpi, pages: parsePages(pages)! };
  const run: PartitionedJob["run"] = (share, shares, ends) => {
    begun.push(share);
    const params = rasterizePdf.partition!(all, { share, shares });
    const inputs = [{ name: "document.pdf", size: 1, path }];
    return threads.run({ operation: "rasterize-pdf", inputs, params, heapLimitBytes: 2 ** 28 }, ends, () => {});
  };
  async function* frames() {
    using claim = claims.take(3);
    yield* runPartitioned({ claim, aheadBytes, signal, run });
  }
  return { begun, outputs: decodeResponse(frames(), { signal }) };
}

async function bytesOf(outputs: ReturnType<typeof draw>["outputs"]): Promise<string[]> {
  const made: string[] = [];
  for await (const { body } of outputs) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk.slice());
    made.push(Buffer.concat(chunks).toString("base64"));
  }
  return made;
}

describe("pages in several threads", () => {
  test("come in their order, as from one thread", async () => {
    const { begun, outputs } = draw({});
    const shared = await bytesOf(outputs);
    const alone = draw({ claims: new ThreadAllocator(1) });
    expect(shared).toEqual(await bytesOf(alone.outputs));
    expect([shared.length, new Set(shared).size]).toEqual([PAGES, PAGES]);
    expect([begun, alone.begun]).toEqual([[0, 1, 2], [0]]);
  });

  test("come in their order when no page may wait", async () => {
    const shared = await bytesOf(draw({ pages: "last-1, 2", aheadBytes: 1 }).outputs);
    expect(shared).toEqual(await bytesOf(draw({ pages: "last-1, 2", claims: new ThreadAllocator(1) }).outputs));
  });

  test("take no more threads than there are pages", async () => {
    const { begun, outputs } = draw({ pages: "2, 3" });
    expect((await bytesOf(outputs)).length).toBe(2);
    expect(begun).toEqual([0, 1]);
  });

  test("leave their threads usable", async () => {
    await bytesOf(draw({}).outputs);
    let started = 0;
    const count = () => started++;
    process.on("worker", count);
    for (const pages of ["1-last", "1"]) await bytesOf(draw({ pages }).outputs);
    process.off("worker", count);
    expect(started).toBe(0);
  });

  test("a failure ends the job where it happened", async () => {
    const impossible = draw({ pages: "1, 99" });
    await expect(bytesOf(impossible.outputs)).rejects.toMatchObject({ parameter: "pages" });
    expect(impossible.begun).toEqual([0]);
  });

  test("end when the job is aborted", async () => {
    const claims = new ThreadAllocator(3);
    const controller = new AbortController();
    const { outputs } = draw({ dpi: 600, signal: controller.signal, claims });
    await outputs.next();
    controller.abort(new Error("the client is gone"));
    await expect(bytesOf(outputs)).rejects.toThrow("the client is gone");
    await eventually(() => expect(claims.take(3).count).toBe(3));
  });
});

test("a job takes the threads that no other needs, and at least one", () => {
  const claims = new ThreadAllocator(3);
  using first = claims.take();
  const second = claims.take(8);
  using third = claims.take(8);
  expect([first.count, second.count, third.count]).toEqual([1, 2, 1]);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  expect(claims.take(8).count).toBe(1);
});

test("reading ahead stops at its limit, and ends its producer when nobody reads", async () => {
  let produced = 0;
  async function* chunks() {
    for (;;) {
      produced++;
      yield new Uint8Array(100);
    }
  }
  const ahead = new ReadAhead(chunks(), 250);
  const reading = ahead[Symbol.asyncIterator]();
  await reading.next();
  await eventually(() => expect(produced).toBe(4));
  await reading.return(undefined);
  await ahead.ended;
  expect(produced).toBe(4);
});
