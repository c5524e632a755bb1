// Installs client generators and the packages that generated clients need, in the versions of test/clients. Once for
// all runs.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestContext } from "vitest";

const run = promisify(execFile);
const INSTALLED_WITHIN_MS = 240_000;

export const clientSources = join(import.meta.dirname, "../clients");

/** Messages of npm and pip when a registry is unreachable. Any other failure is our fault. */
export const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError/;

/**
 * Returns the folder with the node modules of test/clients/package.json. If the registry is unreachable, skips the test
 * with this reason.
 */
export const npmTools = (test: TestContext): Promise<string> =>
  installed(test, "package.json", async (folder) => {
    await copyFile(join(clientSources, "package.json"), join(folder, "package.json"));
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], {
      cwd: folder,
      timeout: INSTALLED_WITHIN_MS,
    });
  });

/**
 * Returns the `bin` folder of a Python environment with the packages of a list in test/clients. Skips the test as
 * {@link npmTools} does.
 */
export async function pythonTools(test: TestContext, list = "requirements.txt", ...options: string[]): Promise<string> {
  const folder = await installed(test, list, async (folder) => {
    await run("python3", ["-m", "venv", folder], { timeout: INSTALLED_WITHIN_MS });
    const requirements = join(clientSources, list);
    const args = ["install", "--quiet", "--disable-pip-version-check", "--retries", "1"];
    await run(join(folder, "bin/pip"), [...args, ...options, "--requirement", requirements], {
      timeout: INSTALLED_WITHIN_MS,
    });
  });
  return join(folder, "bin");
}

async function installed(test: TestContext, list: string, install: (folder: string) => Promise<void>): Promise<string> {
  const digest = createHash("sha256")
    .update(readFileSync(join(clientSources, list)))
    .digest("hex");
  const folder = join(import.meta.dirname, "../dist", `clients-${digest.slice(0, 12)}`);
  const stamp = join(folder, ".installed");
  if (existsSync(stamp)) return folder;
  await mkdir(folder, { recursive: true });
  try {
    await install(folder);
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    if (!UNREACHABLE.test(stderr)) throw error;
    console.log(`The packages of test/clients/${list} are not within reach: ${stderr.trimEnd().split("\n").at(-1)}`);
    test.skip(`The packages of test/clients/${list} are not within reach.`);
  }
  writeFileSync(stamp, "");
  return folder;
}
