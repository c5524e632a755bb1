// Extracts the text of a PDF: as a whole or by page, and its words with their styles and places. Yields one output, an
// object in JSON, which is written page by page.
import { EngineFailure } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type JsonSchema, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { DocumentLayout } from "../document/layout/document-layout.ts";
import type { Block, PageLayout } from "../document/layout/lines/blocks.ts";
import type { Hyphens } from "../document/layout/lines/hyphens.ts";
import { brokenText, flowingText } from "../document/layout/lines/plain-text.ts";
import { type WholeWord, wholeWords } from "../document/layout/lines/whole-words.ts";
import { startedPages } from "../document/layout/read-pages.ts";

const parameters = {
  pages: parameter("The pages to read, in this order.", pages, "1-last"),
  fullText: parameter(
    "document for the text as a whole, by_page for the text of each page, off for none.",
    choice(["off", "by_page", "document"]),
    "document",
  ),
  preserveLineBreaks: parameter("On for the lines as they are, off to join the lines of a paragraph.", onOff, "off"),
  wordStyle: parameter("On for the words with their fonts and colors.", onOff, "off"),
  wordCoordinates: parameter("On for the words with the corners of their boxes.", onOff, "off"),
};
export type ExtractTextParams = Params<typeof parameters>;

const POINT: JsonSchema = {
  type: "object",
  properties: { x: { type: "number" }, y: { type: "number" } },
  required: ["x", "y"],
};
const CORNERS = ["topLeft", "topRight", "bottomLeft", "bottomRight"] as const;

/** Schemas of the members of the response. */
export const TEXT_SCHEMAS: Readonly<Record<"fullText" | "words", JsonSchema>> = {
  fullText: {
    oneOf: [
      { type: "string" },
      {
        type: "object",
        properties: {
          pages: {
            type: "array",
            items: {
              type: "object",
              properties: { page: { type: "integer", minimum: 1 }, text: { type: "string" } },
              required: ["page", "text"],
            },
          },
        },
        required: ["pages"],
      },
    ],
  },
  words: {
    type: "array",
    items: {
      type: "object",
      properties: {
        text: { type: "string" },
        page: { type: "integer", minimum: 1 },
        coordinates: {
          type: "object",
          properties: Object.fromEntries(CORNERS.map((corner) => [corner, POINT])),
          required: CORNERS,
        },
        style: {
          type: "object",
          properties: {
            color: {
              type: "object",
              properties: {
                space: { type: "string", enum: ["DeviceRGB"] },
                values: { type: "array", items: { type: "number", minimum: 0, maximum: 1 }, minItems: 3, maxItems: 3 },
              },
              required: ["space", "values"],
            },
            font: {
              type: "object",
              properties: { name: { type: "string" }, size: { type: "number" } },
              required: ["name", "size"],
            },
          },
          required: ["color", "font"],
        },
      },
      required: ["text", "page"],
    },
  },
};

const run: Run<ExtractTextParams> = async function* ([input], params, context) {
  const layout = new DocumentLayout();
  const pages = layout.read(await startedPages(input!, params.pages, context));
  yield { extension: "json", type: "application/json", body: jsonOf(pages, layout.hyphens, params) };
};

/** Writes the members of the response. The text follows the words, which take more memory. */
async function* jsonOf(
  pages: AsyncIterable<PageLayout>,
  hyphens: Hyphens,
  params: ExtractTextParams,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const hasWords = params.wordStyle || params.wordCoordinates;
  const texts = new TextMember(params, hyphens);
  let separator = hasWords ? '{"words":[' : "{";
  for await (const page of pages) {
    texts.add(page);
    if (!hasWords) continue;
    const words = page.blocks.flatMap(wholeWords).map((word) => JSON.stringify(described(word, page.number, params)));
    if (words.length === 0) continue;
    yield encoder.encode(separator + words.join(","));
    separator = ",";
  }
  if (hasWords) yield encoder.encode(separator === "," ? "]" : `${separator}]`);
  if (params.fullText !== "off") {
    yield encoder.encode(hasWords ? ',"fullText":' : '{"fullText":');
    yield* texts.chunks();
  }
  yield encoder.encode(hasWords || params.fullText !== "off" ? "}" : "{}");
}

/** The text as JSON, encoded page by page. */
class TextMember {
  readonly #params: ExtractTextParams;
  readonly #hyphens: Hyphens;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(params: ExtractTextParams, hyphens: Hyphens) {
    this.#params = params;
    this.#hyphens = hyphens;
  }

  /** @throws EngineFailure `too-large` if the text exceeds the memory for it */
  add({ number, blocks }: PageLayout): void {
    if (this.#params.fullText === "off") return;
    const write = (block: Block) =>
      this.#params.preserveLineBreaks ? brokenText(block) : flowingText(block, this.#hyphens);
    const text = blocks
      .map(write)
      .filter((one) => one !== "")
      .join("\n");
    const isFirst = this.#chunks.length === 0;
    const json =
      this.#params.fullText === "by_page"
        ? `${isFirst ? "" : ","}${JSON.stringify({ page: number, text })}`
        : JSON.stringify(isFirst || text === "" ? text : `\n${text}`).slice(1, -1);
    const chunk = new TextEncoder().encode(json);
    this.#bytes += chunk.length;
    if (this.#bytes > LIMITS.extractedTextBytes) throw new EngineFailure("too-large", "the text is too long");
    this.#chunks.push(chunk);
  }

  *chunks(): Generator<Uint8Array> {
    const isByPage = this.#params.fullText === "by_page";
    yield Buffer.from(isByPage ? '{"pages":[' : '"');
    yield* this.#chunks;
    yield Buffer.from(isByPage ? "]}" : '"');
  }
}

function described(word: WholeWord, page: number, params: ExtractTextParams) {
  const { text, corners, style, size } = word;
  const points = CORNERS.map((name, at) => [name, { x: rounded(corners[2 * at]!), y: rounded(corners[2 * at + 1]!) }]);
  const values = [16, 8, 0].map((shift) => rounded(((style.argb >>> shift) & 0xff) / 0xff));
  return {
    ...{ text, page },
    ...(params.wordCoordinates ? { coordinates: Object.fromEntries(points) } : {}),
    ...(params.wordStyle
      ? {
          style: {
            color: { space: "DeviceRGB", values },
            font: { name: withoutPrefix(style.fontName), size: rounded(size) },
          },
        }
      : {}),
  };
}

/** Rounds to what the single-precision numbers of the engine state reliably. */
const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Removes the prefix of a subset from a font name (ISO 32000-1, 9.6.4). */
const withoutPrefix = (name: string): string => name.replace(/^[A-Z]{6}\+/, "");

export const extractText = defineOperation({ name: "extract-text", parameters, run });
