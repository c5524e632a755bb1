// Tests the builds of the container's image without a locale, as in the image. The packages that the builds need are
// installed if install-engines.sh built the engines on this machine; headers come from Debian's mirror.

import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/services/wrangler.ts";

/** All builds together take 40 seconds of CPU time; a busy machine needs longer. */
const TIMEOUT_MS = 1_200_000;
/** Without LANG and LC_ALL, the locale is POSIX, and characters are ASCII. */
const IMAGE_ENVIRONMENT = { PATH: process.env.PATH ?? "", HOME: tmpdir(), DEBIAN_FRONTEND: "noninteractive" };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "builds-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

const start = (program: string, ...args: string[]) =>
  promisify(execFile)(program, args, { env: IMAGE_ENVIRONMENT, timeout: TIMEOUT_MS });
const build = (engine: string, ...args: string[]) =>
  start(join(root, "container/engines", engine, "build.sh"), join(folder, engine), ...args);

/** @returns the reason why the build cannot run on this machine */
function missing(program: string, ...headers: string[]): string | undefined {
  if (spawnSync(program, ["--version"]).error)
    return `${program} is not installed: container/install-engines.sh does that`;
  if (headers.length === 0) return undefined;
  const { status } = spawnSync("apt-get", ["download", "--print-uris", ...headers], { env: IMAGE_ENVIRONMENT });
  return status === 0 ? undefined : `apt-get does not know ${headers.join(", ")}: apt-get update does that`;
}

test.concurrent.for([
  ["verapdf", "Server.class"],
  ["mustang", "Validate.class"],
] as const)("the program of %s", { timeout: TIMEOUT_MS }, async ([engine, main], context) => {
  const reason = missing("javac");
  if (reason) return context.skip(reason);
  // The jars are not fetched: Maven Central would take most of the time, and fetching does not depend on the locale.
  const program = join(root, "container/engines/build-java.sh");
  await start(program, engine, join(folder, engine), join(root, "container/dist", engine));
  const { stdout } = await start("unzip", "-l", join(folder, engine, engine, "pagewright-server.jar"));
  expect(stdout).toContain(main);
});

test.concurrent("Ghostscript's zygote", { timeout: TIMEOUT_MS }, async (context) => {
  const reason = missing("g++", "libgs-dev");
  if (reason) return context.skip(reason);
  await build("ghostscript");
  // Without arguments, the program prints its usage and fails.
  await expect(start(join(folder, "ghostscript/ghostscript-zygote"))).rejects.toHaveProperty("code");
});

test.concurrent("LibreOffice's zygote and its samples", { timeout: TIMEOUT_MS }, async (context) => {
  const reason = missing("g++", "libreofficekit-dev", "libreoffice-dev", "libreoffice-dev-common");
  if (reason) return context.skip(reason);
  await build("libreoffice");
  const { stdout } = await start("ls", join(folder, "libreoffice"), join(folder, "libreoffice/samples"));
  for (const name of ["zygote", "text.docx", "text.doc", "sheet.xlsx", "sheet.xls", "slides.pptx", "slides.ppt"]) {
    expect(stdout).toContain(`${name}\n`);
  }
});
