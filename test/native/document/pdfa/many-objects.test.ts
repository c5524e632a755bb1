// Tests documents with very many small objects: they are repaired in time proportional to their number, or rejected
// before the work starts.
import { expect, test } from "vitest";
import { countContent } from "../../../../src/operations/pdfa-steps/count-content.ts";
import { repairPdfa } from "../../../../src/operations/pdfa-steps/repair-pdfa.ts";
import { MANY } from "../../../fixtures/many-objects.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { uncompressed } from "../../../support/pdf-readers.ts";

const context = { ...CONTEXT, heapLimitBytes: 2 ** 30 };
const params = { level: { part: 2, conformance: "b" }, failures: [] } as const;

test("200,000 form fields are refused before they are read", async () => {
  const pdf = MANY["fields of many pages"](200_000);
  await expect(outputsOf(repairPdfa, [pdf], params, context)).rejects.toMatchObject({ reason: "too-much-content" });
  await expect(outputsOf(countContent, [pdf], {}, context)).rejects.toMatchObject({ reason: "too-much-content" });
});

test("2,000 fields on a page without an appearance get one each", async () => {
  const [repaired] = await outputsOf(repairPdfa, [MANY["fields without appearances"](2_000)], params, context);
  const shown = uncompressed(repaired!).match(/<[0-9a-f]+> Tj/g) ?? [];
  expect(new Set(shown).size).toBe(2_000);
});

test("the number of objects and of annotations counts", async () => {
  const workOf = async (pdf: Uint8Array) => {
    const [work] = await outputsOf(countContent, [pdf], {}, context);
    return JSON.parse(Buffer.from(work!).toString());
  };
  const few = await workOf(MANY.annotations(100));
  const many = await workOf(MANY.annotations(1_100));
  expect(many.ms - few.ms).toBeGreaterThan(400);
  const items = await workOf(MANY["outline items"](1_000));
  expect(items.ms).toBeGreaterThan(40);
  expect(items.ms).toBeLessThan(200);
});
