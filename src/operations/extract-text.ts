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
import { PAGE_SCHEMA, pageJson } from "../document/layout/json.ts";
import { type Block, linesIn, type PageLayout } from "../document/layout/lines/blocks.ts";
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
  layout: parameter("On for the blocks of each page, such as headings and tables, with their boxes.", onOff, "off"),
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
export const TEXT_SCHEMAS: Readonly<Record<"fullText" | "layout" | "words", JsonSchema>> = {
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
  layout: {
    type: "object",
    properties: { pages: { type: "array", items: PAGE_SCHEMA } },
    required: ["pages"],
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
  yield { extension: "json", type: "application/json", body: jsonOf(pages, membersOf(params, layout.hyphens)) };
};

/** A member of the response. */
interface Member {
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  /** Returns what a page adds; empty if it adds nothing. */
  of(page: PageLayout): string;
}

/** Returns the requested members, from the one that takes the most memory. */
function membersOf(params: ExtractTextParams, hyphens: Hyphens): readonly Member[] {
  const words: Member = {
    ...{ start: '"words":[', separator: ",", end: "]" },
    of: ({ number, blocks }) =>
      blocks
        .flatMap((block) => linesIn(block).flatMap(wholeWords))
        .map((word) => JSON.stringify(described(word, number, params)))
        .join(","),
  };
  const layout: Member = {
    ...{ start: '"layout":{"pages":[', separator: ",", end: "]}" },
    of: (page) => pageJson(page, hyphens),
  };
  return [
    ...(params.wordStyle || params.wordCoordinates ? [words] : []),
    ...(params.layout ? [layout] : []),
    ...(params.fullText === "off" ? [] : [textMember(params, hyphens)]),
  ];
}

function textMember({ fullText, preserveLineBreaks }: ExtractTextParams, hyphens: Hyphens): Member {
  const write = (block: Block) => (preserveLineBreaks ? brokenText(block) : flowingText(block, hyphens));
  const textOf = ({ blocks }: PageLayout) =>
    blocks
      .map(write)
      .filter((one) => one !== "")
      .join("\n");
  if (fullText === "by_page") {
    return {
      ...{ start: '"fullText":{"pages":[', separator: ",", end: "]}" },
      of: (page) => JSON.stringify({ page: page.number, text: textOf(page) }),
    };
  }
  return {
    ...{ start: '"fullText":"', separator: "\\n", end: '"' },
    of: (page) => JSON.stringify(textOf(page)).slice(1, -1),
  };
}

/** Writes the members of the response. The first is written page by page; the others are kept until it ends. */
async function* jsonOf(pages: AsyncIterable<PageLayout>, members: readonly Member[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const [first, ...others] = members;
  const used = { bytes: 0 };
  const kept = others.map((member) => ({ member, text: new KeptText(member, used) }));
  let before = `{${first?.start ?? ""}`;
  for await (const page of pages) {
    for (const { member, text } of kept) text.add(member.of(page));
    const text = first?.of(page) ?? "";
    if (text === "") continue;
    yield encoder.encode(before + text);
    before = first!.separator;
  }
  const isEmpty = before.startsWith("{");
  yield encoder.encode((isEmpty ? before : "") + (first?.end ?? ""));
  for (const { text } of kept) yield* text.chunks();
  yield encoder.encode("}");
}

/** A member that is kept in memory, encoded page by page. */
class KeptText {
  readonly #member: Member;
  readonly #chunks: Uint8Array[] = [];
  readonly #used: { bytes: number };

  /** @param used what all members keep */
  constructor(member: Member, used: { bytes: number }) {
    this.#member = member;
    this.#used = used;
  }

  /** @throws EngineFailure `too-large` if the text exceeds the memory for it */
  add(text: string): void {
    if (text === "") return;
    const chunk = new TextEncoder().encode((this.#chunks.length === 0 ? "" : this.#member.separator) + text);
    this.#used.bytes += chunk.length;
    if (this.#used.bytes > LIMITS.extractedTextBytes) throw new EngineFailure("too-large", "the text is too long");
    this.#chunks.push(chunk);
  }

  *chunks(): Generator<Uint8Array> {
    yield Buffer.from(`,${this.#member.start}`);
    yield* this.#chunks;
    yield Buffer.from(this.#member.end);
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
