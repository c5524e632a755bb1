// Tests that the list of clauses in test/fixtures/pdfa-clauses.json matches the installed veraPDF.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import clauses from "../../fixtures/pdfa-clauses.json" with { type: "json" };

const program = resolve(import.meta.dirname, "../../../container/dist/verapdf");

test.each([1, 2, 3] as const)("lists the clauses of part %i", (part) => {
  const core = readdirSync(program).find((name) => /^core-.*\.jar$/.test(name))!;
  const profiles = unzipSync(readFileSync(join(program, core)), {
    filter: ({ name }) => new RegExp(`/PDFA-${part}[BU]\\.xml$`).test(name),
  });
  const found = Object.values(profiles).flatMap((profile) =>
    [
      ...Buffer.from(profile)
        .toString("utf8")
        .matchAll(/<id specification="[^"]*" clause="([^"]*)"/g),
    ].map(([, clause]) => clause),
  );
  expect(found.length).toBeGreaterThan(100);
  expect(new Set(found)).toEqual(new Set(clauses[part]));
});
