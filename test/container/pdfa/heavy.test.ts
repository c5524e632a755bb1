// Tests files that need much validation time: they are validated one at a time, and small files do not wait for them.
// Uses the real validator.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PdfRewriter } from "../../../container/engines/ghostscript/pdf.ts";
import { startVeraPdf, type VeraPdf, type Weight } from "../../../container/engines/verapdf/verapdf.ts";
import { JobPool } from "../../../container/jobs/job-pool.ts";
import { convertToPdfa } from "../../../container/operations/pdf-to-pdfa.ts";
import { fileInput } from "../../../container/scratch/file-input.ts";
import { Scratch } from "../../../container/scratch/scratch.ts";
import { Threads } from "../../../container/threads/threads.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { failsWith } from "../../support/libreoffice.ts";
import { whatTheyBreak } from "../../support/verapdf.ts";

let folder: string;
let scratch: Scratch;
let threads: Threads;
let validator: VeraPdf;
const log = () => {};
const { signal } = new AbortController();
const level = { part: 2, conformance: "b" } as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heavy-test-"));
  scratch = await Scratch.open();
  threads = new Threads({ size: 4, heapMiB: 512, log });
  validator = await startVeraPdf({ scratch, processes: 2, log });
});
afterAll(async () => {
  await validator?.close();
  await threads?.[Symbol.asyncDispose]();
  await scratch?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Returns a PDF with curves; the validator examines each of their numbers. */
function heavyPdf(): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(`) Tj ET 0 0 m ${"1 2 3 4 5 6 c ".repeat(800_000)} S BT (`);
  return builder.bytes();
}

const places = new JobPool({ atOnce: 2, waiting: 8, maxWaitMs: 60_000 });
/** Weights of the files, in the order in which their validations ended. */
const validated: (Weight | undefined)[] = [];
const engines = () => {
  const validate: VeraPdf["validate"] = (path, level, until, weight) =>
    validator.validate(path, level, until, weight).finally(() => validated.push(weight));
  return { threads, validator: { validate }, rewriter: new PdfRewriter(scratch), heapLimitBytes: 2 ** 30 };
};

interface Running {
  /** Path of the result. */
  readonly made: Promise<string>;
  /** Settles when the job has released its permit to other jobs. */
  readonly aside: Promise<void>;
}

/** Converts a file with permits for two concurrent jobs, as in the service. */
function convert(name: string, pdf: Uint8Array, ends = signal): Running {
  const left = Promise.withResolvers<void>();
  const run = async () => {
    using entry = places.enter();
    const own = await mkdtemp(join(folder, `${name}-`));
    const path = join(own, "input.pdf");
    await writeFile(path, pdf);
    await entry.acquire(ends);
    const withoutPermit = <T>(work: () => Promise<T>) => {
      left.resolve();
      return entry.withoutPermit(work, ends);
    };
    const job = { inputs: [fileInput("a.pdf", pdf.length, path)], folder: own, signal: ends, log, withoutPermit };
    const made = join(own, "made.pdf");
    for await (const { body } of convertToPdfa(engines(), { level, rasterize: false }, job))
      await writeFile(made, body);
    return made;
  };
  return { made: run(), aside: left.promise };
}

test("two heavy files leave a validator and a place to a small one", async () => {
  // Warms up the validator, so that its compilation does not affect the times below.
  for (const name of ["first", "second"]) await convert(name, plainPdf("A")).made;
  const ending = new AbortController();
  const heavy = ["heavy-1", "heavy-2"].map((name) => convert(name, heavyPdf(), ending.signal));
  await Promise.all(heavy.map(({ aside }) => aside));
  validated.length = 0;
  const small = await convert("small", plainPdf("A")).made;
  expect(validated).toEqual(["light"]);
  ending.abort(new Error("enough"));
  await Promise.allSettled(heavy.map(({ made }) => made));
  expect(await whatTheyBreak([{ path: small, flavour: "2b" }])).toEqual([""]);
});

test("of heavy files three wait, and no more", async () => {
  const path = join(folder, "plain.pdf");
  await writeFile(path, plainPdf("A"));
  const controller = new AbortController();
  const validate = () => validator.validate(path, level, controller.signal, "heavy");
  const left = Promise.allSettled(Array.from({ length: 4 }, validate));
  await expect(validate()).rejects.toEqual(failsWith("busy"));
  controller.abort(new Error("enough"));
  expect((await left).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "rejected"));
  expect((await validator.validate(path, level, signal, "heavy")).valid).toBe(false);
});
