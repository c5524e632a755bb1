// The first strategy: if the document already conforms, offers it as the candidate.

import type { Strategy } from "./strategy.ts";

export const conforming: Strategy = {
  name: "conforming",
  async *candidates(_workshop, { original, originalValidation }) {
    if (originalValidation?.valid) yield original;
  },
};
