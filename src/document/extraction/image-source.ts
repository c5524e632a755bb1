// Reads an image of the file, or an inline image, with the bytes that its filters leave.
import { type PdfImage, readImage, spaceOf } from "../images/image.ts";
import { UnreadableImage } from "../images/image-samples.ts";
import { undoFilter } from "../images/inline-images.ts";
import { Dictionary, Name, Reference, type StreamBody, type Value } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import type { ListedImage } from "./listed-images.ts";

export interface ImageSource {
  readonly dictionary: Dictionary;
  readonly image: PdfImage;
  /** The color space as the dictionary states it, for an indexed image with its palette. */
  readonly space: Value | undefined;
  readonly body: StreamBody;
}

/** @returns undefined if the image is missing, invalid or not supported */
export function openImage(pdf: OpenPdf, listed: ListedImage["image"]): ImageSource | undefined {
  const { file, source } = pdf;
  const stream = listed instanceof Reference ? file.stream(listed) : undefined;
  const { dictionary, spaces } = listed instanceof Reference ? { dictionary: stream?.dictionary } : listed;
  const image = dictionary && readImage(file, dictionary, spaces);
  if (!image) return undefined;
  const space = spaceOf(file, dictionary, spaces);
  if (listed instanceof Reference) return { dictionary, image, space, body: stream!.body };
  const data = listed.data!;
  const coding = Dictionary.of({
    Filter: image.filters.map((filter) => Name.of(filter)),
    DecodeParms: dictionary.get("DecodeParms") ?? dictionary.get("DP"),
  });
  const decoded = (limitBytes: number) =>
    image.filters.length === 0 ? data : source.decodeBytes(coding, data, limitBytes);
  return { dictionary, image, space, body: { raw: () => data, decoded } };
}

const MAX_CODED_BYTES = 2 ** 28;

/**
 * Returns the bytes that the last filter decodes, such as a JPEG.
 * @throws UnreadableImage
 */
export function codedBytes({ image, body }: ImageSource): Uint8Array {
  try {
    return image.filters.slice(0, -1).reduce((bytes, filter) => undoFilter(filter, bytes, MAX_CODED_BYTES), body.raw());
  } catch (error) {
    throw new UnreadableImage("an outer filter cannot be undone", { cause: error });
  }
}
