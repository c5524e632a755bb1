// Prints the percentage of lines in src/ that the unit tests run, one line per room. For information only: no check
// depends on it.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./services/wrangler.ts";

/** Written by vitest (vitest.config.ts). */
const SUMMARY = join(root, "test/dist/coverage/coverage-summary.json");

interface Summary {
  readonly lines: { readonly total: number; readonly covered: number };
}

/** Prints the table. Prints nothing if the test run was interrupted. */
export function printCoverage(): void {
  if (!existsSync(SUMMARY)) return;
  const summaries = JSON.parse(readFileSync(SUMMARY, "utf8")) as Record<string, Summary>;
  const rooms = Map.groupBy(Object.keys(summaries), roomOf);
  for (const [room, files] of [...rooms].toSorted()) {
    const sum = (key: keyof Summary["lines"]) => files.reduce((all, file) => all + summaries[file]!.lines[key], 0);
    const [total, covered] = [sum("total"), sum("covered")];
    const share = total > 0 ? `${((100 * covered) / total).toFixed(1)} %` : "no lines";
    console.log(`${room.padEnd(32)} ${share.padStart(8)} of ${total} lines`);
  }
}

/** Returns the folder below src/. In large rooms, includes the subfolder. */
function roomOf(path: string): string {
  const folders = relative(join(root, "src"), path).split("/").slice(0, -1);
  if (path === "total") return "all of src";
  return ["src", ...folders.slice(0, ["document", "service"].includes(folders[0] ?? "") ? 2 : 1)].join("/");
}
