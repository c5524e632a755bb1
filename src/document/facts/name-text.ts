// Decodes names as text.

import { decodeTextString } from "../objects/text-strings.ts";
import { PdfString } from "../objects/values.ts";

/** Decodes a name as UTF-8 (ISO 32000-1, 7.3.5), or as PDFDocEncoding if it is not valid UTF-8, as in older files. */
export function nameText(latin1: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(PdfString.ofLatin1(latin1).bytes);
  } catch {
    return decodeTextString(PdfString.ofLatin1(latin1));
  }
}
