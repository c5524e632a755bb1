// Fetches S3Proxy, the S3 server of the tests, from Maven Central. test/support/s3-server.ts starts it.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./wrangler.ts";

const PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
const FETCHED_WITHIN_MS = 300_000;

/** Folder with S3Proxy's dependencies (pom.xml), their checksums and the logging settings. */
export const s3ServerSources = join(root, "test/s3-server");
/** Folder with S3Proxy's jars. */
export const s3ServerJars = join(root, "test/dist/s3-server");

/** @throws Error with a message that explains what to do */
export async function installS3Server(): Promise<void> {
  if (await isWhole(s3ServerJars)) return;
  console.log("Fetching S3Proxy from Maven Central (38 MB)…");
  await mkdir(join(s3ServerJars, ".."), { recursive: true });
  const folder = await mkdtemp(`${s3ServerJars}-`);
  try {
    await fetchJars(folder);
    if (!(await isWhole(folder))) throw new Error("S3Proxy's jars do not match test/s3-server/checksums.sha256.");
    await rm(s3ServerJars, { recursive: true, force: true });
    await rename(folder, s3ServerJars);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchJars(folder: string): Promise<void> {
  const pom = join(s3ServerSources, "pom.xml");
  const args = ["-q", "-B", "-f", pom, PLUGIN, `-DoutputDirectory=${folder}`, "-DincludeScope=runtime"];
  try {
    await promisify(execFile)("mvn", args, { timeout: FETCHED_WITHIN_MS });
  } catch (error) {
    const output = `${(error as { stdout?: string }).stdout ?? ""}${error}`.split("\n").slice(-15).join("\n");
    throw new Error(`${output}\nS3Proxy could not be fetched. Check the connection to Maven Central.`);
  }
}

/** Reports whether a folder contains exactly the files in checksums.sha256, with the same checksums. */
async function isWhole(folder: string): Promise<boolean> {
  const listed = (await readFile(join(s3ServerSources, "checksums.sha256"), "utf8")).trimEnd().split("\n");
  const names = await readdir(folder).catch(() => []);
  if (names.length !== listed.length) return false;
  const found = await Promise.all(
    names.sort().map(async (name) => {
      const digest = createHash("sha256").update(await readFile(join(folder, name)));
      return `${digest.digest("hex")}  ${name}`;
    }),
  );
  return found.join() === listed.join();
}
