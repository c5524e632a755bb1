// The endpoints that print and draw web pages, with what only the foreign routes can say: paper of any size, a margin for
// each side, one long sheet, pictures in WebP, and templates with Markdown texts.

import * as z from "zod";
import { type Step, stepOf } from "../document/contract/operation.ts";
import { type PageSelection, parsePages } from "../document/contract/pages.ts";
import { optional } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { jpg } from "../endpoints/images/jpg.ts";
import { png } from "../endpoints/images/png.ts";
import { pdf } from "../endpoints/pdf.ts";
import { htmlToPicture } from "../operations/html-to-picture.ts";
import { type MergePdfsParams, mergePdfs } from "../operations/merge-pdfs.ts";
import { fillTemplate, MARKDOWN } from "../operations/to-pdf/fill-template.ts";
import { htmlToPdf } from "../operations/to-pdf/html-to-pdf.ts";
import type { Endpoint } from "../service/http/contract/endpoint.ts";
import { wrongType } from "../service/http/contract/errors.ts";
import { readFields } from "../service/http/contract/fields.ts";
import { edgeJob, type JobPlan } from "../service/placement/placement.ts";

const side = z.number().min(0).max(14_400);
/** Lengths are in points. */
const printingSchema = z.strictObject({
  paper: z.object({ width: z.number().min(1).max(14_400), height: z.number().min(1).max(14_400) }),
  margin: z.object({ top: side, right: side, bottom: side, left: side }),
  /** True if the size of an `@page` rule takes precedence over the paper. */
  hasOwnSize: z.boolean(),
  isOneSheet: z.boolean().exactOptional(),
});
type Printing = z.infer<typeof printingSchema>;
const settingsSchema = z.union([printingSchema, z.strictObject({ format: z.literal("webp") })]);
export type PageSettings = z.infer<typeof settingsSchema>;

const FIELDS = {
  page_settings: optional(
    "Paper and margins, or the format of a picture.",
    json(settingsSchema, { name: "PageSettings" }),
  ),
};

/** PDFs among the documents are passed on. */
const PDF = "application/pdf";
const PAGES = { pages: optional("The pages to keep.", { ...listedPages, joint: "," }) };
const ALL = parsePages("1-last")!;

const MARKDOWN_FILES = {
  markdown_files: { kind: "one", role: MARKDOWN, isList: true, isOptional: true, description: "Markdown texts" },
} as const;

function withSettings(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    inputs: { ...endpoint.inputs, ...MARKDOWN_FILES },
    fields: { ...endpoint.fields, ...FIELDS },
    failures: {
      ...endpoint.failures,
      unsupported: (failure) =>
        failure.why ? wrongType(failure.why) : (endpoint.failures?.unsupported?.(failure) ?? wrongType()),
    },
    parse(form, defaults) {
      const parsed = endpoint.parse(form, defaults);
      const { page_settings: settings } = readFields(FIELDS, form, {});
      const { pages } = readFields(PAGES, form, {});
      return {
        ...parsed,
        async prepare(inputs, jobSettings) {
          const [input] = inputs;
          if (endpoint === pdf && input?.detectedType === PDF)
            return capped(edgeJob(mergePdfs, { pages: [pages ?? ALL] }));
          const isTemplate = inputs.some(({ role }) => role === MARKDOWN);
          const job = await parsed.prepare(inputs, jobSettings);
          return filled(capped(settings ? changed(job, settings) : job), isTemplate);
        },
      };
    },
  };
}

/** LibreOffice and Chromium end a range at the last page, so that `1-5` also prints a shorter document. */
function capped(job: JobPlan): JobPlan {
  const cap = (step: Step): Step => {
    if (step.operation.name !== mergePdfs.name) return step;
    const { pages } = step.params as MergePdfsParams;
    const ranges = (items: PageSelection["items"]) =>
      items.map((item) => (typeof item === "string" ? item : { ...item, isCapped: true }));
    return { ...step, params: { pages: pages.map((one) => ({ ...one, items: ranges(one.items) })) } };
  };
  const [first, ...others] = job.steps;
  return { ...job, steps: [cap(first), ...others.map(cap)] };
}

/** Changes the parameters of the operation that prints or draws a page. */
function changed(job: JobPlan, settings: PageSettings): JobPlan {
  const { name } = "format" in settings ? htmlToPicture : htmlToPdf;
  const own = "format" in settings ? settings : printing(settings);
  const change = (step: Step): Step =>
    step.operation.name === name ? { ...step, params: { ...(step.params as object), ...own } } : step;
  const [first, ...others] = job.steps;
  return { ...job, steps: [change(first), ...others.map(change)] };
}

/** The browser lets margins of `@page` rules take precedence in any case. */
const printing = ({ paper, margin, hasOwnSize, isOneSheet }: Printing) => ({
  ...{ paper, margin, ownPages: { size: hasOwnSize, margin: true } },
  ...(isOneSheet ? { isOneSheet } : {}),
});

const filled = (job: JobPlan, isTemplate: boolean): JobPlan =>
  isTemplate ? { ...job, steps: [stepOf(fillTemplate, {}), ...job.steps] } : job;

export const PAGE_ENDPOINTS: readonly Endpoint[] = [pdf, png, jpg].map(withSettings);
