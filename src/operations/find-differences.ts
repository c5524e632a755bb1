// Compares two PDFs: pairs their pages, finds the words that were removed or added, and the areas that look different.
// Yields one output: a JSON object, or a PDF with a picture of each pair of pages.
import { type Change, changesIn, compareWords } from "../document/comparison/changed-words.ts";
import { differencePicture } from "../document/comparison/difference-picture.ts";
import { DocumentWords, Vocabulary } from "../document/comparison/document-words.ts";
import { DrawnPages } from "../document/comparison/drawn-pages.ts";
import {
  type ComparedPages,
  comparePages,
  type DrawnDocuments,
  inPixels,
} from "../document/comparison/page-differences.ts";
import { type PagePair, pairPages } from "../document/comparison/page-pairs.ts";
import { withoutUnmoved } from "../document/comparison/unmoved-words.ts";
import type { Box } from "../document/content/matrix.ts";
import { type Context, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { type JsonSchema, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { integer } from "../document/contract/parameters/number.ts";
import type { Raster } from "../document/contract/raster.ts";
import { flateImage } from "../document/formats/to-pdf/image-data.ts";
import { type ImagePage, RGB } from "../document/formats/to-pdf/image-page.ts";
import { imagePdf } from "../document/formats/to-pdf/image-pdf.ts";
import { MAX_POINTS } from "../document/formats/to-pdf/page-size.ts";
import { DocumentLayout } from "../document/layout/document-layout.ts";
import { startedPages } from "../document/layout/read-pages.ts";
import { pdfOutput } from "../document/pages/open-pdf.ts";
import { naming, subjectOf } from "./named-inputs.ts";

const parameters = {
  outputType: parameter(
    "json for the differences themselves, file for a file that has them, pdf for a PDF with pictures of them.",
    choice(["json", "file", "pdf"]),
    "json",
  ),
  dpi: parameter("Dots per inch at which pages are compared.", integer({ min: 36, max: 300 }), "100"),
};
export type FindDifferencesParams = Params<typeof parameters>;

const PAGE: JsonSchema = { type: "integer", minimum: 1 };
const BOXES: JsonSchema = {
  type: "array",
  items: { type: "array", items: { type: "number" }, minItems: 4, maxItems: 4 },
};
const PASSAGE: JsonSchema = {
  type: "object",
  properties: { page: PAGE, text: { type: "string" }, boxes: BOXES },
  required: ["page", "text", "boxes"],
};

/** Schemas of the members of the response. */
export const DIFFERENCE_SCHEMAS: Readonly<Record<"pages" | "changes" | "identical", JsonSchema>> = {
  pages: {
    type: "array",
    items: {
      type: "object",
      properties: {
        original: PAGE,
        compared: PAGE,
        difference: { type: "number", minimum: 0, maximum: 1 },
        areas: BOXES,
      },
      required: ["difference", "areas"],
    },
  },
  changes: { type: "array", items: { type: "object", properties: { removed: PASSAGE, added: PASSAGE } } },
  identical: { type: "boolean" },
};

/** Fraction of the memory for the words of one document; as much again is for each engine that draws. */
const WORDS_PART = 1 / 8;

/** @throws EngineFailure that names the document, before any output; `too-large` if there are too many words */
const run: Run<FindDifferencesParams> = async function* (inputs, params, context) {
  const [vocabulary, blocks] = [new Vocabulary(), new Vocabulary()];
  const read = async (index: number) => {
    const words = new DocumentWords(vocabulary, blocks, context.heapLimitBytes * WORDS_PART);
    await named(inputs, index, (input) => addWords(input, words, context));
    return words;
  };
  const [original, compared] = [await read(0), await read(1)];
  const { stretches, shared } = compareWords(original, compared);
  const drawn = await openBoth(inputs, context);
  const pairs = await pairPages(shared, ...countedPages(drawn, original, compared));
  const changed = withoutUnmoved(stretches, pairs, [original, compared]);
  context.log("documents compared", { pages: [original.pageCount, compared.pageCount], stretches: changed.length });
  function* changes(): Generator<Change> {
    for (const stretch of changed) yield* changesIn(stretch, original, compared);
  }
  const differences = differencesOf(pairs, drawn, params, context);
  if (params.outputType === "pdf") yield pdfOutput(imagePdf(picturesOf(differences, changes()), context.signal));
  else yield { extension: "json", type: "application/json", body: jsonOf(differences, changes()) };
};

export const findDifferences = defineOperation({ name: "find-differences", parameters, run });

async function named<T>(inputs: readonly Input[], index: number, use: (input: Input) => Promise<T>): Promise<T> {
  try {
    return await use(inputs[index]!);
  } catch (error) {
    throw nameIn(inputs, index)(error);
  }
}

/** Returns a function that names an input in an error that it causes. */
const nameIn = (inputs: readonly Input[], index: number) => (error: unknown) =>
  naming(error, subjectOf(inputs[index]!, index, inputs.length));

async function addWords(input: Input, words: DocumentWords, context: Context): Promise<void> {
  const layout = new DocumentLayout();
  const pages = await startedPages(input, EVERY_PAGE, context);
  for await (const page of layout.read(pages)) words.add(page, layout.hyphens);
}
const EVERY_PAGE = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;

/** Opens both documents, each with half of the memory for an engine. */
async function openBoth(inputs: readonly Input[], { heapLimitBytes }: Context): Promise<DrawnDocuments> {
  const open = (index: number) =>
    named(inputs, index, (input) => DrawnPages.open(input, heapLimitBytes / 2, nameIn(inputs, index)));
  const original = await open(0);
  try {
    return { original, compared: await open(1) };
  } catch (error) {
    original[Symbol.dispose]();
    throw error;
  }
}

const countedPages = ({ original, compared }: DrawnDocuments, ...words: readonly [DocumentWords, DocumentWords]) =>
  [
    { count: words[0].pageCount, look: (page: number) => original.look(page) },
    { count: words[1].pageCount, look: (page: number) => compared.look(page) },
  ] as const;

/** Compares the pairs while they are read, and closes both documents. */
async function* differencesOf(
  pairs: readonly PagePair[],
  drawn: DrawnDocuments,
  { dpi }: FindDifferencesParams,
  { signal }: Context,
): AsyncGenerator<ComparedPages> {
  using _original = drawn.original;
  using _compared = drawn.compared;
  for (const pair of pairs) {
    signal.throwIfAborted();
    yield await comparePages(pair, drawn, dpi);
  }
}

async function* jsonOf(
  differences: AsyncIterable<ComparedPages>,
  changes: Iterable<Change>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let isIdentical = true;
  let separator = '{"pages":[';
  for await (const { pair, difference, areas, isOfOneSize } of differences) {
    isIdentical &&= difference === 0 && isOfOneSize;
    yield encoder.encode(separator + JSON.stringify({ ...pair, difference, areas }));
    separator = ",";
  }
  separator = '],"changes":[';
  for (const change of changes) {
    isIdentical = false;
    yield encoder.encode(separator + JSON.stringify(change));
    separator = ",";
  }
  yield encoder.encode(`${separator === "," ? "" : separator}],"identical":${isIdentical}}`);
}

/** Yields a picture of each pair of pages. Areas have frames if no words explain them. */
async function* picturesOf(
  differences: AsyncIterable<ComparedPages>,
  changes: Iterable<Change>,
): AsyncGenerator<ImagePage> {
  const [removed, added] = [new Map<number, Box[]>(), new Map<number, Box[]>()];
  for (const change of changes) {
    for (const [passage, marks] of [
      [change.removed, removed],
      [change.added, added],
    ] as const) {
      if (passage) marks.set(passage.page, [...(marks.get(passage.page) ?? []), ...passage.boxes]);
    }
  }
  for await (const { pair, pictures, heights, areasInPixels } of differences) {
    const { dpi } = pictures[0];
    const onPage = (marks: ReadonlyMap<number, readonly Box[]>, page: number | undefined, height: number) =>
      ((page !== undefined && marks.get(page)) || []).map((box) => inPixels(box, height, dpi));
    const words = {
      removed: onPage(removed, pair.original, heights[0]),
      added: onPage(added, pair.compared, heights[1]),
    };
    const areas = words.removed.length + words.added.length === 0 ? areasInPixels : [];
    yield pageOf(differencePicture(pictures, { ...words, areas }));
  }
}

function pageOf({ width, height, dpi, bands }: Raster): ImagePage {
  function* rows() {
    for (const { samples } of bands()) yield samples;
  }
  const image = flateImage({ width, height, bitsPerComponent: 8, components: 3, colorSpace: RGB, rows });
  // Two pages beside each other can be wider than a page of a PDF.
  const density = Math.max(dpi, (72 * Math.max(width, height)) / MAX_POINTS);
  return { width, height, orientation: 1, density: { x: density, y: density }, parts: [{ x: 0, y: 0, image }] };
}
