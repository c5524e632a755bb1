// `npm test`: installs the test programs and the engines, then runs every test. Passes its arguments to vitest. With
// `--project`, installs only the programs that these tiers need (test/README.md). With `--coverage`, also prints the
// percentage of lines in src/ that the tests ran.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { printCoverage } from "./coverage.ts";
import { installPackages, TEST_PACKAGES } from "./packages.ts";
import { installEngines } from "./services/container-process.ts";
import { installS3Server } from "./services/s3-server.ts";
import { root } from "./services/wrangler.ts";

/** Tiers that need no program besides the node modules. */
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

const vitest = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
  cwd: root,
  stdio: "inherit",
});
for (const signal of SIGNALS) process.on(signal, () => vitest.kill(signal));
const [code] = (await once(vitest, "exit")) as [number | null];
if (args.includes("--coverage")) printCoverage();
process.exit(code ?? 1);
