// Tests which failures name the document that caused them.
import { expect, test } from "vitest";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { naming } from "../../../src/operations/named-inputs.ts";

test.each([
  { reason: "damaged", why: undefined, named: "a.pdf is damaged." },
  { reason: "too-complex", why: undefined, named: "a.pdf is too complex." },
  { reason: "too-complex", why: "It has 9 levels.", named: "a.pdf is too complex. It has 9 levels." },
] as const)("$reason with the explanation $why", ({ reason, why, named }) => {
  const failure = new EngineFailure(reason, "detail", why === undefined ? {} : { why });
  expect(naming(failure, "a.pdf")).toMatchObject({ reason, detail: "detail", why: named });
});

test("a failure of the service names no document", () => {
  const failure = new EngineFailure("crashed", "detail");
  expect(naming(failure, "a.pdf")).toBe(failure);
});
