// Removes everything that a modified copy of a PDF cannot keep: signatures, encryption with an unknown owner password,
// and attached files that are encrypted with an unknown password.
import { contains } from "../contract/contains.ts";
import { countedNotices, type Notice, namedNotices } from "../contract/notice.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { removeAttachments } from "./attached-files.ts";
import { removeSignatures, type Signatures } from "./signatures.ts";

const NONE: Signatures = { count: 0, hasUsageRights: false };

/**
 * Removes signatures, whose appearance stays, and attached files that cannot be decrypted. Must be called before any
 * object is read from the file.
 * @param bytes the bytes of the document
 * @returns notices of what a copy loses
 */
export function unprotect(file: PdfFile, source: MupdfSource, bytes: Uint8Array): Notice[] {
  const { count, hasUsageRights } = mayBeSigned(bytes) ? removeSignatures(file) : NONE;
  return [
    ...countedNotices("signatures-removed", count),
    ...countedNotices("usage-rights-removed", Number(hasUsageRights)),
    ...countedNotices("protection-removed", Number(source.isEncrypted)),
    ...(source.isLocked ? namedNotices("attachments-removed", removeAttachments(file)) : []),
  ];
}

/** Returns the notice about a lost XFA form, for operations that keep only the AcroForm (ISO 32000-1, 12.7.8). */
export const xfaNotices = (file: PdfFile): readonly Notice[] =>
  countedNotices("xfa-removed", Number(file.dictionary(file.catalog.get("AcroForm"))?.has("XFA") ?? false));

/**
 * Reports whether a file might be signed. A signature covers byte ranges, so its dictionary must not be in a compressed
 * object (ISO 32000-1, 12.8.1): a file without the key ByteRange has no signatures.
 */
export const mayBeSigned = (bytes: Uint8Array): boolean => contains(bytes, "ByteRange");
