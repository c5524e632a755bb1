// Declares /merged-pdf, which merges documents, or selected pages of them, into one PDF.

import { mayBePdf } from "../document/contract/media-type.ts";
import type { Input, Step } from "../document/contract/operation.ts";
import { stepOf } from "../document/contract/operation.ts";
import { mergePdfs } from "../operations/merge-pdfs.ts";
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
  async createJob(params, { inputs }) {
    const conversion = await conversionOf(inputs);
    if (conversion.length === 0) return edgeJob(mergePdfs, params);
    return stepsJob([
      ...conversion,
      { ...stepOf(mergePdfs, params), begins: { step: 0, takes: "all" } },
    ] as unknown as JobPlan["steps"]);
  },
});

/** Returns the steps that convert the inputs that are not PDFs, with the defaults of /pdf. */
async function conversionOf(inputs: readonly Input[]): Promise<readonly Step[]> {
  const jobs: (JobPlan | undefined)[] = [];
  for (const input of inputs) jobs.push((await documentTypeOf(input)) === "none" ? undefined : await jobOf(input));
  return alternatives(jobs, inputs, 0);
}

const jobOf = async (input: Input): Promise<JobPlan> =>
  pdf.parse({ fields: new Map() }, { output: "merged" }).prepare([input]);
