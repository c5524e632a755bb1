// Declares /pdf, which converts documents of many types to PDF.

import { type Input, type OperationDeclaration, stepOf } from "../document/contract/operation.ts";
import type { PageSelection } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { addressIn } from "../document/contract/web-url.ts";
import type { JobOptions } from "../document/formats/job-options/settings.ts";
import { declarePdfua } from "../operations/declare-pdfua.ts";
import { mergePdfs } from "../operations/merge-pdfs.ts";
import { requireProfile } from "../operations/require-profile.ts";
import { heifToPdf } from "../operations/to-pdf/heif-to-pdf.ts";
import { ASSET, type HtmlToPdfParams, htmlToPdf } from "../operations/to-pdf/html-to-pdf.ts";
import { imageToPdf } from "../operations/to-pdf/image-to-pdf.ts";
import type { OfficeOptions } from "../operations/to-pdf/office-options.ts";
import { officeToPdf } from "../operations/to-pdf/office-to-pdf.ts";
import { postscriptToPdf } from "../operations/to-pdf/postscript-to-pdf.ts";
import { svgToPdf } from "../operations/to-pdf/svg-to-pdf.ts";
import { TEXT_KINDS, type TextKind } from "../operations/to-pdf/text-to-html.ts";
import { defineEndpoint, type PrepareContext } from "../service/http/contract/endpoint.ts";
import {
  fieldTooLarge,
  invalidJobOptions,
  nonconforming,
  notAWebPage,
  outOfRange,
  unreachable,
  unsupportedFile,
  wrongType,
} from "../service/http/contract/errors.ts";
import { readFields } from "../service/http/contract/fields.ts";
import { documentTypeOf, mediaTypeOfInput, typeOfStart } from "../service/http/requests/document-type.ts";
import type { DocumentType } from "../service/http/requests/document-types.ts";
import { mismatch } from "../service/http/requests/mismatch.ts";
import {
  containerJob,
  edgeJob,
  type JobPlan,
  stepsJob,
  streamingJobWithFallback,
} from "../service/placement/placement.ts";
import { checkFonts, FONT_FILES } from "./pdf/font-files.ts";
import { ASSETS, HTML_ERRORS, HTML_FIELDS, printing } from "./pdf/html-fields.ts";
import { JOB_OPTIONS, jobOptionsIn } from "./pdf/job-options.ts";
import { isLargeTable } from "./pdf/large-table.ts";
import { OFFICE_FIELDS, officeOptionsIn } from "./pdf/office-fields.ts";
import { TEXT_FIELDS, TEXT_IMAGES, textJob } from "./pdf/text-job.ts";
import { visitIn } from "./pdf/visit-fields.ts";

/** Operations for the document types that only the container can convert. */
const CONTAINER_ONLY: { readonly [type in DocumentType]?: Pick<OperationDeclaration<unknown>, "internet"> } = {
  office: officeToPdf,
  postscript: postscriptToPdf,
  html: htmlToPdf,
  "html-archive": htmlToPdf,
  "web-page": htmlToPdf,
  ...Object.fromEntries(TEXT_KINDS.map((kind) => [kind, htmlToPdf])),
  heif: heifToPdf,
  svg: svgToPdf,
};

const TAKES =
  "Word, Excel, PowerPoint, OpenDocument or RTF document, PostScript, EPS, HTML, a zip archive with index.html, " +
  "web archive (MHTML), Markdown, text, CSV, JSON, XML, e-mail (EML, MSG), or an image (JPEG, PNG, TIFF, BMP, GIF, " +
  "WebP, HEIC, AVIF, SVG)";
const NO_PAGE = "The archive has no page: index.html at its top, or in the only folder at its top.";
const UNREADABLE = "It is damaged, or its content is not what its name says.";

const parameters = {
  compression: parameter("Compression of images.", choice(["lossy", "lossless"]), "lossy"),
  downsample: parameter(
    "Maximum resolution of images, in dots per inch; off keeps their resolution.",
    choice(["75", "150", "300", "600", "1200", "off"]),
    "300",
  ),
  tagged_pdf: parameter(
    "Tags the PDF (Office documents and HTML). For HTML, this also adds an outline of the headings.",
    onOff,
    "off",
  ),
  pdfua: parameter(
    "Makes a tagged PDF that conforms to PDF/UA-1, which veraPDF validates (Office documents and HTML).",
    onOff,
    "off",
  ),
  ...HTML_FIELDS,
  ...TEXT_FIELDS,
  ...OFFICE_FIELDS,
};

const DEVICE = { web_layout: HTML_FIELDS.web_layout };

