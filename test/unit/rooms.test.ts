// Checks the structure in ARCHITECTURE.md: its tables list the rooms of each tree from the highest to the lowest, and a
// room imports only lower ones. Biome's noImportCycles prevents circular imports of files.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const MAX_FILES_IN_FOLDER = 15;
const MAX_LINES = 400;
const MAX_ARROWS_IN_HTTP = 30;
const TREES = ["src", "container", "host", "client", "site"];
/** Folders with one file for each member of a growing list. */
const LISTS = ["src/endpoints", "src/operations", "container/operations"];

/** Tests, and files that a build writes. */
const BUILT = /\/(test|dist|generated)\//;

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const files = TREES.flatMap((tree) => readdirSync(join(ROOT, tree), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .filter((path) => !BUILT.test(path));
const sources = files.filter((path) => /\.(ts|tsx|mjs|js)$/.test(path));

/** The other trees from which each tree may import. `src` serves texts and built files of site, client and docs. */
const IMPORTED: Readonly<Record<string, readonly string[]>> = {
  src: ["wasm", "site", "client", "docs"],
  container: ["src", "wasm"],
  host: ["src", "container", "site"],
  site: ["src", "client"],
};

/** Rooms by tree, from the highest to the lowest. */
const tables = read("ARCHITECTURE.md")
  .split(/^\| Room of /m)
  .slice(1)
  .map((table) => [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => cell!.match(/[\w./-]+(?=`)/g)!));
const rooms = tables.flat();
const roomOf = (path: string) =>
  rooms.filter((room) => path === room || path.startsWith(room)).toSorted((a, b) => b.length - a.length)[0];

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*"(\.{1,2}\/[^"]+)"|new URL\("(\.{1,2}\/[^"]+\.(?:ts|mjs))"/g;
interface Arrow {
  readonly from: string;
  readonly to: string;
}

const treeOf = (path: string) => path.split("/")[0]!;
const arrows: readonly Arrow[] = sources
  .flatMap((from) =>
    [...read(from).matchAll(IMPORT)].map(([, module, url]) => ({
      from,
      to: normalize(join(dirname(from), (module ?? url)!)),
    })),
  )
  .filter(({ to }) => !BUILT.test(to));

describe("rooms", () => {
  test("each file is in a room of the tables", () => {
    expect(rooms.length).toBeGreaterThan(30);
    expect(new Set(rooms).size).toBe(rooms.length);
    expect(sources.filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  test("each room has files", () => {
    expect(rooms.filter((room) => !files.some((path) => roomOf(path) === room))).toEqual([]);
  });

  test("a room imports only rooms below it", () => {
    const up = arrows.filter(({ from, to }) => {
      const [upper, lower] = [roomOf(from), roomOf(to)];
      return treeOf(from) === treeOf(to) && lower !== undefined && rooms.indexOf(lower) < rooms.indexOf(upper!);
    });
    expect(arrows.length).toBeGreaterThan(1000);
    expect(up).toEqual([]);
  });

  test("a tree imports only the trees that ARCHITECTURE.md names", () => {
    const isAllowed = ({ from, to }: Arrow) => from === to || (IMPORTED[from] ?? []).includes(to);
    const between = arrows.map(({ from, to }) => ({ from: treeOf(from), to: treeOf(to) }));
    expect(between.filter((arrow) => !isAllowed(arrow))).toEqual([]);
  });

  test(`a folder holds at most ${MAX_FILES_IN_FOLDER} files`, () => {
    const count = Map.groupBy(files, dirname);
    const large = [...count].filter(
      ([folder, members]) => members.length > MAX_FILES_IN_FOLDER && !LISTS.includes(folder),
    );
    expect(large.map(([folder, members]) => `${folder}: ${members.length}`)).toEqual([]);
  });

  test(`a file of code has at most ${MAX_LINES} lines, with comments and blank ones`, () => {
    const code = files.filter((path) => /\.(tsx?|mjs|cpp|hpp|java|sh|pl)$/.test(path));
    const long = code.map((path) => ({ path, lines: read(path).trimEnd().split("\n").length }));
    expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
  });

  test(`at most ${MAX_ARROWS_IN_HTTP} arrows between the rooms of src/service/http`, () => {
    const isHttp = (room: string | undefined) => room?.startsWith("src/service/http/");
    const pairs = arrows
      .map(({ from, to }) => [roomOf(from), roomOf(to)])
      .filter(([from, to]) => from !== to && isHttp(from) && isHttp(to))
      .map(([from, to]) => `${from} > ${to}`);
    const distinct = new Set(pairs);
    expect(distinct.size).toBeGreaterThan(10);
    expect(distinct.size).toBeLessThanOrEqual(MAX_ARROWS_IN_HTTP);
  });
});
