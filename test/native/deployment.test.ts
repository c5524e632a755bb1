// Tests `npm run deploy -- --dry-run`, which bundles the Worker and checks all bindings, with several numbers of regions.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root, wranglerEnvironment } from "../../scripts/services/wrangler.ts";
import { configurationWithRegions } from "../support/configuration.ts";

async function dryRun(...args: readonly string[]): Promise<string> {
  const deploy = ["scripts/bootstrap.mjs", "scripts/deploy.ts", "--dry-run", "--containers-rollout=none", ...args];
  const options = { cwd: root, env: wranglerEnvironment() };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, deploy, options);
  expect(stderr).not.toMatch(/warning|error/i);
  return stdout;
}

test("without regions, no region has a resource", async () => {
  const output = await dryRun();
  expect(output).toMatch(/^env\.FILES \(pagewright-files\)/m);
  expect(output).not.toMatch(/env\.[A-Z]+_FILES|env\.REGIONS|r2 bucket create/);
});

test.each([
  ["weur", []],
  ["weur,enam,apac", ["enam --location enam", "apac --location apac"]],
  [
    "enam,weur,apac,oc,eu",
    ["weur --location weur", "apac --location apac", "oc --location oc", "eu --jurisdiction eu"],
  ],
])("regions %s", async (regions, buckets) => {
  await using configuration = await configurationWithRegions(regions);
  const output = await dryRun("--config", configuration.path);
  const found = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, name]) => name);
  expect(found(/npx wrangler r2 bucket create pagewright-files-(.+)$/gm)).toEqual(buckets);
  const further = regions.split(",").slice(1);
  const upper = further.map((name) => name.toUpperCase());
  expect(found(/^env\.([A-Z]+)_FILES /gm)).toEqual(upper);
  expect(found(/^env\.([A-Z]+_)?WEB_CONTAINER /gm)).toEqual([undefined, ...upper.map((name) => `${name}_`)]);
  expect(found(/^- pagewright-engine[a-z]{9}(\w*) /gm)).toEqual(["", ...further]);
});
