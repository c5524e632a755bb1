// Finds accessibility problems of a page in a browser, with axe.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Fails if axe finds a problem in the page's current state. */
export async function examine(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[]; passes: unknown[] }> };
    };
    const { violations, passes } = await axe.run({ resultTypes: ["violations"] });
    return {
      passes: passes.length,
      violations: violations.map(({ id, nodes }) => [id, nodes[0]!.html, nodes[0]!.failureSummary]),
    };
  });
  expect(found.violations).toEqual([]);
  expect(found.passes).toBeGreaterThan(10);
}
