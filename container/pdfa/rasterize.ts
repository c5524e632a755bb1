// The last strategy: replaces pages by images if no other strategy could make them conform, and keeps the other pages.
// If the result still fails, replaces all pages.

import { rasterizePages } from "../../src/operations/pdfa-steps/rasterize-pages.ts";
import { type Assessment, repairOnce, type Strategy } from "./strategy.ts";

const MAX_PASSES = 5;
/** The last option: flattened annotations, and RGB colors. */
const LAST_WAY = { inRgb: true, flatAnnotations: true };
/**
 * Rendering options, in the order in which they are tried. Annotations stay, unless one of them violates a rule. CMYK
 * and spot colors stay, unless the page then looks different: for example, blending in CMYK instead of RGB can change
 * it.
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
    // All pages become images. Bookmarks and links stay, unless they violate a rule.
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

/** Returns the numbers of the pages that violate a rule or look different. */
function offendingPages({ validation, comparison }: Assessment): number[] {
  const broken = (validation?.failures ?? []).flatMap(({ places }) => places.map(({ pageNumber }) => pageNumber));
  const changed = comparison.differences.map(({ pageNumber }) => pageNumber);
  return [...broken, ...changed].filter((page) => page !== undefined);
}
