// Tests the settings of the container's server.
import { expect, test } from "vitest";
import { readServerSettings } from "../../../container/settings.ts";

test.each([
  [{}, 4000],
  [{ SHUTDOWN_GRACE_SECONDS: "290" }, 290_000],
  [{ GRACE_MS: "1" }, 1],
  [{ GRACE_MS: "1", SHUTDOWN_GRACE_SECONDS: "290" }, 1],
])("%o: jobs have %i ms after SIGTERM", (environment, graceMs) => {
  expect(readServerSettings(environment).graceMs).toBe(graceMs);
});

test.each([
  [{ JOB_CONCURRENCY: "3" }, 3],
  [{ JOBS: "5" }, 5],
  [{ JOBS: "5", JOB_CONCURRENCY: "3" }, 5],
  [{ JOB_CONCURRENCY: "-3" }, 1],
])("%o: %i jobs at the same time", (environment, jobs) => {
  expect(readServerSettings(environment).jobs).toBe(jobs);
});

test("without a number of jobs, at least two run", () => {
  expect(readServerSettings({ JOB_CONCURRENCY: "" }).jobs).toBeGreaterThan(1);
});

test("static documents share renderers, unless that is off", () => {
  expect(readServerSettings({}).sharesRenderers).toBe(true);
  expect(readServerSettings({ SHARED_RENDERERS: "" }).sharesRenderers).toBe(true);
  expect(readServerSettings({ SHARED_RENDERERS: "off" }).sharesRenderers).toBe(false);
  const SHARED_RENDERERS = "0";
  expect(() => readServerSettings({ SHARED_RENDERERS })).toThrow('SHARED_RENDERERS must be on or off, not "0".');
});

test("a folder of fonts that does not exist is refused in a sentence", () => {
  expect(readServerSettings({ FONTS_DIR: import.meta.dirname }).fontsFolder).toBe(import.meta.dirname);
  const FONTS_DIR = import.meta.filename;
  expect(() => readServerSettings({ FONTS_DIR })).toThrow(`FONTS_DIR must be a folder, and "${FONTS_DIR}" is none.`);
});

test.each(["GRACE_MS", "SHUTDOWN_GRACE_SECONDS"])("%s that is no number is refused in a sentence", (name) => {
  expect(() => readServerSettings({ [name]: "soon" })).toThrow(`${name} must be a number of`);
});
