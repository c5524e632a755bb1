// What no changed copy of a PDF can keep, whatever the operation: signatures, and an encryption whose owner password nobody told.
import { contains } from "../engines/contains.ts";
import type { MupdfSource } from "../pdf/mupdf-source.ts";
import type { PdfFile } from "../pdf/pdf-file.ts";
import { removeSignatures, type Signatures } from "../pdf/signatures.ts";
import { type Notice, noticesOf } from "./notice.ts";

const NONE: Signatures = { count: 0, hasUsageRights: false };

/**
 * Removes signatures, with the look that they have kept. To be called before anything else is read of the file.
 * @param bytes of the document
 * @returns what the copy that is made of the file loses
 */
export function unprotect(file: PdfFile, source: MupdfSource, bytes: Uint8Array): Notice[] {
  const { count, hasUsageRights } = mayBeSigned(bytes) ? removeSignatures(file) : NONE;
  return [
    ...noticesOf("signatures-removed", count),
    ...noticesOf("usage-rights-removed", Number(hasUsageRights)),
    ...noticesOf("protection-removed", Number(source.isEncrypted)),
  ];
}

/** For operations that leave the XFA form out, and keep the other one (ISO 32000-1, 12.7.8). */
export const withoutXfa = (file: PdfFile): readonly Notice[] =>
  noticesOf("xfa-removed", Number(file.dictionary(file.catalog.get("AcroForm"))?.has("XFA") ?? false));

/**
 * The bytes that a signature covers are told by their places in the file, so its dictionary lies in no compressed object
 * (ISO 32000-1, 12.8.1): without this name a file has none.
 */
export const mayBeSigned = (bytes: Uint8Array): boolean => contains(bytes, "ByteRange");
