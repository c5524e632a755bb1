// Tests that usage records must pass, in D1 and in the host's database.
// Contract: docs/api.md#usage

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { KeyUsage, UsageRecords } from "../../src/service/ports/usage.ts";

const row = (key: string, day: string, operation: string, more: Partial<KeyUsage> = {}): KeyUsage => ({
  ...{ key, day, operation, requests: 1, errors: 0, bytesIn: 2, bytesOut: 3, tokens: 0 },
  ...more,
});
const without = ({ key: _, ...rest }: KeyUsage) => rest;

/** @param open opens the records, as another process would */
export function usageConformance(open: () => Promise<UsageRecords> | UsageRecords): void {
  test("what processes add at once is summed by key, day and operation, and read in that order", async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    const rows = [
      row(key, "2026-11-24", "pdf"),
      row(key, "2026-11-23", "png", { errors: 1, tokens: 5 }),
      row(other, "2026-11-23", "png"),
    ];
    await Promise.all(Array.from({ length: 10 }, async () => (await open()).add(rows)));
    const sums = { requests: 10, bytesIn: 20, bytesOut: 30 };
    const records = await open();
    expect(await records.read(key, "2026-11-23")).toEqual([
      { day: "2026-11-23", operation: "png", ...sums, errors: 10, tokens: 50 },
      { day: "2026-11-24", operation: "pdf", ...sums, errors: 0, tokens: 0 },
    ]);
    expect(await records.read(key, "2026-11-24")).toEqual([
      { day: "2026-11-24", operation: "pdf", ...sums, errors: 0, tokens: 0 },
    ]);
    expect(await records.read(randomUUID(), "2026-11-23")).toEqual([]);
  });

  test("rows are added all or none", async () => {
    const key = randomUUID();
    const records = await open();
    const invalid = row(key, "2026-11-23", "pdf", { requests: Number.NaN });
    await expect(records.add([row(key, "2026-11-23", "png", { tokens: 7 }), invalid])).rejects.toThrow();
    expect(await records.read(key, "2026-11-23")).toEqual([]);
    const valid = row(key, "2026-11-23", "pdf");
    await records.add([valid]);
    expect(await records.read(key, "2026-11-23")).toEqual([without(valid)]);
  });

  test("sums end at the largest number that can be read", async () => {
    const key = randomUUID();
    const records = await open();
    const most = row(key, "2026-11-23", "png", {
      ...{ bytesIn: Number.MAX_SAFE_INTEGER, tokens: Number.MAX_SAFE_INTEGER },
    });
    for (let count = 0; count < 2; count++) await records.add([most]);
    expect(await records.read(key, "2026-11-23")).toMatchObject([
      { requests: 2, bytesIn: Number.MAX_SAFE_INTEGER, tokens: Number.MAX_SAFE_INTEGER },
    ]);
  });

  test("days before one are deleted, of all keys", async () => {
    const [key, other] = [randomUUID(), randomUUID()];
    const records = await open();
    await records.add([row(key, "2025-01-01", "png"), row(key, "2025-01-02", "png"), row(other, "2024-12-31", "pdf")]);
    for (let count = 0; count < 2; count++) await records.removeBefore("2025-01-02");
    expect((await records.read(key, "2000-01-01")).map(({ day }) => day)).toEqual(["2025-01-02"]);
    expect(await records.read(other, "2000-01-01")).toEqual([]);
  });
}
