// `npm test`: installs the test programs and the engines, then runs every test, and prints the share of the lines of
// src/ that the unit tests ran. Arguments are passed to vitest. With `--project`, it installs only the programs that
// these tiers need (test/README.md).

import { spawn } from "node:child_process";
import { join } from "node:path";
import { printCoverage } from "./coverage.ts";
import { installPackages, TEST_PACKAGES } from "./packages.ts";
import { installEngines } from "./services/container-process.ts";
import { installS3Server } from "./services/s3-server.ts";
import { root } from "./services/wrangler.ts";

/** Tiers that need only the node modules. */
const SELF_CONTAINED: readonly string[] = ["unit", "worker", "server", "docker"];

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const args = process.argv.slice(2);
const tiers = args.flatMap((arg, index) => {
  if (arg === "--project") return [args[index + 1] ?? ""];
  return arg.startsWith("--project=") ? [arg.slice("--project=".length)] : [];
});
const needsPrograms = tiers.length === 0 || !tiers.every((tier) => SELF_CONTAINED.includes(tier));

try {
  if (needsPrograms) {
    installPackages(TEST_PACKAGES, "the tests");
    await installEngines();
    if (tiers.length === 0 || tiers.includes("native")) await installS3Server();
  }
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

// Measures only the unit tests: measuring would slow the others down, and workerd has no V8 inspector.
const runs = args.length > 0 ? [args] : [["--project=unit", "--coverage"], ["--project=!unit"]];
let exitCode = 0;
for (const run of runs) {
  exitCode = (await runVitest(run)) || exitCode;
  if (run.includes("--coverage")) printCoverage();
}
process.exit(exitCode);

async function runVitest(options: readonly string[]): Promise<number> {
  const vitest = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...options], {
    cwd: root,
    stdio: "inherit",
  });
  const ended = Promise.withResolvers<number>();
  vitest.on("error", ended.reject);
  vitest.on("exit", (code) => ended.resolve(code ?? 1));
  const relay = (signal: NodeJS.Signals) => {
    vitest.kill(signal);
    runs.length = 0;
  };
  for (const signal of SIGNALS) process.on(signal, relay);
  try {
    return await ended.promise;
  } finally {
    for (const signal of SIGNALS) process.off(signal, relay);
  }
}
