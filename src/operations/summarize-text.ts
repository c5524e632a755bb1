// Summarizes a text, or the Markdown of a PDF, with the operator's language model. Yields one output.
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { integer } from "../document/contract/parameters/number.ts";
import { SUMMARY_FORMATS, summarize } from "../document/language/summarize.ts";
import { MODEL_PARAMETERS, withModel } from "./with-model.ts";

const parameters = {
  targetWordCount: parameter(
    "Number of words that the summary has about.",
    integer({ min: 1, max: LIMITS.summaryWords }),
    "400",
  ),
  summaryFormat: parameter("What the summary looks like.", choice(SUMMARY_FORMATS), "overview"),
  ...MODEL_PARAMETERS,
};

const run: Run<Params<typeof parameters>> = (inputs, params, context) =>
  withModel(inputs, params, context, async (text, model) => {
    const summary = text === "" ? "" : await summarize(text, params, model, context.signal);
    return { text: summary, data: { summary } };
  });

export const summarizeText = defineOperation({ name: "summarize-text", parameters, run });
