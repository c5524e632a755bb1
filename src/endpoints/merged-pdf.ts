// Declares /merged-pdf, which merges documents, or selected pages of them, into one PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import { type Input, type Step, stepOf } from "../document/contract/operation.ts";
import { mergePdfs } from "../operations/merge-pdfs.ts";
import { OPEN_PASSWORD } from "../service/http/contract/declaration/open-password.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";
import { documentTypeOf } from "../service/http/requests/document-type.ts";
import { edgeJob, type JobPlan, stepsJob } from "../service/placement/placement.ts";
import { pdf } from "./pdf.ts";
import { alternatives } from "./steps/alternatives.ts";

export const mergedPdf = defineEndpoint({
  path: "/merged-pdf",
  ...{ verb: "merge", title: "Merge", group: "Make a PDF" },
  joinedName: "merged",
  variants: ["private", "keyed"],
  summary: "Merges PDFs and other documents, or chosen pages of them, into one PDF.",
  example: { "pages[]": ["1-3", "all"] },
  inputs: {
    file: {
      ...{
        kind: "several",
        description: "PDF, or another document that /pdf takes",
        accepts: mayBePdf,
        converts: true,
      },
      ...{ webPages: true, orderedBy: "type", perInput: ["pages"] },
    },
  },
  operation: mergePdfs,
  output: { kind: "files", naming: "name", type: "application/pdf" },
  allowsLargerUploads: true,
  extraFields: ["substitutedFonts"],
  errors: [outOfRange("pages[]", "0")],
  async createJob(params, { inputs, openPassword }) {
    const [first, ...others] = await conversionOf(inputs, openPassword);
    if (!first) return edgeJob(mergePdfs, params);
    const begins = { step: 0, takes: "all" } as const;
    return stepsJob([first, ...others, { ...stepOf(mergePdfs, params), begins }]);
  },
});

/** Returns the steps that convert the inputs that are not PDFs, with the defaults of /pdf, and with the password. */
async function conversionOf(inputs: readonly Input[], password: string | undefined): Promise<readonly Step[]> {
  const jobs: (JobPlan | undefined)[] = [];
  for (const input of inputs) jobs.push((await needsConversion(input)) ? await jobOf(input, password) : undefined);
  return alternatives(jobs, inputs, 0);
}

/** A file that is no document is left to the merge, whose error names it. */
const needsConversion = async (input: Input): Promise<boolean> =>
  input.detectedType !== "application/pdf" && (await documentTypeOf(input)) !== "none";

async function jobOf(input: Input, password: string | undefined): Promise<JobPlan> {
  const fields = new Map(password === undefined ? [] : [[OPEN_PASSWORD, [password]]]);
  return pdf.parse({ fields }, { output: "merged" }).prepare([input], {});
}
