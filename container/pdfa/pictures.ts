// The last rung: pages that nothing else could make conform become pictures of themselves, the others stay. Where that is not
// enough, nothing but pictures of all pages is left.

import { type Judgement, type Rung, repairOnce } from "./rung.ts";

const MOST_PASSES = 5;
/**
 * One after the other. Annotations stay; but one of them may be what is wrong. Inks stay inks; but what is blended in RGB and has
 * inks too may look otherwise in them.
 */
const WAYS = [
  { inRgb: false, flatAnnotations: false },
  { inRgb: false, flatAnnotations: true },
  { inRgb: true, flatAnnotations: true },
];

export const pictures: Rung = {
  name: "pictures",
  async *candidates(workshop, { original, best }) {
    const pages = new Set(best ? offendingPages(best) : []);
    let way = 0;
    for (let pass = 0; best && pages.size > 0 && pass < MOST_PASSES; pass++) {
      const params = { pages: [...pages], ...WAYS[way]! };
      const pictured = await workshop.make("picture-pages", [best.candidate, original], params);
      const found = yield await repairOnce(workshop, pictured);
      const before = pages.size;
      for (const page of offendingPages(found)) pages.add(page);
      if (pages.size === before && ++way === WAYS.length) break;
    }
    // Bookmarks and links are only given up where they are what is wrong.
    if (best) {
      const pictured = await workshop.make("picture-pages", [best.candidate, original], {
        ...WAYS.at(-1),
        pages: "all",
      });
      yield await repairOnce(workshop, pictured);
    }
    const bare = await workshop.make("picture-pages", [original], { inRgb: true });
    yield await repairOnce(workshop, bare);
  },
};

/** Page numbers. */
function offendingPages({ validation, comparison }: Judgement): number[] {
  const broken = (validation?.failures ?? []).flatMap(({ places }) => places.map(({ pageNumber }) => pageNumber));
  const changed = comparison.differences.map(({ pageNumber }) => pageNumber);
  return [...broken, ...changed].filter((page) => page !== undefined);
}
