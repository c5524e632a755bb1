// Makes a PDF/A-4: converts to PDF/A-2u, whose rules PDF/A-4 has relaxed, and declares the result as PDF/A-4.

import type { TargetLevel } from "../../src/document/pdfa/level.ts";
import { upgradePdfa } from "../../src/operations/pdfa-steps/upgrade-pdfa.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { convertToLevel, failsAsNonconforming, validated } from "./convert.ts";
import type { JobValidator } from "./job-validator.ts";
import type { ConversionContext, GeneratedFile, Strategy } from "./strategy.ts";

/** The level whose candidates become PDF/A-4. */
export const BASIS = { part: 2, conformance: "u" } as const;

/**
 * @param workshop whose level is {@link BASIS}
 * @throws EngineFailure `nonconforming`, also of PDF/A-2u, or a failure that the document or an engine caused
 */
export async function convertToPart4(
  original: FileInput,
  strategies: readonly Strategy[],
  workshop: ConversionContext,
  validator: JobValidator<TargetLevel>,
): Promise<{ readonly document: GeneratedFile; readonly strategy: string }> {
  if ((await validated(original, validator))?.valid) return { document: original, strategy: "conforming" };
  const { document, strategy } = await convertToLevel(original, strategies, workshop);
  const upgraded = await workshop.runOperation(upgradePdfa, [document], {});
  const { work } = document;
  const validation = await (work ? validator.validate({ ...upgraded, work }) : validated(upgraded, validator));
  if (!validation?.valid) throw failsAsNonconforming(validation, validator.level);
  return { document: upgraded, strategy };
}
