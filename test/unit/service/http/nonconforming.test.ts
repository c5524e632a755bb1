// Tests the error message about a document that cannot conform, and its transfer from the container.
// Contract: docs/api.md#errors
import { expect, test } from "vitest";
import { EngineFailure, type Nonconformity } from "../../../../src/document/contract/failure.ts";
import { toServiceError } from "../../../../src/service/http/contract/errors.ts";
import { decodeResponse, encodeFailure } from "../../../../src/service/placement/remote.ts";

const sentence = (nonconformity?: Nonconformity) => {
  const { status, message } = toServiceError(
    new EngineFailure("nonconforming", "for the log", nonconformity ? { nonconformity } : {}),
  );
  return [status, message];
};
const rule = (clause: string, pageNumbers: number[]) => ({ clause, test: 1, pageNumbers });

test("one sentence with the first rules and pages", () => {
  expect(sentence({ standard: "PDF/A-2b", rules: [rule("6.3.3", [])], changedPages: [] })).toEqual([
    ...[422, "The input file cannot be converted to PDF/A-2b: rule 6.3.3 (test 1) is broken."],
  ]);
  const rules = [rule("6.1", [1]), rule("6.2", [1, 2]), rule("6.3", [2, 3, 4]), rule("6.4", [])];
  expect(sentence({ standard: "PDF/A-1b", rules, changedPages: [7] })[1]).toBe(
    "The input file cannot be converted to PDF/A-1b: rule 6.1 (test 1) is broken on page 1, rule 6.2 (test " +
      "1) is broken on " +
      "pages 1 and 2, rule 6.3 (test 1) is broken on pages 2, 3 and 4, more rules are broken, page 7 would " +
      "not look or read the same.",
  );
  expect(sentence()).toEqual([422, "The input file cannot be converted to PDF/A."]);
});

test("many pages are not all told", () => {
  const pages = Array.from({ length: 12 }, (_, index) => index + 1);
  expect(sentence({ standard: "PDF/A-3u", rules: [], changedPages: pages })[1]).toBe(
    "The input file cannot be converted to PDF/A-3u: pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others would " +
      "not look or read the same.",
  );
});

test("it crosses the wire as data", async () => {
  const nonconformity = { standard: "PDF/A-2b", rules: [rule("6.3.3", [1, 2])], changedPages: [3] };
  async function* frames() {
    yield encodeFailure(new EngineFailure("nonconforming", "why", { nonconformity }));
  }
  const answer = decodeResponse(frames(), { signal: new AbortController().signal });
  await expect(answer.next()).rejects.toMatchObject({ reason: "nonconforming", nonconformity });
});
