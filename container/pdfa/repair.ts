// The second strategy: repairs rule violations in place. The validator's findings determine the repairs.

import type { RuleFailure } from "../../src/document/pdfa/rule-failure.ts";
import { type Assessment, type ConversionContext, type GeneratedFile, repairOnce, type Strategy } from "./strategy.ts";

const MAX_PASSES = 4;

export const repair: Strategy = {
  name: "repair",
  async *candidates(workshop, { originalValidation, bases }) {
    const base = await bases.for(originalValidation);
    const needsAnother = async (found: Assessment["validation"]) => (await bases.for(found)) !== base;
    const last = yield* repaired(workshop, base, needsAnother);
    // The validation of the repaired file can show that another input is required.
    const other = await bases.for(last?.validation);
    if (other !== base) yield* repaired(workshop, other);
  },
};

/**
 * Repairs the document repeatedly, each time with all findings so far, until nothing changes.
 * @param ends reports whether further passes are useless after a validation
 * @returns the last assessment
 */
export async function* repaired(
  workshop: ConversionContext,
  base: GeneratedFile,
  ends: (found: Assessment["validation"]) => Promise<boolean> = async () => false,
): AsyncGenerator<GeneratedFile, Assessment | undefined, Assessment> {
  const known = new Map<string, RuleFailure>();
  let judgment: Assessment | undefined;
  let before = "";
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    judgment = yield await repairOnce(workshop, base, [...known.values()]);
    const found = judgment.validation?.failures ?? [];
    const now = JSON.stringify(found.map(({ clause, test, places }) => [clause, test, places.length]));
    // Another pass would not help: it would repair the same findings again, or none.
    if (found.length === 0 || now === before || (await ends(judgment.validation))) break;
    before = now;
    for (const failure of found) known.set(`${failure.clause}-${failure.test}`, failure);
  }
  return judgment;
}
