// The tiers of tests, by what they need (test/README.md). "unit": nothing; pure code, in Node. "native": programs of Debian
// packages that judge what such code makes. "worker": the platform (R2, its streams), inside workerd. "server": Linux;
// the container's server without engines. "container": its native engines. "docker": its image, where Docker runs. "http":
// the whole service in workerd. "host": a part of "http" for the host on Node, where PAGEWRIGHT_TARGET=host makes
// all of it run. "unit" runs first, in workers that share their modules; then what needs engines, alone, because other work
// slows engines down; and then what needs the service, which leaves half of the processor time to "native".

import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { corpusDir, corpusPlace } from "./test/support/corpus.ts";
import { keptWorkers } from "./test/support/kept-workers.ts";
import SlowestFirst from "./test/support/slowest-first.ts";

const sayWhetherTheCorpusIsThere = {
  onInit() {
    if (corpusDir !== undefined) return;
    console.log(`The corpus of real documents is not at ${corpusPlace} (set CORPUS_DIR): tests over it are skipped.`);
  },
};

const SERVER_TESTS = ["test/container/jobs/**/*.test.ts", "test/container/processes/**/*.test.ts"];

/** Uploads, also resumable ones, downloads, keys, the engines of both kinds, and their errors. */
const HOST_TESTS = [
  "async",
  "async-restart",
  "webhooks",
  "keyed-webhooks",
  "address-limits",
  "cors",
  "gotenberg",
  "html",
  "idempotency",
  "idempotency-restart",
  "keyed",
  "mcp",
  "keyed-files",
  "keyed-limits",
  "retention",
  "merged-pdf",
  "png",
  "requests",
  "resource",
  "resumable-uploads",
  "upload-addresses",
  "workbench",
].map((name) => `test/http/${name}.test.ts`);
/** Files that wait for engines more than half of their time: with six workers, two processors are busy. */
const WITH_ENGINES = { maxWorkers: 6, sequence: { groupOrder: 1 } };
/** Files that wait for the service most of their time, and those that compute meanwhile. */
const TOGETHER = { maxWorkers: 5, sequence: { groupOrder: 2 } };
/** V8 optimizes native imports better than modules that Vite rewrites. */
const NATIVE_MODULES = { experimental: { viteModuleRunner: false, nodeLoader: false } };
/** A worker for each file, and modules that Vite rewrites, would take a sixth of the processor time. */
const SHARED = { isolate: false, pool: keptWorkers, ...NATIVE_MODULES };
const OVER_HTTP = {
  ...TOGETHER,
  environment: "node",
  globalSetup: ["./test/support/global-setup.ts"],
  setupFiles: ["./test/support/check-responses.ts"],
  ...SHARED,
  testTimeout: 240_000,
  hookTimeout: 240_000,
};

/** Returns the bindings that a deployment with these regions has besides those of wrangler.toml (scripts/deploy.ts). */
const regionalContainers = (...names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const suffix = `${name[0]}${name.slice(1).toLowerCase()}`;
      return [
        [`${name}_CONTAINER`, { className: `EngineContainer${suffix}`, useSQLite: true }],
        [`${name}_WEB_CONTAINER`, { className: `WebContainer${suffix}`, useSQLite: true }],
      ];
    }),
  );

export default defineConfig({
  test: {
    reporters: [sayWhetherTheCorpusIsThere, "default", "./test/support/count-reporter.ts"],
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    // For `npm run test:coverage`: measuring doubles the time of the unit tests, and workerd has no V8 inspector. Files
    // that no test loads count, too. scripts/coverage.ts prints the summary.
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["json-summary"],
      reportsDirectory: "test/dist/coverage",
      reportOnFailure: true,
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          setupFiles: ["./test/support/forbid-subprocesses.ts"],
          environment: "node",
          testTimeout: 120_000,
          // A worker for each file would take a third of the processor time.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "native",
          include: ["test/native/**/*.test.ts"],
          environment: "node",
          testTimeout: 240_000,
          hookTimeout: 240_000,
          ...SHARED,
          ...TOGETHER,
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest({
            main: "./test/worker/platform.ts",
            wrangler: { configPath: "./wrangler.toml" },
            // The bucket of a second region, and the containers of two.
            miniflare: { cf: false, r2Buckets: ["WEUR_FILES"], durableObjects: regionalContainers("ENAM", "APAC") },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          globalSetup: ["./test/support/fake-platform.ts"],
          testTimeout: 240_000,
          isolate: false,
          ...WITH_ENGINES,
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          include: SERVER_TESTS,
          environment: "node",
          testTimeout: 240_000,
          hookTimeout: 240_000,
          ...NATIVE_MODULES,
          ...WITH_ENGINES,
        },
      },
      {
        extends: true,
        test: {
          name: "container",
          include: ["test/container/**/*.test.ts", "container/engines/*/test/**/*.test.ts"],
          exclude: SERVER_TESTS,
          environment: "node",
          testTimeout: 240_000,
          hookTimeout: 240_000,
          ...NATIVE_MODULES,
          ...WITH_ENGINES,
        },
      },
      {
        extends: true,
        test: {
          name: "docker",
          include: ["test/docker/**/*.test.ts"],
          environment: "node",
          testTimeout: 240_000,
          hookTimeout: 240_000,
          ...WITH_ENGINES,
        },
      },
      {
        extends: true,
        test: {
          name: "http",
          include: ["test/http/**/*.test.ts", "test/e2e/**/*.test.ts"],
          ...OVER_HTTP,
        },
      },
      {
        extends: true,
        test: {
          name: "host",
          include: HOST_TESTS,
          env: { PAGEWRIGHT_TARGET: "host" },
          ...OVER_HTTP,
        },
      },
    ],
  },
});
