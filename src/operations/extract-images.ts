// Extracts the images that the pages of a PDF show. Yields one output for each image, in the order of the pages.
import { countedNotices, type Notice } from "../document/contract/notice.ts";
import { defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { resolvePages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { checkSize, imageFile, losesOpacity } from "../document/extraction/image-file.ts";
import { openImage } from "../document/extraction/image-source.ts";
import { type ListedImage, listImages } from "../document/extraction/listed-images.ts";
import { UnreadableImage } from "../document/images/image-samples.ts";
import { type OpenPdf, openPdf } from "../document/pages/open-pdf.ts";
import { readPages } from "../document/pages/pages.ts";

const parameters = { pages: parameter("The pages whose images to extract.", pages, "1-last") };
export type ExtractImagesParams = Params<typeof parameters>;

/**
 * A body is encoded while it is read, and must be read before the next output is requested.
 * @throws EngineFailure the failure of the document or the engine, also `too-large` for an image, before the first output
 * @throws OutOfRange `pages`
 */
const run: Run<ExtractImagesParams> = async function* ([input], params, context) {
  using pdf = await openPdf(await input!.bytes(), context, { asIs: true });
  const all = readPages(pdf.file).pages;
  const chosen = resolvePages(params.pages, all.length).map((number) => all[number - 1]!);
  const listed = await listImages(pdf.file, chosen, context.signal);
  const notices: Notice[] = [];
  // Checks all images before the first output, so that a job that needs more memory stores nothing.
  for (const { image } of listed) {
    const source = openImage(pdf, image);
    if (source) checkSize(pdf, source);
    if (source && losesOpacity(pdf, source)) notices.push(...countedNotices("opacity-left-out", 1));
  }
  // An image is opened before the one before it is yielded, so that the last output can report unreadable images.
  let ready: Output | undefined;
  let count = 0;
  try {
    for (const { page, image } of listed) {
      context.signal.throwIfAborted();
      const file = await fileOf(pdf, image);
      if (!file) {
        notices.push(...countedNotices("images-unreadable", 1));
        continue;
      }
      if (ready) yield ready;
      await pdf.file.relieve();
      const about = { suffix: `-img${++count}-page${page}`, total: listed.length };
      ready = { ...file, ...about, notices: () => notices.splice(0) };
    }
    if (ready) yield ready;
  } finally {
    context.log("images extracted", { images: count, ...pdf.usage });
  }
};

export const extractImages = defineOperation({ name: "extract-images", parameters, run });

/** @returns undefined if the image cannot be read */
async function fileOf(pdf: OpenPdf, image: ListedImage["image"]) {
  const source = openImage(pdf, image);
  try {
    return source && (await imageFile(pdf, source));
  } catch (error) {
    if (error instanceof UnreadableImage) return undefined;
    throw error;
  }
}
