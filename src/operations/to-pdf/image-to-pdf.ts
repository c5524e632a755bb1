// Converts an image file to a PDF with one page per image. If PDF supports the coding, the image data stays unchanged.

import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { openImage } from "../../document/formats/image-file.ts";
import { imagePdf } from "../../document/formats/to-pdf/image-pdf.ts";

const paramsSchema = z.strictObject({});
export type ImageToPdfParams = z.infer<typeof paramsSchema>;

/** Yields one output, the PDF. Throws as {@link openImage} does. */
const run: Run<ImageToPdfParams> = async function* ([input], _params, { heapLimitBytes, signal }) {
  using image = await openImage(input!, heapLimitBytes);
  yield { extension: "pdf", type: "application/pdf", body: imagePdf(image.pictures, signal) };
};

export const imageToPdf = defineOperation({ name: "image-to-pdf", params: paramsSchema, run });
