// Runs operations that turn interactive parts into page content, and compares the pages before and after in two other
// programs.
import { expect } from "vitest";
import type { Notice } from "../../src/document/contract/notice.ts";
import type { Operation } from "../../src/document/contract/operation.ts";
import { noticeSentences } from "../../src/service/http/responses/notices.ts";
import { distances } from "./flattened.ts";
import { bytesOf, CONTEXT, inputOf } from "./operations.ts";
import { qpdfComplaints } from "./pdf-readers.ts";

/** Largest perceptual distance of the same content: edges between pixels can differ. */
const SAME = 0.5;

export interface Baked {
  readonly pdf: Uint8Array;
  readonly notices: readonly string[];
}

/** Returns the output, which must be a valid PDF. */
export async function baked(operation: Operation<object>, pdf: Uint8Array): Promise<Baked> {
  const lost: Notice[] = [];
  let made: Uint8Array | undefined;
  for await (const output of operation.run([inputOf(pdf)], {}, CONTEXT)) {
    made = await bytesOf(output);
    lost.push(...(output.notices?.() ?? []));
  }
  expect(qpdfComplaints(made!)).toBe("");
  return { pdf: made!, notices: noticeSentences(lost) };
}

/** Expects that poppler draws the first page alike. MuPDF does not draw annotations above fields. */
export async function expectSameOrder(before: Uint8Array, after: Uint8Array): Promise<void> {
  expect((await distances(before, after, 1, 72)).poppler).toBeLessThanOrEqual(SAME);
}

/** Expects that poppler and MuPDF draw a page of both documents alike. */
export async function expectSameLook(before: Uint8Array, after: Uint8Array, page = 1): Promise<void> {
  const { poppler, mutool } = await distances(before, after, page, 72);
  expect(Math.max(poppler, mutool)).toBeLessThanOrEqual(SAME);
}
