// Tries the strategies in order. Returns the first candidate that the validator accepts and whose page images and text
// match the original.

import { type BrokenRule, EngineFailure, type Nonconformity } from "../../src/document/contract/failure.ts";
import { levelName } from "../../src/document/pdfa/level.ts";
import { applyTransferFunctions } from "../../src/operations/pdfa-steps/apply-transfer-functions.ts";
import type { ValidatedLevel, Validation } from "../engines/verapdf/validation.ts";
import { type FileInput, SMALL_BYTES } from "../scratch/file-input.ts";
import { PreparedRepairInputs } from "./repair-inputs.ts";
import {
  type AssessedCandidate,
  type Assessment,
  type ConversionContext,
  type EarlierResults,
  type GeneratedFile,
  isAcceptable,
  type RenderTask,
  type Strategy,
} from "./strategy.ts";

/** Failures caused by the input, which no strategy can repair. */
const OF_THE_INPUT = new Set(["password-protected", "not-a-pdf", "damaged", "too-complex", "too-much-content"]);
/** Failures of the service. After one of them, no other strategy is tried. */
const OF_THE_SERVICE = new Set(["busy", "timed-out"]);

/**
 * @param isWithoutTransfers true if the remaining transfer functions have no effect
 * @returns the first acceptable candidate and the strategy that made it
 * @throws EngineFailure `nonconforming` if no candidate is acceptable, or the reason why there was no candidate
 */
export async function convertToLevel(
  original: GeneratedFile,
  strategies: readonly Strategy[],
  workshop: ConversionContext,
  isWithoutTransfers = false,
): Promise<{ readonly document: GeneratedFile; readonly strategy: string }> {
  const originalValidation = (await mayConform(original)) ? await validated(original, workshop) : undefined;
  // Runs while the first strategy makes its candidate.
  await using looking = originalValidation?.valid ? undefined : workshop.render(original);
  let best: AssessedCandidate | undefined;
  let failure: unknown;
  const bases = new PreparedRepairInputs(workshop, original);
  for (const strategy of strategies) {
    const known: EarlierResults = { original, bases, originalValidation, best };
    const candidates = strategy.candidates(workshop, known);
    try {
      let next = await candidates.next();
      while (!next.done) {
        const candidate = next.value;
        if (!isWithoutTransfers && lacksTransfers(candidate)) {
          isWithoutTransfers = true;
          const plain = await withTransfersApplied(original, workshop);
          if (plain) return await convertToLevel(plain, strategies, workshop, true);
        }
        const judgment = candidate === original ? UNTOUCHED : await judge(original, candidate, looking, workshop);
        if (isAcceptable(judgment)) {
          const { compared, furthest } = judgment.comparison;
          workshop.log("candidate accepted", { strategy: strategy.name, compared, furthest });
          return { document: candidate, strategy: strategy.name };
        }
        workshop.log("candidate refused", { strategy: strategy.name, ...summary(judgment) });
        if (!best || isNearer(judgment, best)) best = { ...judgment, candidate };
        next = await candidates.next(judgment);
      }
    } catch (error) {
      workshop.signal.throwIfAborted();
      const isKnown = error instanceof EngineFailure;
      if (isKnown && OF_THE_SERVICE.has(error.reason)) throw error;
      if (isKnown && OF_THE_INPUT.has(error.reason) && !best) throw error;
      workshop.log("strategy failed", {
        strategy: strategy.name,
        error: String(error),
        ...(isKnown ? {} : { stack: String((error as Error)?.stack) }),
      });
      failure = error;
    } finally {
      await candidates.return();
    }
  }
  // If a strategy failed because of a limit, reports the limit: without it, the strategy might have repaired the rules.
  if (failure instanceof EngineFailure && failure.why !== undefined) throw failure;
  if (!best) throw failure ?? new EngineFailure("crashed", "no strategy made a candidate");
  const nonconformity = nonconformityOf(best, workshop);
  const detail = JSON.stringify(nonconformity);
  throw new EngineFailure("nonconforming", detail, { nonconformity, ...(failure ? { cause: failure } : {}) });
}

/**
 * Applies transfer functions to the colors, because the rendering engine ignores these functions.
 * @returns undefined if that fails; then only the colors differ
 */
async function withTransfersApplied(
  original: GeneratedFile,
  workshop: ConversionContext,
): Promise<GeneratedFile | undefined> {
  try {
    return await workshop.runOperation(applyTransferFunctions, [original], {});
  } catch (error) {
    workshop.signal.throwIfAborted();
    if (error instanceof EngineFailure && OF_THE_SERVICE.has(error.reason)) throw error;
    workshop.log("transfer functions not applied", { error: String(error) });
    return undefined;
  }
}

