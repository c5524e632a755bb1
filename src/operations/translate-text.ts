// Translates a text, or the Markdown of a PDF, with the operator's language model. Yields one output.
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { targetLanguage } from "../document/contract/parameters/language.ts";
import { translate } from "../document/language/translate.ts";
import { MODEL_PARAMETERS, withModel } from "./with-model.ts";

const parameters = {
  outputLanguage: parameter(
    "The language to translate to: a code of ISO 639, also with a script or a region.",
    targetLanguage,
  ),
  ...MODEL_PARAMETERS,
};

const run: Run<Params<typeof parameters>> = (inputs, params, context) =>
  withModel(inputs, params, context, async (source, model) => {
    const { outputLanguage: language, outputFormat } = params;
    const { text, sourceLanguages } = await translate(source, { language, outputFormat }, model, context.signal);
    return { text, data: { translated_text: text, source_languages: sourceLanguages, output_language: language } };
  });

export const translateText = defineOperation({ name: "translate-text", parameters, run });
