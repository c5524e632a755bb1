// Converts a HEIC or AVIF picture to a PDF with one page.

import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { readHeif } from "../../document/formats/heif/read.ts";
import { type HeifToPdfParams, heifToPdf as signature } from "../to-pdf/heif-to-pdf.ts";
import { picturesPdf } from "../to-pdf/pictures-pdf.ts";

/** Yields one output, the PDF. Throws as {@link readHeif} does. */
const run: Run<HeifToPdfParams> = async function* ([input], { lossless }, { heapLimitBytes, signal }) {
  const picture = await readHeif(await input!.bytes(), heapLimitBytes, lossless);
  yield picturesPdf([picture], signal);
};

export const heifToPdf = defineOperation({ ...signature, run });
