// Lists the operations that only the container has.
import { nativeFetchUrl } from "./fetch-url.ts";
import { nativeHtmlToPdf } from "./html-to-pdf.ts";
import type { NativeOperation } from "./native.ts";
import { nativeOfficeToPdf } from "./office-to-pdf.ts";
import { nativePdfToPdfa } from "./pdf-to-pdfa.ts";
import { nativePostscriptToPdf } from "./postscript-to-pdf.ts";

export const NATIVE_OPERATIONS: readonly NativeOperation[] = [
  nativeFetchUrl,
  nativeHtmlToPdf,
  nativeOfficeToPdf,
  nativePdfToPdfa,
  nativePostscriptToPdf,
];
