// Starts a script in a copy of the project: missing files are built first, existing files are not built again.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "bootstrap-"));
const dist = join(folder, "site/dist");

beforeAll(() => {
  for (const name of ["package.json", "package-lock.json", "scripts", "site"]) {
    const isOutput = (path: string) => path.startsWith(join(root, "site/dist"));
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !isOutput(path) });
  }
  for (const name of ["node_modules", "src", "client"]) symlinkSync(join(root, name), join(folder, name));
  writeFileSync(join(folder, "script.mjs"), "console.log('started');");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script, and expects that the workbench's files exist. */
async function start(): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/bootstrap.mjs", "script.mjs"], {
    cwd: folder,
  });
  expect(stdout).toBe("started\n");
  expect(existsSync(join(dist, "files.js"))).toBe(true);
}

const builtAt = () => statSync(join(dist, "files.js")).mtimeMs;

test("pages are built if they are missing or half written, and not otherwise", async () => {
  await start();
  const first = builtAt();
  await start();
  expect(builtAt()).toBe(first);
  rmSync(join(dist, "files.js"));
  await start();
  const second = builtAt();
  writeFileSync(join(dist, "sources.json"), '{"files":');
  await start();
  expect(builtAt()).not.toBe(second);
});
