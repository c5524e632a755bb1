// Declares /translated-pdf-text, which translates a document with the operator's language model.
import { translateText } from "../../operations/translate-text.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { unknownLanguage } from "../../service/http/contract/errors.ts";
import { MODEL_ERRORS, modelJob, WITH_MODEL } from "./model-job.ts";

export const translatedPdfText = defineEndpoint({
  path: "/translated-pdf-text",
  ...{ verb: "translate", title: "Translate" },
  ...WITH_MODEL,
  summary: "Translates the text of a PDF, or a text, with a language model.",
  example: { output_language: "de" },
  operation: translateText,
  output: {
    ...{ kind: "data", type: "application/json", otherTypes: ["text/markdown", "text/plain"], mayBeFile: true },
    schema: {
      translated_text: { type: "string" },
      source_languages: {
        type: "array",
        items: { type: "string" },
        description: "Tags of the languages of the document.",
      },
      output_language: { type: "string" },
    },
  },
  errors: [...MODEL_ERRORS, unknownLanguage("output_language")],
  createJob: (params, context) => modelJob(translateText, params, context),
});
