// The last strategy: replaces pages that no other strategy could make conform by images, and keeps the other pages. If
// the result still fails, replaces all pages.

import { rasterizePages } from "../../src/operations/pdfa-steps/rasterize-pages.ts";
import { type Assessment, repairOnce, type Strategy } from "./strategy.ts";

const MAX_PASSES = 5;
/** The last attempt: annotations flattened, in RGB. */
const LAST_WAY = { inRgb: true, flatAnnotations: true };
/**
 * Rendering options, tried in this order. Annotations stay, unless one of them violates a rule. CMYK and spot colors
 * stay, unless the page then looks different: a page that is blended in RGB can look different in CMYK.
 */
const WAYS = [{ inRgb: false, flatAnnotations: false }, { inRgb: false, flatAnnotations: true }, LAST_WAY];

export const rasterize: Strategy = {
  name: "pictures",
  async *candidates(workshop, { original, best }) {
    const pages = new Set(best ? offendingPages(best) : []);
    let way = 0;
    for (let pass = 0; best && pages.size > 0 && pass < MAX_PASSES; pass++) {
      const params = { pages: [...pages], ...WAYS[way]! };
      const pictured = await workshop.runOperation(rasterizePages, [best.candidate, original], params);
      const found = yield await repairOnce(workshop, pictured);
      const before = pages.size;
      for (const page of offendingPages(found)) pages.add(page);
      if (pages.size === before && ++way === WAYS.length) break;
    }
    // Bookmarks and links are dropped only if they violate a rule.
    if (best) {
      const pictured = await workshop.runOperation(rasterizePages, [best.candidate, original], {
        ...LAST_WAY,
        pages: "all",
      });
      yield await repairOnce(workshop, pictured);
    }
    const bare = await workshop.runOperation(rasterizePages, [original], { inRgb: true });
    yield await repairOnce(workshop, bare);
  },
};

/** Page numbers. */
function offendingPages({ validation, comparison }: Assessment): number[] {
  const broken = (validation?.failures ?? []).flatMap(({ places }) => places.map(({ pageNumber }) => pageNumber));
  const changed = comparison.differences.map(({ pageNumber }) => pageNumber);
  return [...broken, ...changed].filter((page) => page !== undefined);
}
