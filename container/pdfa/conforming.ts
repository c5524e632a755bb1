// The first rung: a document that conforms already is its own candidate.

import type { Rung } from "./rung.ts";

export const conforming: Rung = {
  name: "conforming",
  async *candidates(_workshop, { original, ofOriginal }) {
    if (ofOriginal?.valid) yield original;
  },
};
