// Tools with which agents read, search and see the pages of stored PDFs.
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import { OutOfRange } from "../../../document/contract/failure.ts";
import { type PageSelection, parsePages, resolvePages } from "../../../document/contract/pages.ts";
import { outOfRange } from "../contract/errors.ts";
import { CallError, type Calling, idOf, json } from "./calls.ts";
import { pageImage } from "./pictures.ts";

/** Maximum level of a heading in Markdown. */
const MAX_LEVEL = 6;
/** Maximum number of pages, and of characters, in one result. */
const READ = { pages: 20, characters: 60_000 } as const;

interface Block {
  readonly kind: string;
  readonly level?: number;
  readonly box: readonly number[];
  readonly text: string;
}

interface PageText {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly Block[];
}

type Arguments = Readonly<Record<string, unknown>>;

/** Returns the text of pages, with the place of each block, so that an agent can cite it. */
async function readPages({ file, pages = "1" }: Arguments, calling: Calling): Promise<CallToolResult> {
  const { dispatch } = calling;
  const id = await idOf(file, dispatch);
  const selection = parsePages(String(pages));
  if (!selection) throw new CallError('`pages` must be a selection such as "1-3,last".');
  const { pages: count } = await json<{ pages?: number }>(await dispatch(`/resource/${id}?format=info`));
  if (count === undefined) return refuse(await dispatch(`/resource/${id}/pages/1.json`), "The file cannot be read.");
  const numbers = selected(selection, count);
  let text = "";
  let read = 0;
  for (const number of numbers.slice(0, READ.pages)) {
    const page = marked(await json<PageText>(await dispatch(`/resource/${id}/pages/${number}.json`)));
    if (read > 0 && text.length + page.length > READ.characters) break;
    text += page.slice(0, READ.characters);
    read++;
  }
  const rest = numbers.slice(read);
  const more = rest.length > 0 ? `\nNot shown: ${rest.length} pages, from page ${rest[0]} on.` : "";
  return { content: [{ type: "text", text: text + more }] };
}

function selected(selection: PageSelection, count: number): readonly number[] {
  try {
    return resolvePages(selection, count);
  } catch (error) {
    if (!(error instanceof OutOfRange)) throw error;
    throw new CallError(`${outOfRange("pages", error.value).message} The document has ${count} pages.`);
  }
}

/** Writes headings as in Markdown, and before each block its page and box. */
function marked({ page, width, height, blocks }: PageText): string {
  const lines = blocks.map(({ kind, level = 1, box, text }) => {
    const place = `[p${page}:${box.map(Math.round).join(",")}]`;
    return kind === "heading" ? `${"#".repeat(Math.min(level + 1, MAX_LEVEL))} ${place} ${text}` : `${place} ${text}`;
  });
  return [`# Page ${page} (${Math.round(width)} x ${Math.round(height)} points)`, ...lines, ""].join("\n\n");
}

/** Returns the hits of a search with their pages and places. */
async function searchPages(args: Arguments, { dispatch }: Calling): Promise<CallToolResult> {
  const { file, query, limit, offset } = args;
  if (typeof query !== "string" || query === "") throw new CallError("`query` must be the words to find.");
  const id = await idOf(file, dispatch);
  const fields = { q: query, limit, offset };
  const sent = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  // The address of the next hits is none for a tool.
  const { next: _, ...found } = await json<Record<string, unknown>>(
    await dispatch(`/resource/${id}/search?${new URLSearchParams(sent)}`),
  );
  return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found };
}

/** Returns a picture of a page, with marks on the text to find. */
async function lookAtPage({ file, page, highlight }: Arguments, { dispatch }: Calling): Promise<CallToolResult> {
  const id = await idOf(file, dispatch);
  if (!Number.isInteger(page)) throw new CallError("`page` must be a page number.");
  const query = typeof highlight === "string" ? { highlight } : {};
  const picture = await pageImage(id, Number(page), dispatch, query);
  if (picture) return { content: [picture] };
  const small = new URLSearchParams({ width: "64", ...query });
  return refuse(await dispatch(`/resource/${id}/pages/${page}.jpg?${small}`), "The page cannot be shown.");
}

/** @throws CallError the error of a request; with the other sentence if the request succeeds */
async function refuse(response: Response, otherwise: string): Promise<never> {
  if (!response.ok) await json(response);
  await response.body?.cancel();
  throw new CallError(otherwise);
}

const text = (description: string) => ({ type: "string", description });
const FILE = text("Id or address of a stored PDF, or its upload address.");
const READING = { readOnlyHint: true, openWorldHint: false };

const tool = (name: string, description: string, properties: object, required: readonly string[]): ListedTool => ({
  ...{ name, description, annotations: READING },
  inputSchema: {
    type: "object",
    properties: { file: FILE, ...properties },
    required: ["file", ...required],
    additionalProperties: false,
  },
});

const whole = (description: string, minimum: number, maximum?: number) => ({
  ...{ type: "integer", description, minimum },
  ...(maximum === undefined ? {} : { maximum }),
});

export const READING_TOOLS = [
  {
    call: readPages,
    listed: tool(
      "read_pages",
      `Reads the text of pages of a stored PDF, at most ${READ.pages} at a time. Before each paragraph is its place for ` +
        "citations: page, then left, bottom, right and top in points.",
      { pages: { ...text('Page selection such as "1-3,last".'), default: "1" } },
      [],
    ),
  },
  {
    call: searchPages,
    listed: tool(
      "search_pages",
      "Finds words in a stored PDF, regardless of case and accents, but not their other forms. The result has the " +
        "number of all hits, and the page, the boxes and the surrounding text of each.",
      {
        query: text('Words that must be on the page; a phrase is in quotation marks; "word*" is the start of a word.'),
        limit: whole("Maximum number of hits. 20 if left out.", 1, 100),
        offset: whole("Number of hits to skip.", 0),
      },
      ["query"],
    ),
  },
  {
    call: lookAtPage,
    listed: tool(
      "look_at_page",
      "Shows a page of a stored PDF as a picture, with a text marked if it is given.",
      { page: whole("Page number in the PDF, from 1.", 1), highlight: text("Text to mark, as in search_pages.") },
      ["page"],
    ),
  },
] as const;
