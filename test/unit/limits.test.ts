// Tests the table of limits: an inner time limit is shorter than the outer one, and docs/limits.md lists all limits.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONTAINER_LIMITS } from "../../container/limits.ts";
import { TIME_LIMIT_DESCRIPTIONS, TIMES, type TimeLimit } from "../../scripts/limits/limit-descriptions.ts";
import { withTables } from "../../scripts/limits/limit-tables.ts";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { toServiceError } from "../../src/service/http/contract/errors.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("time limits", () => {
  const all = Object.entries(TIME_LIMIT_DESCRIPTIONS) as [TimeLimit, (typeof TIME_LIMIT_DESCRIPTIONS)[TimeLimit]][];
  const inner = all.flatMap(([name, { within }]) => (within === undefined ? [] : [[name, within] as const]));

  test.each(inner)("%s is shorter than %s", (name, within) => {
    expect(TIMES[name]).toBeLessThan(TIMES[within]);
  });

  test("lie within the limit of a request's job or of its inputs, except an awake instance, metrics, lost regions and their jobs, known files, reads before a copy, known keys, kept answers, removed files, upload addresses, the time to shut down and shared renderers", () => {
    const outermost = all.flatMap(([name, { within }]) => (within === undefined ? [name] : []));
    expect(outermost).toEqual([
      "requestJobMs",
      "instanceAwakeMs",
      "metricsMs",
      "regionLostMs",
      "knownFileMs",
      "copyAfterMs",
      "loanedJobMs",
      "knownKeyMs",
      "storedResponseMs",
      "retiredMs",
      "webhookDayMs",
      "fetchesMs",
      "oneTimeUploadMs",
      "graceMs",
      "sharedRendererMs",
    ]);
  });

  test("of a request's job is the platform's limit of processor time", () => {
    const [, platformMs = ""] = /^cpu_ms = ([\d_]+)$/m.exec(read("wrangler.toml")) ?? [];
    expect(LIMITS.requestJobMs).toBe(Number(platformMs.replaceAll("_", "")));
  });

  test("inner and outer, end in the same answer: 504", () => {
    expect(toServiceError(new EngineFailure("timed-out", "not done")).status).toBe(504);
  });
});

test("no name stands for two limits", () => {
  expect(Object.keys(LIMITS).filter((name) => name in CONTAINER_LIMITS)).toEqual([]);
});

describe("docs/limits.md", () => {
  const page = read("docs/limits.md");

  test("has the tables of the code", () => {
    expect(page).toBe(withTables(page));
  });

  test("lists every limit by name", () => {
    const names = [...Object.keys(LIMITS), ...Object.keys(CONTAINER_LIMITS)];
    expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test("says when a job is stopped", () => {
    const text = page.replaceAll("\n", " ");
    expect(text).toContain(`stops a job after ${LIMITS.requestJobMs / 1000} seconds`);
    expect(text).toContain(`web pages after ${CONTAINER_LIMITS.documentJobMs / 1000} seconds`);
    expect(text).toContain(`other jobs after ${CONTAINER_LIMITS.longJobMs / 1000} seconds`);
    const cpuSeconds = ["libreOfficeCpuMs", "ghostscriptCpuMs", "flatteningCpuMs"] as const;
    const rows = ["Office document", "PostScript, EPS", "flattening"];
    for (const [index, row] of rows.entries())
      expect(text).toContain(`| ${row} | ${TIMES[cpuSeconds[index]!] / 1000} s |`);
    expect(text).toContain(`a permit for ${LIMITS.permitWaitMs / 1000} seconds`);
  });
});

test("a page without a table, or with an unknown one, is refused", () => {
  expect(() => withTables("<!-- table: edge -->\n<!-- end -->\n")).toThrow('"container", "time"');
  expect(() => withTables("<!-- table: other -->\n<!-- end -->\n")).toThrow('"other"');
});
