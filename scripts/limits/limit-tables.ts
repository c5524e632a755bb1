// Generates the tables of docs/limits.md from the limits in the code.

import { CONTAINER_LIMITS } from "../../container/limits.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import {
  CONTAINER_MEANINGS,
  EDGE_MEANINGS,
  TIME_LIMIT_DESCRIPTIONS,
  TIMES,
  type TimeLimit,
} from "./limit-descriptions.ts";

const TABLES: Readonly<Record<string, () => string>> = {
  edge: () => sizeTable(LIMITS, EDGE_MEANINGS),
  container: () => sizeTable(CONTAINER_LIMITS, CONTAINER_MEANINGS),
  time: timeTable,
};

/**
 * Returns the page with new tables between its markers: `<!-- table: edge -->` and `<!-- end -->`.
 * @throws Error if the page lacks a table or has an unknown one
 */
export function withTables(page: string): string {
  const missing = new Set(Object.keys(TABLES));
  const written = page.replace(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(?=<!-- end -->)/g,
    (_, marker: string, name: string) => {
      const table = TABLES[name];
      if (!table) throw new Error(`There is no table called "${name}".`);
      missing.delete(name);
      return `${marker}\n${table()}\n\n`;
    },
  );
  if (missing.size > 0) throw new Error(`The page has no table called "${[...missing].join('", "')}".`);
  return written;
}

function sizeTable<Name extends string>(
  limits: Readonly<Record<Name, number>>,
  meanings: Readonly<Record<Name, string>>,
): string;
function sizeTable(limits: Readonly<Record<string, number>>, meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(meanings).map(([name, meaning]) => [
    meaning,
    inUnits(name, limits[name]!),
    `\`${name}\``,
  ]);
  return table(["Limit", "Value", "Name"], rows);
}

function timeTable(): string {
  const rows = Object.entries(TIME_LIMIT_DESCRIPTIONS).map(([name, { meaning, within }]) => {
    const outer = within === undefined ? "–" : `\`${within}\``;
    return [meaning, inUnits(name, TIMES[name as TimeLimit]), `\`${name}\``, outer];
  });
  return table(["Limit", "Value", "Name", "Shorter than"], rows);
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), `|${"---|".repeat(headings.length)}`, ...rows.map(line)].join("\n");
}

/** Formats a limit in the unit that its name ends with. */
function inUnits(name: string, value: number): string {
  if (name.endsWith("Ms")) return `${value / 1000} s`;
  if (!name.endsWith("Bytes")) return value.toLocaleString("en-US");
  const exponent = [30, 20, 10].find((power) => value >= 2 ** power) ?? 0;
  return `${value / 2 ** exponent} ${{ 30: "GiB", 20: "MiB", 10: "KiB", 0: "bytes" }[exponent]}`;
}
