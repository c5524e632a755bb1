// Tests the registry of operations, and the types that check calls.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Operation, stepOf } from "../../../src/document/contract/operation.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { CONTAINER_OPERATIONS, PDFA_STEPS, RECOGNITION_STEPS } from "../../../src/operations/index.ts";
import { rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { officeToPdf } from "../../../src/operations/to-pdf/office-to-pdf.ts";
import {
  containerJob,
  edgeJob,
  streamingJob,
  streamingJobWithFallback,
} from "../../../src/service/placement/placement.ts";

const FOLDER = new URL("../../../src/operations", import.meta.url).pathname;
const listed = [...CONTAINER_OPERATIONS, ...PDFA_STEPS, ...RECOGNITION_STEPS];
const isOperation = (value: unknown): value is Operation<unknown> =>
  typeof value === "object" && value !== null && "name" in value && "params" in value && "run" in value;

test("every operation is listed once, or is that of an endpoint, under a name of its own", async () => {
  const declared: Operation<unknown>[] = [];
  for (const file of await readdir(FOLDER, { recursive: true })) {
    if (!file.endsWith(".ts") || file === "index.ts") continue;
    declared.push(...Object.values<unknown>(await import(join(FOLDER, file))).filter(isOperation));
  }
  const namesOf = (operations: readonly Operation<unknown>[]) => operations.map(({ name }) => name).toSorted();
  const streaming = endpoints.flatMap(({ operation }) => (isOperation(operation) ? [operation] : []));
  const all = [...listed, ...streaming.filter(({ name }) => !namesOf(listed).includes(name))];
  expect(namesOf(all)).toEqual(namesOf(declared));
  expect(new Set(namesOf(all)).size).toBe(all.length);
});

test("one name means one behavior", () => {
  expect(CONTAINER_OPERATIONS.find(({ name }) => name === "compress-pdf")).toBe(compressPdf);
});

// Only the compiler checks this test; nothing runs.
test("a call that does not match its declaration does not compile", () => {
  const pages = parsePages("1-last")!;
  const params = { format: "png", colorModel: "rgb", dpi: 300, pages } as const;
  edgeJob(rasterizePdf, params);
  // @ts-expect-error there is no such format
  edgeJob(rasterizePdf, { ...params, format: "webp" });
  // @ts-expect-error there is no such parameter
  edgeJob(rasterizePdf, { ...params, quality: 75 });
  // @ts-expect-error a parameter is missing
  streamingJobWithFallback(rasterizePdf, { format: "png", colorModel: "rgb", dpi: 300 });
  // @ts-expect-error a name is not an operation
  edgeJob("rasterize-pdf", params);
  containerJob(officeToPdf, { tagged: true, lossless: false });
  // @ts-expect-error a parameter has another type
  containerJob(officeToPdf, { tagged: "on", lossless: false });
  // @ts-expect-error the Worker does not have the code
  edgeJob(officeToPdf, { tagged: true, lossless: false });
  // @ts-expect-error the Worker does not have the code
  streamingJob(officeToPdf, { tagged: true, lossless: false });
  // @ts-expect-error a name is not an operation
  stepOf("merge-pdfs", {});
});
