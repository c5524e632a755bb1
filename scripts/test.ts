// `npm test`: installs the programs that tests judge with, then runs every test. Arguments go to vitest.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { installEngines } from "./container-process.ts";
import { installPackages, TEST_PACKAGES } from "./packages.ts";
import { root } from "./wrangler.ts";

try {
  installPackages(TEST_PACKAGES, "the tests");
  await installEngines();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

const vitest = spawn(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => vitest.kill(signal));
vitest.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
vitest.on("exit", (code) => process.exit(code ?? 1));
