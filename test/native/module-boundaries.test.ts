// Checks the rules of biome.boundaries.json. With these, Biome verifies that a folder of src or container imports only from
// rows below its own in the tables of ARCHITECTURE.md.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const BIOME = join(root, "node_modules/@biomejs/biome/bin/biome");

/** Rooms from the highest to the lowest, as ARCHITECTURE.md lists them. */
function roomsOf(tree: "src" | "container"): string[] {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  return [...text.matchAll(/^\| `((?:src|container)\/[a-z/]+)\/` \|/gm)]
    .map(([, room]) => room!)
    .filter((room) => room.startsWith(`${tree}/`));
}

function foldersIn(path: string): string[] {
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "dist")
    .map(({ name }) => `${path}/${name}`)
    .filter((folder) => readdirSync(join(root, folder)).length > 0);
}

/** Every pair of rooms, with an import from the first to the second. */
function pairsOf(rooms: readonly string[]): { readonly from: string; readonly to: string; readonly isUp: boolean }[] {
  return rooms.flatMap((from, place) =>
    rooms.flatMap((to, other) => (from === to ? [] : [{ from, to, isUp: other < place }])),
  );
}

describe.each(["src", "container"] as const)("the rooms of %s", (tree) => {
  const rooms = roomsOf(tree);
  let folder: string;
  let refused: Set<string>;

  const fileOf = (from: string, to: string) => `${from}/${to.replaceAll("/", "-")}.ts`;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rooms-"));
    const { vcs: _, $schema: __, ...config } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
    writeFileSync(join(folder, "biome.json"), JSON.stringify(config));
    writeFileSync(join(folder, "biome.boundaries.json"), readFileSync(join(root, "biome.boundaries.json")));
    for (const { from, to } of pairsOf(rooms)) {
      const path = join(folder, fileOf(from, to));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `import type { A } from "${relative(from, to)}/a.ts";\nexport type B = A;\n`);
    }
    const args = [BIOME, "lint", "--reporter=json", "--max-diagnostics=none", "--only=style/noRestrictedImports", tree];
    const { stdout } = runToTheEnd(args, folder);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string | { file: string } } }[] };
    refused = new Set(
      diagnostics.map(({ location: { path } }) => (typeof path === "string" ? path : path.file).replace(/^\.\//, "")),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("are all in the table, once", () => {
    const nested = tree === "src" ? foldersIn("src/pdf") : [];
    const all = [...foldersIn(tree).filter((path) => path !== "src/pdf"), ...nested];
    expect(rooms.toSorted()).toEqual(all.toSorted());
  });

  test("import downwards only", () => {
    const pairs = pairsOf(rooms);
    const shown = (list: readonly { from: string; to: string }[]) => list.map(({ from, to }) => `${from} -> ${to}`);
    expect(shown(pairs.filter(({ from, to, isUp }) => isUp && !refused.has(fileOf(from, to))))).toEqual([]);
    expect(shown(pairs.filter(({ from, to, isUp }) => !isUp && refused.has(fileOf(from, to))))).toEqual([]);
  });
});

test("no file of src or container imports upwards or in a cycle", () => {
  const rules = ["--only=style/noRestrictedImports", "--only=suspicious/noImportCycles"];
  const args = [BIOME, "lint", "--reporter=json", "--max-diagnostics=none", ...rules, "src", "container"];
  const { diagnostics } = JSON.parse(runToTheEnd(args, root).stdout) as {
    diagnostics: { category: string; location: unknown }[];
  };
  const broken = diagnostics.filter(({ category }) => category.startsWith("lint/"));
  expect(broken.map(({ category, location }) => ({ category, location }))).toEqual([]);
});

/** Runs Biome, which exits with 1 if it has found anything. */
function runToTheEnd(args: readonly string[], cwd: string): { readonly stdout: string } {
  try {
    return { stdout: execFileSync(process.execPath, args, { cwd, encoding: "utf8", stdio: "pipe" }) };
  } catch (error) {
    return error as { stdout: string };
  }
}
