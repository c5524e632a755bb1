// Declares /summarized-pdf-text, which summarizes a document with the operator's language model.
import { summarizeText } from "../../operations/summarize-text.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { MODEL_ERRORS, modelJob, WITH_MODEL } from "./model-job.ts";

export const summarizedPdfText = defineEndpoint({
  path: "/summarized-pdf-text",
  ...{ verb: "summarize", title: "Summarize" },
  ...WITH_MODEL,
  summary: "Summarizes a PDF or a text with a language model.",
  operation: summarizeText,
  output: {
    ...{ kind: "data", type: "application/json", otherTypes: ["text/markdown", "text/plain"], mayBeFile: true },
    schema: { summary: { type: "string" } },
  },
  errors: MODEL_ERRORS,
  createJob: (params, context) => modelJob(summarizeText, params, context),
});
