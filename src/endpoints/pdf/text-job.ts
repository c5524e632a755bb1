// The fields of /pdf for texts, tables, data and e-mail, and the job that converts them: an HTML page that is printed.

import { stepOf } from "../../document/contract/operation.ts";
import { optional, parameter } from "../../document/contract/parameter.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { json } from "../../document/contract/parameters/json.ts";
import type { PageSize } from "../../document/contract/parameters/paper.ts";
import { appendAttachments } from "../../operations/to-pdf/append-attachments.ts";
import { type HtmlToPdfParams, htmlToPdf, sidesOf } from "../../operations/to-pdf/html-to-pdf.ts";
import {
  PAGE_SIZES,
  type StructuredTextOptions,
  structuredTextOptions,
} from "../../operations/to-pdf/structured-text-options.ts";
import { type TextKind, type TextToHtmlParams, textToHtml } from "../../operations/to-pdf/text-to-html.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";
import type { FurtherInput } from "../../service/http/contract/input-declaration.ts";
import { type JobPlan, stepsJob } from "../../service/placement/placement.ts";

export const TEXT_FIELDS = {
  structured_text_options: optional(
    "JSON with the title, language, paper, fonts, tables and presentation of texts, CSV, Markdown, JSON and XML.",
    json(structuredTextOptions, { name: "StructuredTextOptions" }),
  ),
  attachments: parameter(
    "Attachments of an e-mail: list names them, append also converts them and adds their pages.",
    choice(["list", "append"]),
    "list",
  ),
};

/** The images to which a Markdown text refers. */
export const TEXT_IMAGES = {
  image_files: {
    kind: "one",
    isList: true,
    isOptional: true,
    description: "Images of a Markdown text (JPEG, PNG, GIF, WebP): by their file names, or by image_sources.",
  },
} as const satisfies Record<string, FurtherInput>;

/** Margins that leave no place for text. */
const MIN_ROOM = 9;

interface TextRequest {
  readonly kind: TextKind;
  readonly html: HtmlToPdfParams;
  readonly options: StructuredTextOptions;
  readonly appends: boolean;
  /** True if the client chose the orientation. */
  readonly isOriented: boolean;
}

/** @throws ServiceError 400 for a member that is impossible with the others */
export function textJob({ kind, html, options, appends, isOriented }: TextRequest): JobPlan {
  const { page_setup: setup = {} } = options;
  const paper = paperOf(setup, html.paper);
  const margin = { ...sidesOf(html.margin), ...setup.margin };
  checkRoom(paper, margin, setup);
  const tagged = options.enable_tagging ?? html.tagged ?? false;
  const isTurnable = setup.orientation === undefined ? !isOriented : setup.orientation === "auto";
  const made: TextToHtmlParams = { kind, paper, margin, isTurnable, tagged, options };
  const printing = { ...html, tagged, isSealed: true };
  const printed = kind === "web-archive" ? printing : { ...printing, ownPages: { size: true, margin: true } };
  const isMail = kind === "mail" || kind === "msg";
  if (!appends || !isMail) return stepsJob([stepOf(textToHtml, made), stepOf(htmlToPdf, printed)]);
  const appending = stepOf(appendAttachments, { printing: printed, text: made });
  return stepsJob([stepOf(textToHtml, { ...made, appends }), appending]);
}

type PageSetup = NonNullable<StructuredTextOptions["page_setup"]>;

function paperOf(setup: PageSetup, asked: PageSize): PageSize {
  const { size, width, height, orientation } = setup;
  const sheet = width && height ? { width, height } : size ? PAGE_SIZES[size] : asked;
  const [short, long] = [Math.min(sheet.width, sheet.height), Math.max(sheet.width, sheet.height)];
  if (orientation === "landscape") return { width: long, height: short };
  return orientation === "portrait" ? { width: short, height: long } : sheet;
}

function checkRoom(paper: PageSize, margin: TextToHtmlParams["margin"], { margin: own }: PageSetup): void {
  const isNarrow =
    paper.width - margin.left - margin.right < MIN_ROOM || paper.height - margin.top - margin.bottom < MIN_ROOM;
  if (!isNarrow) return;
  const [name, value] = own
    ? ["page_setup.margin", JSON.stringify(own)]
    : ["page_setup", `${paper.width} x ${paper.height}`];
  throw outOfRange(`structured_text_options.${name}`, value);
}
