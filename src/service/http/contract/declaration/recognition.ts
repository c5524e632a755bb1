// Adds the fields with which a client has the text of scanned pages recognized before an operation reads the document.

import { stepOf } from "../../../../document/contract/operation.ts";
import type { PageSelection } from "../../../../document/contract/pages.ts";
import { onlyWith, type Parameters, parameter } from "../../../../document/contract/parameter.ts";
import { onOff } from "../../../../document/contract/parameters/on-off.ts";
import { type RecognizeTextParams, recognizeText } from "../../../../operations/recognize-text.ts";
import type { JobPlan } from "../../../placement/placement.ts";

const OCR = "ocr";
const LANGUAGES = "ocr_languages";

/** The fields by name. */
export const RECOGNITION_FIELDS: Parameters = {
  [OCR]: parameter("On to recognize the text of scans and pictures first (OCR).", onOff, "off"),
  [LANGUAGES]: onlyWith(OCR, "on", recognizeText.parameters.languages),
};

/**
 * Returns a job that first recognizes text, if the client wants it. The job runs in the container.
 * @param values the values of {@link RECOGNITION_FIELDS}, and of `pages` if only these pages are read
 */
export function recognizing(job: JobPlan, values: Readonly<Record<string, unknown>>): JobPlan {
  if (values[OCR] !== true || job.isText) return job;
  const languages = values[LANGUAGES] as RecognizeTextParams["languages"];
  const pages = values.pages as PageSelection | undefined;
  const params = { languages, ...(pages ? { pages } : {}) };
  return { ...job, steps: [stepOf(recognizeText, params), ...job.steps], backends: ["container"] };
}
