// Tests the choice of the response format by Accept and Prefer (RFC 9110, 12.5.1; RFC 7240).
// Contract: docs/api.md#file-responses
import { describe, expect, test } from "vitest";
import { negotiate, type Offers } from "../../../../src/service/http/responses/negotiation.ts";

const wishes = (accept: string | undefined, offers: Offers, prefer?: string) =>
  negotiate(
    new Headers({ ...(accept === undefined ? {} : { Accept: accept }), ...(prefer ? { Prefer: prefer } : {}) }),
    offers,
  );
const png: Offers = { types: ["image/png"], naming: "prefix" };
const pdf: Offers = { types: ["application/pdf"], naming: "name" };
const shown = (shape: () => string) => {
  try {
    return shape();
  } catch (error) {
    return `${(error as { status: number }).status} ${(error as Error).message}`;
  }
};
const only = (...types: string[]) => `406 The response is available only as ${types.join(", ")}.`;

describe("one image, or several", () => {
  const several = only("application/json", "application/zip");
  test.each([
    [undefined, "json", "json"],
    ["", "json", "json"],
    ["*/*", "json", "json"],
    ["*", "json", "json"],
    ["application/json", "json", "json"],
    ["application/json;charset=utf-8", "json", "json"],
    ["application/*", "json", "json"],
    ["application/json, text/plain, */*", "json", "json"],
    ["nonsense", "json", "json"],
    ["image/png", "file", several],
    ["IMAGE/PNG", "file", several],
    ["image/*", "file", several],
    ["image/png, application/json", "json", "json"],
    ["image/png, application/json;q=0.9", "file", "json"],
    ["image/png;q=0.8, application/json;q=0.9", "json", "json"],
    ["image/png, */*;q=0.8", "file", "json"],
    ["*/*;q=0.8, image/png", "file", "json"],
    ["image/*;q=0.5, image/png;q=0, application/json;q=0.1", "json", "json"],
    ["*/*, application/json;q=0", "file", "archive"],
    ["application/zip", "archive", "archive"],
    ["image/png, application/zip;q=0.1", "file", "archive"],
    ["application/zip;q=0.2, application/json;q=0.1", "archive", "archive"],
    ['image/png;note="a,b", application/json;q=0.1', "file", "json"],
  ])("%o: %s, %s", (accept, one, more) => {
    const { formatForOne: chosen, formatForMany } = wishes(accept, png);
    expect([shown(chosen), shown(formatForMany)]).toEqual([one, more]);
  });
});

test.each(["text/plain", "image/jpeg", "application/json;q=0", "*/*;q=0", "image/png;q=0"])(
  "%s: nothing is acceptable, which is said at once",
  (accept) => {
    expect(shown(() => wishes(accept, png).formatForOne())).toBe(
      only("application/json", "image/png", "application/zip"),
    );
  },
);

test.each([
  ["application/pdf", "file"],
  ["application/*", "json"],
  ["application/pdf, application/json", "json"],
  ["application/*;q=0.5, application/pdf", "file"],
  ["application/zip", only("application/json", "application/pdf")],
])("an endpoint with one output, %s: %s", (accept, expected) => {
  expect(shown(() => wishes(accept, pdf).formatForOne())).toBe(expected);
});

test("an archive is a file like others on /zip", () => {
  expect(wishes("application/zip", { types: ["application/zip"], naming: "name" }).formatForOne()).toBe("file");
});

test.each([
  ["return=representation; store", true],
  ["respond-async, Return=Representation ;Store", true],
  ['return="representation"; store', true],
  ["return=representation", false],
  ["return=minimal; store", false],
  ["store", false],
])("Prefer: %s", (prefer, stores) => {
  expect(wishes("application/pdf", pdf, prefer).storesFile).toBe(stores);
});
