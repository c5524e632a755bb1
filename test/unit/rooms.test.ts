// Checks the structure that ARCHITECTURE.md states: its tables list the rooms of each tree from the highest to the
// lowest, and a room imports only lower ones. Biome's noImportCycles keeps files from importing each other in a circle.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const MAX_FILES_IN_FOLDER = 15;
const MAX_ARROWS_IN_HTTP = 30;
const TREES = ["src", "container", "host", "client", "site"];
/** Folders that hold one file for each member of a growing list. */
const LISTS = ["src/endpoints", "src/operations", "container/operations"];

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const files = execFileSync("git", ["ls-files", ...TREES], { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => !path.includes("/test/"));
const sources = files.filter((path) => /\.(ts|tsx|mjs|js)$/.test(path));

/** Rooms by tree, from the highest to the lowest; trees import only the trees whose tables come later. */
const tables = read("ARCHITECTURE.md")
  .split(/^\| Room of /m)
  .slice(1)
  .map((table) => [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => cell!.match(/[\w./-]+(?=`)/g)!));
const rooms = tables.flat().map((room) => (room.endsWith("/") ? room : room));
const roomOf = (path: string) =>
  rooms.filter((room) => path === room || path.startsWith(room)).toSorted((a, b) => b.length - a.length)[0];

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*"(\.{1,2}\/[^"]+)"|new URL\("(\.{1,2}\/[^"]+\.(?:ts|mjs))"/g;
const arrows = sources.flatMap((from) =>
  [...read(from).matchAll(IMPORT)].map(([, module, url]) => ({
    from,
    to: normalize(join(dirname(from), (module ?? url)!)),
  })),
);

describe("rooms", () => {
  test("each file is in a room of the tables", () => {
    expect(rooms.length).toBeGreaterThan(30);
    expect(new Set(rooms).size).toBe(rooms.length);
    expect(files.filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  test("each room has files", () => {
    expect(rooms.filter((room) => !files.some((path) => roomOf(path) === room))).toEqual([]);
  });

  test("a room imports only rooms below it", () => {
    const up = arrows.filter(({ from, to }) => {
      const [upper, lower] = [roomOf(from), roomOf(to)];
      return lower !== undefined && rooms.indexOf(lower) < rooms.indexOf(upper!);
    });
    expect(arrows.length).toBeGreaterThan(1000);
    expect(up).toEqual([]);
  });

  test("src imports no other tree, and the client nothing at all", () => {
    const treeOf = (path: string) => path.split("/")[0]!;
    const pairs = new Set(arrows.map(({ from, to }) => `${treeOf(from)} > ${treeOf(to)}`));
    for (const pair of [...pairs].filter((pair) => /^src > (?!src|site|docs|client)|^client > (?!client)/.test(pair)))
      expect.soft(pair).toBe("");
  });

  test(`a folder holds at most ${MAX_FILES_IN_FOLDER} files`, () => {
    const count = Map.groupBy(files, dirname);
    const large = [...count].filter(
      ([folder, members]) => members.length > MAX_FILES_IN_FOLDER && !LISTS.includes(folder),
    );
    expect(large.map(([folder, members]) => `${folder}: ${members.length}`)).toEqual([]);
  });

  test(`at most ${MAX_ARROWS_IN_HTTP} arrows between the rooms of src/service/http`, () => {
    const isHttp = (room: string | undefined) => room?.startsWith("src/service/http/");
    const pairs = arrows
      .map(({ from, to }) => [roomOf(from), roomOf(to)])
      .filter(([from, to]) => from !== to && isHttp(from) && isHttp(to))
      .map(([from, to]) => `${from} > ${to}`);
    const distinct = new Set(pairs);
    expect(distinct.size).toBeGreaterThan(10);
    expect([...distinct].length).toBeLessThanOrEqual(MAX_ARROWS_IN_HTTP);
  });
});
