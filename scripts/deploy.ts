// `npm run deploy`: checks the configuration, adds the resources of its regions, and deploys the Worker and its
// containers to Cloudflare. Passes its arguments to `wrangler deploy`, except `--config <path>`, which replaces
// wrangler.toml.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { checkConfiguration } from "./checks/deployment.ts";
import { openConfiguration, type RegionalBucket } from "./services/regional-configuration.ts";
import { root, runWrangler, wranglerCli } from "./services/wrangler.ts";

const args = process.argv.slice(2);
const [, named] = args.includes("--config") ? args.splice(args.indexOf("--config"), 2) : [];
const path = named === undefined ? join(root, "wrangler.toml") : resolve(named);
try {
  console.log(checkConfiguration(path));
  using configuration = openConfiguration(path);
  for (const bucket of configuration.buckets) {
    if (args.includes("--dry-run")) console.log(`Bucket of ${bucket.region.name}: ${creationOf(bucket)}`);
    else await requireBucket(bucket);
  }
  const command = ["--no-warnings", wranglerCli, "deploy", "--config", configuration.path, ...args];
  // Inherits the terminal, because wrangler asks questions and shows the progress of the image build.
  const [code] = await once(spawn(process.execPath, command, { cwd: root, stdio: "inherit" }), "exit");
  process.exitCode = (code as number | null) ?? 1;
} catch (error) {
  console.error(`${path}: ${(error as Error).message}`);
  process.exitCode = 1;
}

function creationOf({ name, region: { hint, jurisdiction } }: RegionalBucket): string {
  const place = jurisdiction ? `--jurisdiction ${jurisdiction}` : `--location ${hint}`;
  return `npx wrangler r2 bucket create ${name} ${place}`;
}

/** @throws Error if a bucket does not exist. `wrangler deploy` would create it without a location */
async function requireBucket(bucket: RegionalBucket): Promise<void> {
  const { name, region } = bucket;
  const within = region.jurisdiction ? ["--jurisdiction", region.jurisdiction] : [];
  try {
    await runWrangler(["r2", "bucket", "info", name, ...within]);
  } catch (error) {
    const hint = `If the bucket ${name} does not exist, create it: ${creationOf(bucket)}`;
    throw new Error(`${(error as Error).message}\n${hint}`);
  }
}
