// Compares src/document/pdfa/CLAUSES.md with the code, and with the clauses of veraPDF's profiles.
// test/container/pdfa/clauses.test.ts compares those clauses with the installed veraPDF.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import clauses from "../../../fixtures/pdfa-clauses.json" with { type: "json" };

const folder = resolve(import.meta.dirname, "../../../../src/document/pdfa");
const rows = readFileSync(join(folder, "CLAUSES.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| .*\b6\.\d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));
const CLAUSE = /\b6(?:\.\d+)+\b/g;
const listed = (column: number) => new Set(rows.flatMap((cells) => cells[column]?.match(CLAUSE) ?? []));
const byPart = [listed(1), listed(2), listed(2)];

/** Returns the clauses that a text cites, each with its part of ISO 19005. */
function citations(text: string): (readonly [part: number, clause: string])[] {
  const found: (readonly [number, string])[] = [];
  let part = 0;
  for (const [token, first, next] of text.matchAll(/ISO 19005-([123])|ISO \d+|(?<=[ (;])-([123]),|6(?:\.\d+)+\b|\)/g)) {
    if (first !== undefined || next !== undefined) part = Number(first ?? next);
    else if (!token.startsWith("6.")) part = 0;
    else if (part > 0) found.push([part, token]);
  }
  return found;
}

/** Reports whether the table has a clause or its subclauses. */
const has = (part: number, clause: string) =>
  [...byPart[part - 1]!].some((one) => one === clause || one.startsWith(`${clause}.`) || clause.startsWith(`${one}.`));

describe("the table of clauses", () => {
  test("names existing files, or a reason", () => {
    for (const cells of rows) {
      const files = [...cells[4]!.matchAll(/`([^`]*\.ts)`/g)].map(([, file]) => file!);
      if (files.length === 0) expect(cells[4]).toMatch(/^(refused|no pass): \w/);
      for (const file of files) expect(existsSync(join(folder, file)), file).toBe(true);
    }
  });

  test.each([1, 2, 3] as const)("has every clause of veraPDF's profiles of part %i", (part) => {
    expect(clauses[part].filter((clause) => !byPart[part - 1]!.has(clause))).toEqual([]);
  });

  test("has every clause that the code cites", () => {
    const root = resolve(folder, "../../..");
    const cited = globSync(["src/**/*.ts", "container/**/*.ts"], { cwd: root }).flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const comments = text.match(/\/\*\*[\s\S]*?\*\/|(?:^\s*\/\/.*\n)+/gm) ?? [];
      const inComments = comments.flatMap((comment) => citations(comment.replaceAll(/\n\s*(?:\/\/|\*)/g, "")));
      // A clause in a string can belong to any part.
      const inStrings = [...text.matchAll(/"(6(?:\.\d+){2,})"/g)].map(
        ([, clause]) => [has(1, clause!) ? 1 : 2, clause!] as const,
      );
      return [...inComments, ...inStrings].map(([part, clause]) => ({ file, part, clause }));
    });
    expect(cited.length).toBeGreaterThan(60);
    expect(cited.filter(({ part, clause }) => !has(part, clause))).toEqual([]);
  });
});
