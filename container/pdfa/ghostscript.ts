// The third strategy: Ghostscript rewrites the page contents, and the rest of the file comes from the original. The
// result is repaired.

import { replaceContents } from "../../src/operations/pdfa-steps/replace-contents.ts";
import { repaired } from "./repair.ts";
import type { AssessedCandidate, Strategy } from "./strategy.ts";

/** Clauses that require embedded fonts, in ISO 19005-2 and -3, and in ISO 19005-1. */
const EMBEDDING = new Set(["6.2.11.4.1", "6.3.4"]);

export const ghostscript: Strategy = {
  name: "ghostscript",
  async *candidates(workshop, { originalValidation, best, bases }) {
    const base = await bases.for(originalValidation ?? best?.validation);
    // Skips documents with missing fonts: Ghostscript drops characters that its own substitute font lacks.
    if (best && lacksFonts(best)) return;
    const fonts = best?.candidate.notices?.filter(({ code }) => code === "fonts-substituted") ?? [];
    const rewritten = await workshop.rewrite(fonts.length > 0 ? best!.candidate : base);
    const source = { ...base, notices: [...(base.notices ?? []), ...fonts] };
    yield* repaired(workshop, await workshop.runOperation(replaceContents, [source, rewritten], {}));
  },
};

const lacksFonts = ({ validation }: AssessedCandidate): boolean =>
  validation?.failures.some(({ clause }) => EMBEDDING.has(clause)) === true;
