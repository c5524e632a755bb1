// Converts an image file to a PDF with one page per image. If PDF supports the coding, the image data stays unchanged.

import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { openImage } from "../../document/formats/image-file.ts";
import { picturesPdf } from "./pictures-pdf.ts";

const paramsSchema = z.strictObject({
  /** False to store the pixels of a picture with losses, which must be decoded, as JPEG. @default true */
  lossless: z.boolean().exactOptional(),
});
export type ImageToPdfParams = z.infer<typeof paramsSchema>;

/** Yields one output, the PDF. Throws as {@link openImage} does. */
const run: Run<ImageToPdfParams> = async function* ([input], { lossless }, { heapLimitBytes, signal }) {
  using image = await openImage(input!, heapLimitBytes, lossless);
  yield picturesPdf(image.pictures, signal);
};

export const imageToPdf = defineOperation({ name: "image-to-pdf", params: paramsSchema, run });
