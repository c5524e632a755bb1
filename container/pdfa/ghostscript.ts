// The third rung: Ghostscript rewrites the page contents, everything else is taken from the original, and the result is
// repaired.

import { replaceContents } from "../../src/operations/pdfa-steps/replace-contents.ts";
import { repaired } from "./repair.ts";
import type { Rung } from "./rung.ts";

export const ghostscript: Rung = {
  name: "ghostscript",
  async *candidates(workshop, { ofOriginal, best, bases }) {
    const base = await bases.for(ofOriginal ?? best?.validation);
    const rewritten = await workshop.rewrite(base);
    yield* repaired(workshop, await workshop.make(replaceContents, [base, rewritten], {}));
  },
};
