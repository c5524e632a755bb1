// The common part of endpoints with a language model.
import { mayBePdf } from "../../document/contract/media-type.ts";
import type { Operation } from "../../document/contract/operation.ts";
import type { Params } from "../../document/contract/parameter.ts";
import { pdfToMarkdown } from "../../operations/pdf-to-markdown.ts";
import type { MODEL_PARAMETERS } from "../../operations/with-model.ts";
import type { PrepareContext } from "../../service/http/contract/endpoint.ts";
import { modelFailed, modelUnavailable, outOfRange } from "../../service/http/contract/errors.ts";
import { edgeJob, type JobPlan, streamingJob } from "../../service/placement/placement.ts";

/** The properties that the declarations of these endpoints share. */
export const WITH_MODEL = {
  group: "Read a PDF",
  variants: ["private", "keyed"],
  needsModel: true,
  inputs: { file: { kind: "one", description: "PDF or a text (Markdown, plain)", accepts: mayBePdf, mayBeText: true } },
  allowsLargerUploads: true,
  mayRecognize: "asked",
} as const;

export const MODEL_ERRORS = [
  ...[outOfRange("ocr_languages", "Latin"), outOfRange("pages", "1-999")],
  ...[modelFailed(), modelUnavailable()],
];

/** Returns a job whose operation reads a text, or the Markdown of a PDF. Only this process has the language model. */
export function modelJob<P extends Params<typeof MODEL_PARAMETERS>>(
  operation: Operation<P>,
  params: P,
  { inputs: [input] }: Pick<PrepareContext, "inputs">,
): JobPlan {
  const last = streamingJob<P>(operation, params);
  if (/^text\/(?:plain|markdown)$/.test(input?.detectedType ?? "")) return { ...last, isText: true };
  return { ...edgeJob(pdfToMarkdown, { pages: params.pages, pageBreakComments: false }), last: last.steps[0] };
}
