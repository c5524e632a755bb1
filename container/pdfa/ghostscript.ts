// The third rung: Ghostscript writes the contents of the pages anew, all else is the original's, and what either breaks is repaired.

import { repaired } from "./repair.ts";
import type { Rung } from "./rung.ts";

export const ghostscript: Rung = {
  name: "ghostscript",
  async *candidates(workshop, { ofOriginal, best, bases }) {
    const base = await bases.for(ofOriginal ?? best?.validation);
    const rewritten = await workshop.rewrite(base);
    yield* repaired(workshop, await workshop.make("replace-contents", [base, rewritten], {}));
  },
};
