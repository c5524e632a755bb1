// Lists the operations that only the container has.
import { nativeAppendAttachments } from "./append-attachments.ts";
import { nativeCheckAddress } from "./check-address.ts";
import { nativeFetchUrl } from "./fetch-url.ts";
import { nativeHtmlToPdf } from "./html-to-pdf.ts";
import { nativeHtmlToPicture } from "./html-to-picture.ts";
import type { NativeOperation } from "./native.ts";
import { nativeOfficeToPdf } from "./office-to-pdf.ts";
import { nativePdfToPdfa } from "./pdf-to-pdfa.ts";
import { nativePdfToPostscript } from "./pdf-to-postscript.ts";
import { nativePostWebhook } from "./post-webhook.ts";
import { nativePostscriptToPdf } from "./postscript-to-pdf.ts";
import { nativePutFile } from "./put-file.ts";
import { nativeReadPdfInfo } from "./read-pdf-info.ts";
import { nativeRecognizeText } from "./recognize-text.ts";
import { nativeRequireProfile } from "./require-profile.ts";
import { nativeSvgToPdf } from "./svg-to-pdf.ts";
import { nativeValidateInvoice } from "./validate-invoice.ts";
import { nativeValidatePdf } from "./validate-pdf.ts";

export const NATIVE_OPERATIONS: readonly NativeOperation[] = [
  nativeAppendAttachments,
  nativeCheckAddress,
  nativeFetchUrl,
  nativeHtmlToPdf,
  nativeHtmlToPicture,
  nativeOfficeToPdf,
  nativePdfToPdfa,
  nativePdfToPostscript,
  nativePostWebhook,
  nativePostscriptToPdf,
  nativePutFile,
  nativeReadPdfInfo,
  nativeRecognizeText,
  nativeSvgToPdf,
  nativeValidateInvoice,
  nativeRequireProfile,
  nativeValidatePdf,
];
