// Makes an HTML page of a text, a table, data, an e-mail or a web archive. Nothing that the document refers to is loaded.

import { EngineFailure } from "../../document/contract/failure.ts";
import { stem } from "../../document/contract/file-name.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { countedNotices, type Notice } from "../../document/contract/notice.ts";
import { defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import { readSeparatedValues } from "../../document/formats/csv/read.ts";
import type { Mail } from "../../document/formats/mail/mail.ts";
import { readMail } from "../../document/formats/mail/read.ts";
import { readWebArchive } from "../../document/formats/mhtml/read.ts";
import { readMsg } from "../../document/formats/msg/read.ts";
import { decodeText } from "../../document/formats/text/decode.ts";
import { archivePage } from "../../document/texts/archive-page.ts";
import { type DataLine, dataBody, dataStyles } from "../../document/texts/data-lines.ts";
import { jsonHierarchy, jsonSource, jsonTokens } from "../../document/texts/json-lines.ts";
import { mailPage, mailStyles } from "../../document/texts/mail-page.ts";
import { markdownPage, markdownStyles } from "../../document/texts/markdown-page.ts";
import { type PageLayout, pageOf } from "../../document/texts/page.ts";
import { plainTextBody, plainTextStyles } from "../../document/texts/plain-text.ts";
import { tablePage } from "../../document/texts/table-page.ts";
import { isXml, xmlHierarchy, xmlSource } from "../../document/texts/xml-lines.ts";
import { FONT } from "../to-pdf/fonts.ts";
import { PART } from "../to-pdf/html-to-pdf.ts";
import { textToHtml as signature, type TextKind, type TextToHtmlParams } from "../to-pdf/text-to-html.ts";
import { MarkdownImages } from "./markdown-images.ts";

/** The content of a page. */
interface Content {
  /** Title in the document itself. @default the file name */
  readonly title?: string | undefined;
  /** @default the layout of the request; none for a web page, whose size the browser chooses */
  readonly layout?: PageLayout;
  readonly styles: string;
  readonly body: Iterable<string>;
  /** Further parts of the document, which are printed for themselves. */
  readonly parts?: readonly Iterable<string>[];
  readonly notices?: readonly Notice[];
  readonly attachments?: readonly { readonly name: string; readonly body: Uint8Array | Iterable<Uint8Array> }[];
}

/** Lines of data on a page. */
const MOST_LINES = LIMITS.dataLines;
const XML_ENCODING = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/;

/** @throws EngineFailure `too-complex` beyond the limits, `unsupported` for a document that cannot be read */
const run: Run<TextToHtmlParams> = async function* (inputs, params, context) {
  const [input] = inputs;
  if (!input || input.size === 0) throw new EngineFailure("unsupported", "an empty file");
  const {
    title,
    layout,
    styles,
    body,
    parts = [],
    notices = [],
    attachments = [],
  } = await contentOf(input, inputs, params);
  const page = {
    title: params.options.title ?? title ?? stem(input.name),
    language: params.options.language,
    layout: params.kind === "web-archive" ? undefined : (layout ?? { ...params.paper, margin: params.margin }),
    styles,
    body,
  };
  const { kind } = params;
  context.log("page made of text", {
    kind,
    bytes: input.size,
    parts: parts.length + 1,
    attachments: attachments.length,
  });
  yield { extension: "html", type: "text/html", body: pageOf(page), notices: () => notices };
  for (const part of parts) {
    const further = pageOf({ ...page, body: part });
    yield { extension: "html", name: "page.html", role: PART, type: "text/html", body: further };
  }
  for (const font of inputs.filter(({ role }) => role === FONT)) {
    yield { extension: "ttf", name: font.name, role: FONT, type: "font/ttf", body: font.stream() };
  }
  if (!params.appends) return;
  for (const { name, body: content } of attachments) {
    yield { extension: "bin", name, role: "attachment", type: "application/octet-stream", body: content };
  }
};

async function contentOf(input: Input, inputs: readonly Input[], params: TextToHtmlParams): Promise<Content> {
  const bytes = await input.bytes();
  try {
    return await READERS[params.kind](bytes, params, inputs);
  } catch (error) {
    // A parser that calls itself for each level of a structure.
    if (error instanceof RangeError) throw new EngineFailure("too-complex", String(error), { cause: error });
    throw error;
  }
}

type Reader = (bytes: Uint8Array, params: TextToHtmlParams, inputs: readonly Input[]) => Content | Promise<Content>;

const READERS: Readonly<Record<TextKind, Reader>> = {
  text: (bytes, params) => plain(textOf(bytes), params),
  table: (bytes, params) => table(textOf(bytes, undefined, LIMITS.csvLength), params),
  markdown: (bytes, params, inputs) => markdown(textOf(bytes), params, inputs),
  json: (bytes, params) => json(textOf(bytes), params),
  xml: (bytes, params) => xml(textOf(bytes, declaredIn(bytes)), params),
  mail: async (bytes, params) => mail(await readMail(bytes), params),
  msg: (bytes, params) => mail(readMsg(bytes), params),
  "web-archive": async (bytes) => {
    const { title, html, missingImages } = archivePage(await readWebArchive(bytes));
    return { title, styles: "", body: [html], notices: countedNotices("images-not-loaded", missingImages) };
  },
};

/** @throws EngineFailure `too-complex` for a text that is too long */
function textOf(bytes: Uint8Array, declared?: string, most: number = LIMITS.textLength): string {
  const text = decodeText(bytes, declared);
  if (text.length <= most) return text;
  throw new EngineFailure("too-complex", `${text.length} characters`, {
    why: `A text can have at most ${most.toLocaleString("en-US")} characters.`,
  });
}

const declaredIn = (bytes: Uint8Array): string | undefined =>
  XML_ENCODING.exec(Buffer.from(bytes.subarray(0, 300)).toString("latin1"))?.[1];

function plain(text: string, { options }: TextToHtmlParams): Content {
  const isReflowed = options.plain_text?.line_handling === "reflow";
  return { styles: plainTextStyles(options.style ?? {}, isReflowed), body: plainTextBody(text, isReflowed) };
}

function table(text: string, { options, paper, margin, isTurnable }: TextToHtmlParams): Content {
  const { csv = {}, style = {} } = options;
  const values = readSeparatedValues(text, csv.delimiter);
  return tablePage(values, {
    look: style.table ?? {},
    columns: csv.columns ?? [],
    hasHeader: csv.first_row_is_header ?? true,
    typography: style,
    layout: { ...paper, margin },
    isTurnable,
  });
}

async function markdown(text: string, params: TextToHtmlParams, inputs: readonly Input[]): Promise<Content> {
  const { options, tagged } = params;
  const images = await MarkdownImages.of(
    inputs.filter(({ role }) => role === "image"),
    options.markdown ?? {},
  );
  const { title, html } = markdownPage(text, images, options.include_unrendered_html ?? false);
  const { style = {} } = options;
  return {
    title,
    styles: markdownStyles(style, style.table ?? {}),
    body: [html],
    notices: images.notices(tagged),
  };
}

/** A text that is not JSON is printed as it is. */
function json(text: string, params: TextToHtmlParams): Content {
  const tokens = jsonTokens(text.replace(/^\ufeff/, ""));
  if (!tokens) return plain(text, params);
  const { isOutline } = presentationOf(params);
  return data(isOutline ? jsonHierarchy(tokens) : jsonSource(tokens), params);
}

function xml(text: string, params: TextToHtmlParams): Content {
  if (!isXml(text)) return plain(text, params);
  const { isOutline } = presentationOf(params);
  return data(isOutline ? xmlHierarchy(text) : xmlSource(text), params);
}

const presentationOf = ({ options }: TextToHtmlParams) => ({ isOutline: options.data_presentation === "hierarchy" });

function data(lines: Iterable<DataLine>, params: TextToHtmlParams): Content {
  const limited = function* (): Generator<DataLine> {
    let count = 0;
    for (const line of lines) {
      if (++count > MOST_LINES) {
        throw new EngineFailure("too-complex", `more than ${MOST_LINES} lines`, {
          why: `Data can have at most ${MOST_LINES.toLocaleString("en-US")} lines.`,
        });
      }
      yield line;
    }
  };
  const { isOutline } = presentationOf(params);
  return { styles: dataStyles(params.options.style ?? {}, !isOutline), body: dataBody(limited()) };
}

function mail(message: Mail, params: TextToHtmlParams): Content {
  const { body, missingImages, attachments } = mailPage(message);
  return {
    title: message.subject || undefined,
    styles: mailStyles(params.options.style ?? {}),
    body,
    notices: countedNotices("images-not-loaded", missingImages),
    attachments: attachments.map((one) => ({
      name: one.mail ? `${one.name}.html` : one.name || "attachment",
      body: one.mail ? innerPage(one.mail, params) : one.bytes,
    })),
  };
}

/** Yields the page of an e-mail that is attached to another one. */
function innerPage(message: Mail, params: TextToHtmlParams): Iterable<Uint8Array> {
  const { title = "", styles, body } = mail(message, params);
  return pageOf({ title, layout: { ...params.paper, margin: params.margin }, styles, body });
}

export const textToHtml = defineOperation({ ...signature, run });
