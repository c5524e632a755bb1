// Registers all endpoints. An unregistered endpoint is not served.
import type { Endpoint } from "../service/http/contract/endpoint.ts";
import type { Route } from "../service/http/contract/route.ts";
import { blankPdf } from "./blank-pdf.ts";
import { comparedPdf } from "./compared-pdf.ts";
import { compressedPdf } from "./compressed-pdf.ts";
import { excel } from "./excel.ts";
import { extractedImages } from "./extracted-images.ts";
import { extractedText } from "./extracted-text.ts";
import { deleteFiles } from "./files/delete.ts";
import { html } from "./files/html.ts";
import { unzip } from "./files/unzip.ts";
import { upload } from "./files/upload.ts";
import { zip } from "./files/zip.ts";
import { flattenedAnnotationsPdf } from "./flattened-annotations-pdf.ts";
import { flattenedFormsPdf } from "./flattened-forms-pdf.ts";
import { flattenedLayersPdf } from "./flattened-layers-pdf.ts";
import { flattenedTransparenciesPdf } from "./flattened-transparencies-pdf.ts";
import { exportedFormData } from "./forms/exported-form-data.ts";
import { pdfWithImportedFormData } from "./forms/pdf-with-imported-form-data.ts";
import { avif } from "./images/avif.ts";
import { bmp } from "./images/bmp.ts";
import { gif } from "./images/gif.ts";
import { jpg } from "./images/jpg.ts";
import { png } from "./images/png.ts";
import { tif } from "./images/tif.ts";
import { webp } from "./images/webp.ts";
import { imposedPdf } from "./imposed-pdf.ts";
import { validatedZugferd } from "./invoices/validated-zugferd.ts";
import { zugferdPdf } from "./invoices/zugferd-pdf.ts";
import { summarizedPdfText } from "./language/summarized-pdf-text.ts";
import { translatedPdfText } from "./language/translated-pdf-text.ts";
import { linearizedPdf } from "./linearized-pdf.ts";
import { markdown } from "./markdown.ts";
import { mergedPdf } from "./merged-pdf.ts";
import { pdf } from "./pdf.ts";
import { pdfInfo } from "./pdf-info.ts";
import { pdfWithAddedAttachment } from "./pdf-with-added-attachment.ts";
import { pdfWithAddedImage } from "./pdf-with-added-image.ts";
import { pdfWithAddedShapes } from "./pdf-with-added-shapes.ts";
import { pdfWithAddedTables } from "./pdf-with-added-tables.ts";
import { pdfWithAddedText } from "./pdf-with-added-text.ts";
import { pdfWithBookmarks } from "./pdf-with-bookmarks.ts";
import { pdfWithConvertedColors } from "./pdf-with-converted-colors.ts";
import { pdfWithMetadata } from "./pdf-with-metadata.ts";
import { pdfWithOcrText } from "./pdf-with-ocr-text.ts";
import { pdfWithPageBoxesSet } from "./pdf-with-page-boxes-set.ts";
import { pdfWithPageNumbers } from "./pdf-with-page-numbers.ts";
import { pdfWithRedactedTextApplied } from "./pdf-with-redacted-text-applied.ts";
import { pdfWithRedactedTextPreview } from "./pdf-with-redacted-text-preview.ts";
import { pdfa } from "./pdfa.ts";
import { postscript } from "./postscript.ts";
import { decryptedPdf } from "./protection/decrypted-pdf.ts";
import { encryptedPdf } from "./protection/encrypted-pdf.ts";
import { restrictedPdf } from "./protection/restricted-pdf.ts";
import { signedPdf } from "./protection/signed-pdf.ts";
import { unrestrictedPdf } from "./protection/unrestricted-pdf.ts";
import { verifiedPdf } from "./protection/verified-pdf.ts";
import { rasterizedPdf } from "./rasterized-pdf.ts";
import { rotatedPdf } from "./rotated-pdf.ts";
import { splitPdfEndpoint } from "./split-pdf.ts";
import { stepsEndpoint } from "./steps/steps.ts";
import { tdmReservedPdf } from "./tdm-reserved-pdf.ts";
import { validatedPdf } from "./validated-pdf.ts";
import { watermarkedPdf } from "./watermarked-pdf.ts";
import { word } from "./word.ts";

const making: readonly Endpoint[] = [pdf, mergedPdf, splitPdfEndpoint, imposedPdf, zugferdPdf, blankPdf];

const others: readonly Endpoint[] = [
  ...[compressedPdf, pdfa, pdfWithOcrText, linearizedPdf, flattenedTransparenciesPdf, pdfWithPageBoxesSet],
  ...[
    pdfWithAddedImage,
    pdfWithAddedText,
    pdfWithAddedShapes,
    pdfWithAddedTables,
    watermarkedPdf,
    pdfWithPageNumbers,
    pdfWithAddedAttachment,
  ],
  ...[pdfWithMetadata, pdfWithBookmarks, pdfWithImportedFormData, tdmReservedPdf, pdfWithConvertedColors],
  ...[flattenedFormsPdf, flattenedAnnotationsPdf, flattenedLayersPdf, rasterizedPdf, rotatedPdf],
  ...[pdfWithRedactedTextPreview, pdfWithRedactedTextApplied],
  ...[encryptedPdf, decryptedPdf, restrictedPdf, unrestrictedPdf, signedPdf],
  ...[png, jpg, tif, gif, bmp, webp, avif, postscript],
  ...[pdfInfo, extractedText, markdown, word, excel, extractedImages, comparedPdf, exportedFormData],
  ...[validatedPdf, validatedZugferd, verifiedPdf],
];

const storing: readonly Endpoint[] = [zip, unzip, html];

/** Endpoints that cannot be steps, because their operations run outside of the job. */
const withModel: readonly Endpoint[] = [summarizedPdfText, translatedPdfText];

/** All endpoints, in display order. */
export const endpoints: readonly Endpoint[] = [
  ...making,
  stepsEndpoint([...making, ...others, ...storing]),
  ...others,
  ...withModel,
  ...storing,
];

/** POSTs that run no operation. */
export const routes: readonly Route[] = [upload, deleteFiles];
