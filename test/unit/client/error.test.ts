// Tests the errors of the client.
import { expect, test } from "vitest";
import { backoffMs } from "../../../client/core/backoff.ts";
import { errorOf, isTemporary, PagewrightError, snakeCased } from "../../../client/core/error.ts";
import {
  duplicateField,
  fieldRequired,
  fieldTooLarge,
  inputOrderMismatch,
  outOfRange,
} from "../../../src/service/http/contract/errors.ts";

const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
  errorOf(new Response(body, { status, headers }));

test.each([
  [outOfRange("output_type", "PDF/A-9"), "outputType"],
  [outOfRange("pages[]", "0"), "pages"],
  [outOfRange("pages", "7", "The document has 3 pages."), "pages"],
  [outOfRange("url", "9 is not within the acceptable range for resolution.", "It is none."), "url"],
  [outOfRange("images.color.downsample.target-dpi", "x"), "images.color.downsample.target-dpi"],
  [fieldRequired("compression_level"), "compressionLevel"],
  [fieldTooLarge("profile"), "profile"],
  [duplicateField("jpeg_quality"), "jpegQuality"],
  [inputOrderMismatch("type[]"), "type"],
])("an error names its parameter: $message", async ({ status, message }, parameter) => {
  const error = await answer(status, JSON.stringify({ error: message }), { "X-Request-Id": "abc" });
  expect(error).toMatchObject({ status, message, parameter, requestId: "abc" });
});

test("an answer that is not the service's is told by its status", async () => {
  expect(await answer(502, "<html>Bad gateway")).toMatchObject({ status: 502, message: "The service answered 502." });
});

test("parameters are spelled as the service does", () => {
  expect(snakeCased("rasterizeIfErrorsEncountered")).toBe("rasterize_if_errors_encountered");
});

test.each([0, 429, 502, 503])("status %i is temporary", (status) => {
  expect(isTemporary(new PagewrightError(status, ""))).toBe(true);
});
test.each([400, 401, 404, 422, 500, 504])("status %i is not", (status) => {
  expect(isTemporary(new PagewrightError(status, ""))).toBe(false);
});

test("Retry-After is seconds or a date", async () => {
  expect((await answer(503, "", { "Retry-After": "7" })).retryAfterMs).toBe(7_000);
  const date = new Date(Date.now() + 60_000).toUTCString();
  const { retryAfterMs } = await answer(429, "", { "Retry-After": date });
  expect(retryAfterMs).toBeGreaterThan(50_000);
  expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  expect((await answer(503, "", { "Retry-After": "soon" })).retryAfterMs).toBeUndefined();
});

test("a pause is never shorter than asked for, and differs between clients", () => {
  expect(backoffMs(0, 5_000, 0)).toBe(5_000);
  expect(backoffMs(0, 5_000, 1)).toBeGreaterThan(6_000);
  expect(backoffMs(0, 0, 0)).toBe(0);
});

test("pauses that nobody asked for grow up to a limit", () => {
  const pauses = [0, 1, 2, 3, 20].map((attempt) => backoffMs(attempt, undefined, 1));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 30_000]);
  expect(backoffMs(3, undefined, 0)).toBe(2_000);
});
