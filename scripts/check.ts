// `npm run check`: runs every check that a change must pass, and prints one line for each check. Continues after a
// failure. `npm run check -- --quick` skips the tests.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { checkBundleSize } from "./checks/bundle-size.ts";
import { checkChanges } from "./checks/changes.ts";
import { checkLicenses, checkVulnerabilities } from "./checks/dependencies.ts";
import { checkConfiguration, checkStartup } from "./checks/deployment.ts";
import { checkEnginePackages } from "./checks/engine-packages.ts";
import { root } from "./services/wrangler.ts";

interface Check {
  readonly name: string;
  /**
   * @returns the text to print after "ok", or a text that begins with "warning"
   * @throws Error with the check's output, if the check fails
   */
  run(): Promise<string>;
}

const quick: readonly Check[] = [
  { name: "format and lint", run: () => program("@biomejs/biome/bin/biome", "check", "--error-on-warnings") },
  { name: "types", run: () => program("typescript/bin/tsc", "-p", ".") },
  { name: "types of the Worker", run: () => program("typescript/bin/tsc", "-p", "src") },
  { name: "types of the workbench", run: () => program("typescript/bin/tsc", "-p", "site") },
  { name: "types of the host", run: () => program("typescript/bin/tsc", "-p", "host") },
  { name: "unused code and dependencies", run: () => program("knip/bin/knip.js") },
  { name: "spelling", run: () => program("cspell/bin.mjs", "--no-progress", "--no-summary") },
  { name: "changes", run: async () => checkChanges() },
  { name: "Markdown", run: () => program("markdownlint-cli2/markdownlint-cli2-bin.mjs") },
  { name: "bundle", run: checkBundleSize },
  { name: "deployment", run: async () => checkConfiguration() },
  { name: "startup", run: checkStartup },
  { name: "licenses", run: async () => checkLicenses() },
  { name: "vulnerabilities", run: () => checkVulnerabilities() },
  { name: "engines", run: () => checkEnginePackages() },
];
const tests: Check = {
  name: "tests",
  run: async () => {
    const output = await node(join(root, "scripts/test.ts"));
    return output.trimEnd().split("\n").at(-1) ?? "";
  },
};

// The quick checks run two at a time, because each uses about one processor.
const results: boolean[] = [];
for (let next = 0; next < quick.length; next += 2) {
  results.push(...(await Promise.all(quick.slice(next, next + 2).map(report))));
}
if (!process.argv.includes("--quick")) results.push(await report(tests));
process.exit(results.every((ok) => ok) ? 0 : 1);

async function report({ name, run }: Check): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    const note = await run();
    console.log(
      `${note.startsWith("warning") ? "warning" : "ok     "} ${name}${note ? `: ${note}` : ""} (${seconds()})`,
    );
    return true;
  } catch (error) {
    console.log(`FAILED  ${name} (${seconds()})\n${(error as Error).message}\n`);
    return false;
  }
}

async function program(path: string, ...args: string[]): Promise<string> {
  await node(join(root, "node_modules", path), ...args);
  return "";
}

function node(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(output.trim()))));
  });
}
