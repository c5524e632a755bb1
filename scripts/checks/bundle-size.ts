// Measures the size of the Worker's upload.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { root, runWrangler } from "../services/wrangler.ts";

const MIB = 1024 * 1024;
/**
 * Limit of the compressed size. On the paid plan, a Worker can have 10 MiB after gzip. Half a MiB is left for
 * differences between our gzip and the platform's.
 * https://developers.cloudflare.com/workers/platform/limits/#worker-size
 */
const LIMIT_BYTES = 9.5 * MIB;

/**
 * @returns one line with the size
 * @throws Error if the Worker does not build or is too large
 */
export async function checkBundleSize(): Promise<string> {
  const folder = join(root, ".wrangler/bundle");
  await rm(folder, { recursive: true, force: true });
  await runWrangler(["deploy", "--dry-run", "--containers-rollout=none", "--outdir", folder]);
  let bytes = 0;
  for (const name of await readdir(folder)) {
    // Skips the source map, which is uploaded separately, and wrangler's README.
    if (name.endsWith(".map") || name === "README.md") continue;
    bytes += (await promisify(gzip)(await readFile(join(folder, name)))).length;
  }
  const size = `${(bytes / MIB).toFixed(2)} MiB after gzip, limit ${LIMIT_BYTES / MIB}`;
  if (bytes > LIMIT_BYTES) throw new Error(size);
  return size;
}
