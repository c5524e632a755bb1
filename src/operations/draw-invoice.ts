// Makes the pages of an electronic invoice: draws them, or takes those of a PDF. Yields the PDF, then the invoice for
// the conversion to PDF/A.
import * as z from "zod";
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { type Context, defineOperation, type Input, type Output, type Run } from "../document/contract/operation.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { languageTag } from "../document/contract/parameters/language.ts";
import { color } from "../document/contract/parameters/loose-json.ts";
import { trueFalse } from "../document/contract/parameters/on-off.ts";
import { DocumentFacts } from "../document/facts/document-facts.ts";
import { drawInvoice as drawPages } from "../document/invoices/drawing/draw-invoice.ts";
import { Formats } from "../document/invoices/drawing/formats.ts";
import { type InvoiceData, readInvoiceData } from "../document/invoices/drawing/invoice-data.ts";
import { LABEL_LANGUAGES, labelsIn, titleOf } from "../document/invoices/drawing/labels.ts";
import { readInvoice } from "../document/invoices/read-invoice.ts";
import { writeMetadata } from "../document/metadata/write-metadata.ts";
import { Budget } from "../document/objects/budget.ts";
import { PdfFile } from "../document/objects/pdf-file.ts";
import { Dictionary, Name } from "../document/objects/values.ts";
import { writeFile } from "../document/objects/writer.ts";
import { addImageForm } from "../document/pages/image-form.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { putPageTree } from "../document/pages/page-tree.ts";
import { fontNamed } from "../document/typesetting/look.ts";
import { Typesetter } from "../document/typesetting/typesetter.ts";
import { readWhole } from "./in-memory.ts";
import { ATTACHMENT } from "./pdf-to-pdfa.ts";

const FONT_NAME = z.string().min(1).max(100);
const renderOptions = json(
  z.object({
    label_language: z.enum(LABEL_LANGUAGES).default("en"),
    locale: languageTag.value.exactOptional(),
    font: FONT_NAME.default("Liberation Sans"),
    bold_font: FONT_NAME.exactOptional(),
    accent_color_rgb: color(3, 255).default([31, 78, 121]),
  }),
  { name: "RenderOptions" },
);

const parameters = {
  regeneratePdf: parameter("Draws the pages, although there is a PDF.", trueFalse, "false"),
  renderOptions: optional("JSON with the look of drawn pages.", renderOptions),
};
export type DrawInvoiceParams = Params<typeof parameters>;
type Options = z.infer<typeof renderOptions.value>;

/** Roles of the inputs after the invoice. */
const PDF = "pdf";
const LOGO = "logo";

const MAX_LINES = 5000;
const MAX_CHARACTERS = 1_000_000;
const BLANK_BYTES = 2 ** 20;

/** @throws EngineFailure `not-an-invoice`; OutOfRange for an unknown font or locale, before any output */
const run: Run<DrawInvoiceParams> = async function* (inputs, params, context) {
  const [input] = inputs;
  const { name } = input!;
  const bytes = await input!.bytes();
  const { root } = readInvoice(bytes, name);
  const pdf = params.regeneratePdf ? undefined : inputs.find(({ role }) => role === PDF);
  if (pdf) yield pdfOutput(pdf.stream());
  else {
    const logo = inputs.find(({ role }) => role === LOGO);
    yield await draw(readInvoiceData(root), logo, renderOptions.value.parse(params.renderOptions ?? {}), context);
  }
  yield { name, role: ATTACHMENT, extension: "xml", type: "application/xml", body: bytes };
};

export const drawInvoice = defineOperation({ name: "draw-invoice", parameters, run });

async function draw(data: InvoiceData, logo: Input | undefined, options: Options, context: Context): Promise<Output> {
  requireDrawable(data);
  const { label_language: language, locale = language, font, bold_font, accent_color_rgb: accent } = options;
  const labels = labelsIn(language);
  using pdf = await openPdf(await blankPdf(), context);
  const facts = new DocumentFacts(pdf, context);
  const typesetter = await Typesetter.open(pdf, context.typefaces, textsIn([data, labels]));
  const look = {
    ...{ labels, formats: formatsOf(locale, data.currency) },
    font: fontNamed(font, "renderOptions.font"),
    boldFont: fontNamed(bold_font ?? `${font} bold`, "renderOptions.bold_font"),
    accent: accent.map((component) => component / 255),
    logo: logo && (await addImageForm(pdf, logo, context.signal)),
  };
  await drawPages(pdf, data, { look, typesetter, signal: context.signal });
  const notices = typesetter.finish();
  const entries = new Map([["Title", `${titleOf(data.type, labels)} ${data.number}`]] as const);
  writeMetadata(pdf.file, facts, { entries, custom: new Map(), language });
  return pdfOutput(writeFile(pdf.file), notices);
}

/** @throws EngineFailure `too-complex` */
function requireDrawable(data: InvoiceData): void {
  const characters = textsIn(data).reduce((sum, { length }) => sum + length, 0);
  for (const [count, limit, things] of [
    [data.lines.length, MAX_LINES, "lines"],
    [characters, MAX_CHARACTERS, "characters"],
  ] as const) {
    const why = `The invoice has ${count} ${things}; ${limit} can be drawn.`;
    if (count > limit) throw new EngineFailure("too-complex", why, { why });
  }
}

/** @throws OutOfRange */
function formatsOf(locale: string, currency: string): Formats {
  try {
    return new Formats(new Intl.Locale(locale).toString(), currency);
  } catch {
    throw new OutOfRange("renderOptions.locale", locale);
  }
}

/** Returns all texts in a value. */
const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : typeof value === "object" && value ? Object.values(value).flatMap(textsIn) : [];

/** Returns a document with one page, which the drawn pages replace. */
function blankPdf(): Promise<Uint8Array> {
  const file = PdfFile.create(new Budget(BLANK_BYTES));
  const page = file.add(Dictionary.of({ Type: Name.of("Page"), MediaBox: [0, 0, 1, 1], Resources: new Dictionary() }));
  file.catalog.set("Pages", putPageTree(file, [page]));
  return readWhole(writeFile(file), BLANK_BYTES);
}
