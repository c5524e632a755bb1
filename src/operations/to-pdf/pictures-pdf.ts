// Makes the output of an operation that converts pictures to PDF.
import { countedNotices } from "../../document/contract/notice.ts";
import type { Output } from "../../document/contract/operation.ts";
import type { ImagePage } from "../../document/formats/to-pdf/image-page.ts";
import { imagePdf } from "../../document/formats/to-pdf/image-pdf.ts";

type Pictures = Iterable<ImagePage> | AsyncIterable<ImagePage>;

/** Returns a PDF with one page per picture, and a notice about frames that are left out. */
export function picturesPdf(pictures: Pictures, signal: AbortSignal): Output {
  let furtherFrames = 0;
  const counted = async function* () {
    for await (const picture of pictures) {
      furtherFrames += picture.furtherFrames ?? 0;
      yield picture;
    }
  };
  return {
    ...{ extension: "pdf", type: "application/pdf", body: imagePdf(counted(), signal) },
    notices: () => countedNotices("frames-left-out", furtherFrames),
  };
}
