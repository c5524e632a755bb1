// Tests jobs whose steps need engines of different containers, with one container for web pages and one for documents,
// as on Cloudflare.
// Contract: docs/api.md#steps
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import type { ContainerClient, Context, Step, StepProgress } from "../../src/document/contract/operation.ts";
import { stepOf } from "../../src/document/contract/operation.ts";
import { htmlToPicture } from "../../src/operations/html-to-picture.ts";
import { pdfToPdfa } from "../../src/operations/pdf-to-pdfa.ts";
import { htmlToPdf } from "../../src/operations/to-pdf/html-to-pdf.ts";
import { needsSeveral, runDivided } from "../../src/service/placement/divided.ts";
import { memoryInput, post } from "../support/container-client.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";

let folder: string;
let web: ContainerProcess;
let documents: ContainerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "divided-test-"));
  const start = (name: string, ENGINES: string) => startContainer({ logFile: join(folder, name), env: { ENGINES } });
  [web, documents] = await Promise.all([
    start("web", "chromium,threads"),
    start("documents", "ghostscript,verapdf,threads"),
  ]);
});
afterAll(async () => {
  await Promise.all([web?.stop(), documents?.stop()]);
  await rm(folder, { recursive: true });
});

const first = (step: Step): Step => ({ ...step, begins: { step: 0, takes: "all" } });
const second = (step: Step): Step => ({ ...step, begins: { step: 1, takes: "each" } });
const PAGE = first(stepOf(htmlToPdf, { paper: { width: 300, height: 300 }, margin: 20, lossless: true }));
const ARCHIVE = second(stepOf(pdfToPdfa, { level: { part: 2, conformance: "b" }, rasterize: false }));
const look = { viewport: { width: 100, height: 100 }, fullPage: false, deviceScale: 1, background: true } as const;
const PICTURE = first(stepOf(htmlToPicture, { format: "png", media: "print", visit: {}, ...look }));
const html = memoryInput(Buffer.from("<title>Page</title><p>Hello"), "page.html");

function connected() {
  const asked: string[] = [];
  const container: ContainerClient = {
    isDivided: true,
    async post(operation, body, signal) {
      asked.push(operation.name);
      const response = await post(operation.internet ? web : documents, operation.name, body, signal);
      expect(response.status).toBe(200);
      return response.body!;
    },
  };
  return { asked, container };
}

async function run(steps: readonly [Step, ...Step[]], limitBytes = 2 ** 24) {
  const { asked, container } = connected();
  const progress: StepProgress[] = [];
  const signal = AbortSignal.timeout(60_000);
  const context: Context = {
    signal,
    container,
    heapLimitBytes: 0,
    defer: () => {},
    log: () => {},
    onStep: (at) => progress.push(at),
  };
  const outputs: Uint8Array[] = [];
  const outcome = await (async () => {
    for await (const { body } of runDivided(steps, [html], context, limitBytes)) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk.slice());
      outputs.push(Buffer.concat(chunks));
    }
  })().catch((error: unknown) => error);
  return { asked, progress, outputs, outcome };
}

test("only a list that needs both kinds of container is divided", () => {
  const { container } = connected();
  expect(needsSeveral([PAGE, ARCHIVE], container)).toBe(true);
  expect(needsSeveral([PAGE], container)).toBe(false);
  expect(needsSeveral([ARCHIVE], container)).toBe(false);
  expect(needsSeveral([PAGE, ARCHIVE], { post: container.post })).toBe(false);
});

test("each step runs in the container that has its engine", async () => {
  const { asked, progress, outputs, outcome } = await run([PAGE, ARCHIVE]);
  expect(outcome).toBeUndefined();
  expect(asked).toEqual(["html-to-pdf", "pdf-to-pdfa"]);
  expect(progress).toEqual([1, 2].map((stepsDone) => ({ stepsDone, stepsTotal: 2 })));
  const { text, info } = textAndInfoOf(outputs[0]!);
  expect([outputs.length, text.trim(), info.Title]).toEqual([1, "Hello", "Page"]);
  expect(Buffer.from(outputs[0]!).toString("latin1")).toContain("<pdfaid:part>2</pdfaid:part>");
});

test("a step that fails ends the job with its error", async () => {
  const { asked, outcome } = await run([PICTURE, ARCHIVE]);
  expect(asked).toEqual(["html-to-picture", "pdf-to-pdfa"]);
  expect(outcome).toMatchObject({ reason: "not-a-pdf", step: 1 });
});

test("documents between steps that exceed the memory are an error", async () => {
  const { asked, outcome } = await run([PAGE, ARCHIVE], 100);
  expect([asked, outcome]).toEqual([["html-to-pdf"], expect.objectContaining({ reason: "too-large" })]);
});