export const pdf = defineEndpoint({
  path: "/pdf",
  ...{ verb: "pdf", title: "Convert to PDF", group: "Make a PDF" },
  keeps: "pages",
  variants: ["private", "keyed"],
  summary: "Converts a document to PDF.",
  example: { file: "report.docx", compression: "lossless" },
  inputs: {
    file: { kind: "one", webPages: true, description: TAKES, othersAs: "asset_files" },
    asset_files: { kind: "one", description: ASSETS, role: ASSET, isOptional: true, isList: true },
    ...TEXT_IMAGES,
    ...JOB_OPTIONS,
    ...FONT_FILES,
  },
  parameters,
  visitIn: (form) => ({ ...visitIn(form), device: readFields(DEVICE, form, {}).web_layout }),
  openPasswordAlias: "password",
  output: { kind: "files", naming: "name", type: "application/pdf" },
  extraFields: ["substitutedFonts"],
  errors: [
    outOfRange("downsample", "100"),
    ...[invalidJobOptions(), outOfRange("job_options.CompatibilityLevel", "9"), fieldTooLarge("job_options")],
    outOfRange("sheets[]", "Prices"),
    unsupportedFile("lossless JPEG"),
    unreachable(),
    notAWebPage(),
    nonconforming({ standard: "PDF/UA-1", rules: [], changedPages: [] }),
    ...HTML_ERRORS,
  ],
  failures: {
    damaged: () => wrongType(UNREADABLE),
    unsupported: ({ feature }) => (feature === undefined ? wrongType(UNREADABLE) : unsupportedFile(feature)),
  },
  prewarmFor: (start, name) => CONTAINER_ONLY[typeOfStart(start, name)],
  async createJob(sent, { inputs, isSent }) {
    const [input] = inputs;
    const values = { ...sent, tagged_pdf: sent.tagged_pdf || sent.pdfua };
    checkFonts(inputs);
    const images = {
      lossless: values.compression === "lossless",
      ...(values.downsample === "off" ? {} : { maxImageDpi: Number(values.downsample) }),
    };
    // Called for every document type, because it also validates the margins.
    const html = { ...printing(values, { isSent }), tagged: values.tagged_pdf, ...images };
    const office = officeOptionsIn(values, isSent);
    const found = input ? await documentTypeOf(input) : "html";
    const isSheet = found === "table" && !isSent("structured_text_options") && (await isLargeTable(input!));
    const type = isSheet ? "office" : found;
    const jobOptions = await jobOptionsIn(inputs);
    const text = textRequest(values, html, isSent);
    const finishing = (job: JobPlan) => {
      const selected = selecting(job, values.pages);
      return values.pdfua ? accessible(selected, input?.name ?? "document") : selected;
    };
    if (isTextKind(type)) return finishing(textJob({ ...text, kind: type }));
    textJob({ ...text, kind: "text" });
    if (type !== "none") {
      return finishing(await JOBS[type]({ values, images, html, office, input, jobOptions }));
    }
    if (isSent("url")) throw notAWebPage();
    const mediaType = await mediaTypeOfInput(input!);
    if (mediaType === "application/zip") throw wrongType(NO_PAGE);
    throw mismatch({ name: input!.name, size: input!.size, type: mediaType }, TAKES);
  },
});

/** A request to convert a document. */
interface Conversion {
  readonly values: Params<typeof parameters>;
  readonly images: Pick<HtmlToPdfParams, "lossless" | "maxImageDpi">;
  readonly html: HtmlToPdfParams;
  readonly office: OfficeOptions;
  /** Undefined if only the fields are validated. */
  readonly input: Input | undefined;
  readonly jobOptions: JobOptions | undefined;
}

/** The job for each document type. */
const JOBS: {
  readonly [type in Exclude<DocumentType, TextKind | "none">]: (conversion: Conversion) => JobPlan | Promise<JobPlan>;
} = {
  office: ({ values, images, office }) =>
    containerJob(officeToPdf, { tagged: values.tagged_pdf, ...images, options: office }),
  postscript: ({ images, jobOptions }) =>
    containerJob(postscriptToPdf, { ...images, ...(jobOptions ? { jobOptions } : {}) }),
  image: () => streamingJobWithFallback(imageToPdf, {}),
  tiff: () => edgeJob(imageToPdf, {}),
  webp: ({ images: { lossless } }) => edgeJob(imageToPdf, { lossless }),
  heif: ({ images: { lossless } }) => containerJob(heifToPdf, { lossless }),
  svg: ({ images }) => containerJob(svgToPdf, images),
  html: ({ html }) => containerJob(htmlToPdf, html),
  "html-archive": ({ html }) => containerJob(htmlToPdf, { ...html, isArchive: true }),
  async "web-page"({ html, input }) {
    const address = addressIn(new TextDecoder().decode(await input!.bytes()));
    if (!address) throw wrongType();
    return containerJob(htmlToPdf, { ...html, ...address });
  },
};

/** Returns a job that keeps some pages of another job's PDF. */
const selecting = (job: JobPlan, pages: PageSelection | undefined): JobPlan =>
  pages ? stepsJob([...job.steps, stepOf(mergePdfs, { pages: [pages] })]) : job;

/** Returns a job that declares another job's PDF as PDF/UA-1, if it conforms. */
const accessible = (job: JobPlan, name: string): JobPlan =>
  stepsJob([...job.steps, stepOf(declarePdfua, { name }), stepOf(requireProfile, { profile: "PDF/UA-1" })]);

const isTextKind = (type: DocumentType): type is TextKind => (TEXT_KINDS as readonly string[]).includes(type);

const textRequest = (
  fields: Params<typeof parameters>,
  html: HtmlToPdfParams,
  isSent: PrepareContext["isSent"],
): Omit<Parameters<typeof textJob>[0], "kind"> => ({
  html,
  options: fields.structured_text_options ?? {},
  appends: fields.attachments === "append",
  isOriented: isSent("page_orientation"),
});
