// Checks the files in changes/, and tells which versions come next.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { planRelease, readChanges } from "../release/changes.ts";
import { readVersions } from "../release/versions.ts";
import { root } from "../services/wrangler.ts";

/** @returns the title of the next release @throws Error with a sentence for the author of a change */
export function checkChanges(): string {
  const date = new Date().toISOString().slice(0, 10);
  const changes = readChanges(join(root, "changes"));
  return planRelease(readFileSync(join(root, "CHANGELOG.md"), "utf8"), changes, readVersions(root), date).title;
}
