// Lists the operations that the container runs in JavaScript. Other operations run only in the process that imports
// them: they stream, so inputs of any size fit.
import type { Operation } from "../document/contract/operation.ts";
import { addAttachment } from "./add-attachment.ts";
import { addImage } from "./add-image.ts";
import { addPageNumbers } from "./add-page-numbers.ts";
import { addShapes } from "./add-shapes.ts";
import { addTables } from "./add-tables.ts";
import { addText } from "./add-text.ts";
import { addWatermark } from "./add-watermark.ts";
import { applyRedactions } from "./apply-redactions.ts";
import { compressPdf } from "./compress-pdf.ts";
import { drawWebImages } from "./container-only/draw-web-images.ts";
import { fillTemplate } from "./container-only/fill-template.ts";
import { flattenTransparency } from "./container-only/flatten-transparency.ts";
import { heifToPdf } from "./container-only/heif-to-pdf.ts";
import { textToHtml } from "./container-only/text-to-html.ts";
import { drawEmoji, readTypeface } from "./container-only/typefaces.ts";
import { convertColors } from "./convert-colors.ts";
import { declarePdfua } from "./declare-pdfua.ts";
import { drawInvoice } from "./draw-invoice.ts";
import { exportFormData } from "./export-form-data.ts";
import { extractImages } from "./extract-images.ts";
import { extractPages } from "./extract-pages.ts";
import { extractText } from "./extract-text.ts";
import { findDifferences } from "./find-differences.ts";
import { flattenAnnotations } from "./flatten-annotations.ts";
import { flattenForms } from "./flatten-forms.ts";
import { flattenLayers } from "./flatten-layers.ts";
import { importFormData } from "./import-form-data.ts";
import { imposePages } from "./impose-pages.ts";
import { indexText } from "./index-text.ts";
import { layPrintPages } from "./lay-print-pages.ts";
import { limitImages } from "./limit-images.ts";
import { linearizePdf } from "./linearize-pdf.ts";
import { markRedactions } from "./mark-redactions.ts";
import { mergePdfs } from "./merge-pdfs.ts";
import { pdfToMarkdown } from "./pdf-to-markdown.ts";
import { pdfToRasterized } from "./pdf-to-rasterized.ts";
import { pdfToWord } from "./pdf-to-word.ts";
import { pdfToWorkbook } from "./pdf-to-workbook.ts";
import { applyTransferFunctions } from "./pdfa-steps/apply-transfer-functions.ts";
import { comparePdfs } from "./pdfa-steps/compare-pdfs.ts";
import { countContent } from "./pdfa-steps/count-content.ts";
import { embedAttachment } from "./pdfa-steps/embed-attachment.ts";
import { extractPdfs } from "./pdfa-steps/extract-pdfs.ts";
import { rasterizePages } from "./pdfa-steps/rasterize-pages.ts";
import { readAttachment } from "./pdfa-steps/read-attachment.ts";
import { readClaims } from "./pdfa-steps/read-claims.ts";
import { renderPdf } from "./pdfa-steps/render-pdf.ts";
import { repairPdfa } from "./pdfa-steps/repair-pdfa.ts";
import { replaceContents } from "./pdfa-steps/replace-contents.ts";
import { replacePdfs } from "./pdfa-steps/replace-pdfs.ts";
import { reportFailures } from "./pdfa-steps/report-failures.ts";
import { upgradePdfa } from "./pdfa-steps/upgrade-pdfa.ts";
import { decryptPdf } from "./protection/decrypt-pdf.ts";
import { encryptPdf } from "./protection/encrypt-pdf.ts";
import { restrictPdf } from "./protection/restrict-pdf.ts";
import { unlockPdfs } from "./protection/unlock-pdfs.ts";
import { unrestrictPdf } from "./protection/unrestrict-pdf.ts";
import { rasterizePdf } from "./rasterize-pdf.ts";
import { readPdfInfo } from "./read-pdf-info.ts";
import { addRecognizedText } from "./recognition-steps/add-recognized-text.ts";
import { drawUnreadPages } from "./recognition-steps/draw-unread-pages.ts";
import { renderPage } from "./render-page.ts";
import { reserveMining } from "./reserve-mining.ts";
import { rotatePages } from "./rotate-pages.ts";
import { setBookmarks } from "./set-bookmarks.ts";
import { setMetadata } from "./set-metadata.ts";
import { setPageBoxes } from "./set-page-boxes.ts";
import { signPdf } from "./sign-pdf.ts";
import { splitPdf } from "./split-pdf.ts";
import { imageToPdf } from "./to-pdf/image-to-pdf.ts";
import { unzipFiles } from "./unzip-files.ts";
import { verifyPdf } from "./verify-pdf.ts";
import { zipFiles } from "./zip-files.ts";

type AnyOperation = Operation<unknown>;

/** Operations that the container runs for the Worker, with more memory than an isolate has. */
export const CONTAINER_OPERATIONS: readonly AnyOperation[] = [
  addAttachment,
  addImage,
  addShapes,
  addTables,
  addText,
  addWatermark,
  addPageNumbers,
  applyRedactions,
  compressPdf,
  convertColors,
  declarePdfua,
  drawInvoice,
  drawWebImages,
  renderPage,
  extractImages,
  indexText,
  extractPages,
  extractText,
  pdfToMarkdown,
  pdfToWord,
  pdfToWorkbook,
  fillTemplate,
  findDifferences,
  flattenTransparency,
  heifToPdf,
  imageToPdf,
  imposePages,
  flattenAnnotations,
  flattenForms,
  flattenLayers,
  exportFormData,
  importFormData,
  layPrintPages,
  linearizePdf,
  markRedactions,
  mergePdfs,
  pdfToRasterized,
  rasterizePdf,
  readPdfInfo,
  reserveMining,
  rotatePages,
  setBookmarks,
  setMetadata,
  setPageBoxes,
  signPdf,
  splitPdf,
  textToHtml,
  verifyPdf,
  ...[zipFiles, unzipFiles],
  ...[readTypeface, drawEmoji],
  ...[encryptPdf, decryptPdf, restrictPdf, unrestrictPdf, unlockPdfs],
];

/** Steps of the container's PDF/A conversion, which the Worker cannot request. */
export const PDFA_STEPS: readonly AnyOperation[] = [
  applyTransferFunctions,
  comparePdfs,
  countContent,
  readClaims,
  reportFailures,
  upgradePdfa,
  embedAttachment,
  extractPdfs,
  limitImages,
  readAttachment,
  renderPdf,
  rasterizePages,
  repairPdfa,
  replaceContents,
  replacePdfs,
];

/** Steps of the container's text recognition, which the Worker cannot request. */
export const RECOGNITION_STEPS: readonly AnyOperation[] = [drawUnreadPages, addRecognizedText];
