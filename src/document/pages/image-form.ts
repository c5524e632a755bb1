// Converts an image file to a form XObject, which any number of pages can show.

import { EngineFailure, OutOfRange } from "../contract/failure.ts";
import type { Input } from "../contract/operation.ts";
import { openImage } from "../formats/image-file.ts";
import type { ImagePage } from "../formats/to-pdf/image-page.ts";
import { imagePdf } from "../formats/to-pdf/image-pdf.ts";
import { imageSize } from "../formats/to-pdf/page-size.ts";
import { Copier } from "../objects/copier.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, type Reference } from "../objects/values.ts";
import type { OpenPdf } from "./open-pdf.ts";
import { mediaBox } from "./page-size.ts";
import { pageDictionary, readPages } from "./pages.ts";

export interface ImageForm {
  readonly reference: Reference;
  /** Size of the form in its own units. */
  readonly box: { readonly width: number; readonly height: number };
  /** Size of the image at its own resolution, in points. */
  readonly size: { readonly width: number; readonly height: number };
}

/**
 * Adds the first image of an image file to a document.
 * @throws EngineFailure `unreadable-image` if the file contains no image, or its first image is larger than any page
 */
export async function addImageForm(pdf: OpenPdf, input: Input, signal: AbortSignal): Promise<ImageForm> {
  try {
    using image = await openImage(input, pdf.memory.objectBytes);
    for await (const picture of image.pictures) {
      const made = await pdfOf(picture, pdf, signal);
      return { ...copyPage(pdf, made, signal), size: imageSize(picture) };
    }
    throw new EngineFailure("damaged", "no picture");
  } catch (error) {
    const isUnreadable = error instanceof EngineFailure && ["damaged", "unsupported"].includes(error.reason);
    if (!isUnreadable && !(error instanceof OutOfRange)) throw error;
    const why =
      error instanceof OutOfRange ? `${error.value.replace("A page", "An image")} is larger than any page.` : undefined;
    throw new EngineFailure("unreadable-image", error.message, { cause: error, ...(why ? { why } : {}) });
  }
}

async function pdfOf(picture: ImagePage, { budget }: OpenPdf, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of imagePdf([picture], signal)) {
    // Charged twice: for the chunks, and for the array into which they are joined.
    budget.charge(2 * chunk.length);
    size += chunk.length;
    chunks.push(chunk.slice());
  }
  budget.release(size);
  return new Uint8Array(Buffer.concat(chunks));
}

/** Copies the only page of a PDF to a form. */
function copyPage({ file, source, budget }: OpenPdf, bytes: Uint8Array, signal: AbortSignal) {
  const made = source.beside(bytes);
  try {
    const copied = PdfFile.of(made, budget);
    const page = pageDictionary(copied, readPages(copied).pages[0]!);
    const box = mediaBox(copied, page);
    const first = file.size;
    const copier = Copier.between(copied, file);
    const contents = copied.stream(page.get("Contents"))!;
    const reference = file.add(
      new PdfStream(
        Dictionary.of({
          ...{ Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [...box] },
          Resources: copier.value(page.get("Resources")!),
        }),
        contents.body,
      ),
    );
    while (copier.step()) signal.throwIfAborted();
    file.readBodies(first);
    return { reference, box: { width: box[2] - box[0], height: box[3] - box[1] } };
  } finally {
    made.leave();
  }
}