const lacksTransfers = ({ notices = [] }: GeneratedFile): boolean =>
  notices.some(({ code }) => code === "transfers-removed");

/**
 * Validates the original. Counts its content first, because the validation of an enormous file might never finish. For
 * repaired files, the repair counts the content.
 */
export async function validated(
  original: FileInput,
  workshop: Pick<ConversionContext, "count" | "validate">,
): Promise<Validation | undefined> {
  const work = await workshop.count(original);
  return workshop.validate({ ...original, ...(work ? { work } : {}) });
}

/** Text in the metadata of every PDF/A. Always uncompressed in PDF/A-1, and nearly always in the other parts. */
const PDFA_ID = "pdfaid";
/**
 * Subtype of metadata streams. A stream's dictionary is never compressed or encrypted (ISO 32000-1, 7.5.7 and 14.3.2).
 */
const METADATA = "/XML";
/** Number of bytes before and after the subtype that certainly contain its dictionary. */
const NEARBY = 256;

/** Reports whether the file might declare conformance. Only then is the original validated. */
async function mayConform(input: FileInput): Promise<boolean> {
  let end = "";
  for await (const chunk of input.size <= SMALL_BYTES ? [await input.bytes()] : input.stream()) {
    const text = end + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
    if (text.includes(PDFA_ID) || hasFilteredMetadata(text)) return true;
    end = text.slice(-2 * NEARBY);
  }
  return false;
}

function hasFilteredMetadata(text: string): boolean {
  for (let at = text.indexOf(METADATA); at >= 0; at = text.indexOf(METADATA, at + 1)) {
    if (text.slice(Math.max(0, at - NEARBY), at + NEARBY).includes("/Filter")) return true;
  }
  return false;
}

/** Assessment of an original that conforms and is returned unchanged. */
const UNTOUCHED: Assessment = {
  validation: { valid: true, failures: [] },
  comparison: { compared: 0, furthest: { mean: 0, worst: 0 }, differences: [] },
};

async function judge(
  original: FileInput,
  candidate: GeneratedFile,
  looking: RenderTask | undefined,
  workshop: ConversionContext,
): Promise<Assessment> {
  const comparing = workshop.compare(original, candidate, looking);
  const [validation, comparison] = await Promise.all([workshop.validate(candidate), comparing]);
  return { validation, comparison };
}

/**
 * Reports whether one candidate is better than another. Similarity to the original counts more than validity, because
 * page images can repair the remaining violations.
 */
function isNearer(one: Assessment, other: Assessment): boolean {
  const faults = ({ validation, comparison }: Assessment) => [
    comparison.differences.length,
    validation?.failures.length ?? Number.POSITIVE_INFINITY,
  ];
  const [differences, failures] = faults(one);
  const [otherDifferences, otherFailures] = faults(other);
  return differences! < otherDifferences! || (differences === otherDifferences && failures! < otherFailures!);
}

/** Summarizes an assessment for the log. */
function summary({ validation, comparison }: Assessment): Record<string, unknown> {
  const rules = validation?.failures.map(({ clause, test, places }) => `${clause}-${test} (${places.length})`);
  return { rules: rules?.slice(0, 20) ?? "unreadable", differences: comparison.differences.slice(0, 5) };
}

/** Maximum number of reported pages per rule. */
const TOLD_PAGES = 20;
const TOLD_RULES = 20;

/** Returns the failure of a file that was made of an accepted candidate, and does not conform. */
export function failsAsNonconforming(validation: Validation | undefined, level: ValidatedLevel): EngineFailure {
  const nonconformity = nonconformityOf({ validation }, { level });
  return new EngineFailure("nonconforming", JSON.stringify(nonconformity), { nonconformity });
}

function nonconformityOf(
  { validation, comparison }: Pick<Assessment, "validation"> & Partial<Assessment>,
  { level }: { readonly level: ValidatedLevel },
): Nonconformity {
  const rules = (validation?.failures ?? []).slice(0, TOLD_RULES).map(({ clause, test, places }): BrokenRule => {
    const pages = new Set(places.flatMap(({ pageNumber }) => (pageNumber === undefined ? [] : [pageNumber])));
    return { clause, test, pageNumbers: [...pages].sort((one, other) => one - other).slice(0, TOLD_PAGES) };
  });
  const changedPages = (comparison?.differences ?? []).slice(0, TOLD_PAGES).map(({ pageNumber }) => pageNumber);
  return { standard: levelName(level), rules, changedPages };
}
