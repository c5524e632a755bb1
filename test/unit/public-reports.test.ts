// Checks the log of public reports: each row must name existing tests.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/services/wrangler.ts";

const log = readFileSync(join(root, "test/public-reports.md"), "utf8");
const rows = log
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (Report|---) /.test(line))
  .map((line) => line.slice(1, -1).split(" | "));

/**
 * Matches a citation: the path of a test file without its suffix, relative to `test/` or the root, and the start of a
 * test's title.
 */
const CITED = /`([\w/-]+)` "([^"]+)"/g;

describe("public reports", () => {
  test.each(rows.map((cells) => [cells[0]?.trim(), cells] as const))("%s", (_report, cells) => {
    expect(cells).toHaveLength(4);
    const cited = [...(cells[3] ?? "").matchAll(CITED)];
    expect(cited.length).toBeGreaterThan(0);
    for (const [, file, title] of cited) expect(sourceOf(`${file}.test.ts`)).toContain(title);
  });
});

test("the table of the engines' walls names tests that exist", () => {
  const cited = [...readFileSync(join(root, "docs/known-holes.md"), "utf8").matchAll(CITED)];
  expect(cited.length).toBeGreaterThan(20);
  for (const [, file, title] of cited) expect(sourceOf(`${file}.test.ts`)).toContain(title);
});

function sourceOf(file: string): string {
  const place = [join(root, "test", file), join(root, file)].find((path) => existsSync(path));
  return place === undefined ? `no file ${file}` : readFileSync(place, "utf8");
}
