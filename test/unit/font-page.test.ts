// Tests that docs/fonts.md lists the fonts of the code, and that each name has one replacement.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fontPage } from "../../scripts/fonts/font-page.ts";
import { replacementOf } from "../../src/document/fonts/replacements/font-names.ts";
import { REPLACEMENTS } from "../../src/document/fonts/replacements/replacements.ts";

test("docs/fonts.md is current", () => {
  expect(readFileSync(join(import.meta.dirname, "../../docs/fonts.md"), "utf8")).toBe(fontPage());
});

test("each name has one replacement", () => {
  for (const replacement of REPLACEMENTS) {
    for (const name of replacement.names) expect(replacementOf(name), name).toBe(replacement);
  }
  expect(replacementOf("Nobody's Font")).toBeUndefined();
});
