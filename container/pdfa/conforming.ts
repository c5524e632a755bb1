// The first strategy: a document that conforms already is its own candidate.

import type { Strategy } from "./strategy.ts";

export const conforming: Strategy = {
  name: "conforming",
  async *candidates(_workshop, { original, originalValidation }) {
    if (originalValidation?.valid) yield original;
  },
};
