// `npm run release`: makes the next release from the changes in changes/ (docs/versions.md).
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildArtifacts } from "./release/artifacts.ts";
import { planRelease, type Release, readChanges } from "./release/changes.ts";
import { verifyArtifacts } from "./release/verify.ts";
import { readVersions, writeVersions } from "./release/versions.ts";
import { root } from "./services/wrangler.ts";

const USAGE = `Usage: npm run release [-- <option>]

Writes the next versions and CHANGELOG.md, deletes changes/, and prints the commands that commit and tag.
  --dry-run         changes no file of the project: builds the release in dist/release/, and verifies it
  --folder <path>   another folder for --dry-run, which is emptied
  --clean <path>    the clean folder of the verification, which is emptied and left`;

const options = {
  "dry-run": { type: "boolean" },
  folder: { type: "string", default: join(root, "dist/release") },
  clean: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

interface Values {
  readonly "dry-run"?: boolean;
  readonly folder: string;
  readonly clean?: string;
}

try {
  const { values } = parseArgs({ options });
  if (values.help) console.log(USAGE);
  else await release(values);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function release({ "dry-run": isDryRun, ...places }: Values): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const changes = join(root, "changes");
  const history = join(root, "CHANGELOG.md");
  const plan = planRelease(readFileSync(history, "utf8"), readChanges(changes), readVersions(root), date);
  if (isDryRun) {
    console.log(plan.title);
    const folder = resolve(places.folder);
    buildArtifacts(plan, folder);
    await verify(plan, folder, places.clean && resolve(places.clean));
    console.log(`Verified: ${folder} has ${readdirSync(folder).join(", ")}.`);
    return;
  }
  writeFileSync(history, plan.changelog);
  writeVersions(root, plan.versions, plan.released.includes("service") ? date : undefined);
  rmSync(changes, { recursive: true, force: true });
  const tags = plan.released.map((name) => `${name === "service" ? "" : `${name}-`}v${plan.versions[name]}`);
  const commands = [`git commit --all --message "Release ${plan.title}"`, ...tags.map((tag) => `git tag ${tag}`)];
  console.log(
    [`${plan.title}. Look at the changes, then run:`, ...commands, `git push origin HEAD ${tags.join(" ")}`].join("\n"),
  );
}

async function verify(plan: Release, folder: string, left: string | undefined): Promise<void> {
  const clean = left ?? mkdtempSync(join(tmpdir(), "pagewright-clean-"));
  rmSync(clean, { recursive: true, force: true });
  mkdirSync(clean, { recursive: true });
  try {
    await verifyArtifacts(plan, folder, clean);
  } finally {
    if (left === undefined) rmSync(clean, { recursive: true });
  }
}
