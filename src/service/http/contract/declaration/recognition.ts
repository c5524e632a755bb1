// Adds the fields with which a client has the text of scanned pages recognized before an operation reads the document.

import * as z from "zod";
import { type EngineFailure, NO_ENGINE } from "../../../../document/contract/failure.ts";
import { stepOf } from "../../../../document/contract/operation.ts";
import { type PageSelection, parsePages } from "../../../../document/contract/pages.ts";
import { onlyWith, type Parameters, parameter } from "../../../../document/contract/parameter.ts";
import { wordFor } from "../../../../document/contract/parameters/choice.ts";
import { onOff } from "../../../../document/contract/parameters/on-off.ts";
import { REFUSED } from "../../../../operations/recognition-steps/refuse-scans.ts";
import { type RecognizeTextParams, recognizeText } from "../../../../operations/recognize-text.ts";
import type { JobPlan } from "../../../placement/placement.ts";

const OCR = "ocr";
const LANGUAGES = "ocr_languages";

type Value = boolean | "auto";
const automatic = wordFor<Value>({ auto: "auto", on: true, off: false }, z.union([z.boolean(), z.literal("auto")]));

/** The fields by name. @param kind `automatic` if pages without text are recognized unless the client turns it off */
export const recognitionFields = (kind: "asked" | "automatic"): Parameters => ({
  [OCR]:
    kind === "asked"
      ? parameter("On to recognize the text of scans and pictures first (OCR).", onOff, "off")
      : parameter("Auto to recognize the text of scans first (OCR), on to read pictures, too.", automatic, "auto"),
  [LANGUAGES]: onlyWith(OCR, kind === "asked" ? "on" : ["on", "auto"], recognizeText.parameters.languages),
});

/**
 * Returns a job that first recognizes text, if the client wants it. The job runs in the container.
 * @param values the values of {@link recognitionFields}, and of `pages` if only these pages are read
 */
export function recognizing(job: JobPlan, values: Readonly<Record<string, unknown>>): JobPlan {
  if (job.isText) return job;
  if (values[OCR] === "auto") return recognizingScans(job, values);
  if (values[OCR] !== true) return job;
  return recognized(job, values, values.pages as PageSelection | undefined);
}

function recognized(job: JobPlan, values: Readonly<Record<string, unknown>>, pages?: PageSelection): JobPlan {
  const languages = values[LANGUAGES] as RecognizeTextParams["languages"];
  const params = { languages, ...(pages ? { pages } : {}) };
  return { ...job, steps: [stepOf(recognizeText, params), ...job.steps], backends: ["container"] };
}

/**
 * Returns a job that first tries if its last step refuses the document because of scans. Only then their text is
 * recognized; where this is not possible, the step takes them as they are.
 */
function recognizingScans(job: JobPlan, values: Readonly<Record<string, unknown>>): JobPlan {
  const last = job.steps.at(-1)!;
  const withScans = (scans: string): JobPlan => ({
    ...job,
    steps: [{ ...last, params: { ...Object(last.params), scans } }],
  });
  const otherwise = ({ reason, feature = "" }: EngineFailure): JobPlan | undefined => {
    const pages = reason === "scanned" ? parsePages(feature) : undefined;
    if (!pages) return undefined;
    const reading = recognized(withScans(feature), values, pages);
    return { ...job, first: { job: reading, otherwise: (failure) => (isOverload(failure) ? undefined : job) } };
  };
  return { ...job, first: { job: withScans(REFUSED), otherwise } };
}

const isOverload = ({ reason, feature }: EngineFailure): boolean =>
  reason === "lost" || (reason === "busy" && feature !== NO_ENGINE);
