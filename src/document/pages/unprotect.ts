// Removes what no modified copy of a PDF can keep, whatever the operation: signatures, encryption whose owner password
// is unknown, and files whose password is.
import { contains } from "../contract/contains.ts";
import { countedNotices, type Notice, namedNotices } from "../contract/notice.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { removeAttachments } from "./attached-files.ts";
import { removeSignatures, type Signatures } from "./signatures.ts";

const NONE: Signatures = { count: 0, hasUsageRights: false };

/**
 * Removes signatures but keeps their look. Must be called before anything else is read from the file.
 * @param bytes of the document
 * @returns notices of what a copy of the file loses
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

/** Reports the loss of the XFA form, for operations that keep only the AcroForm (ISO 32000-1, 12.7.8). */
export const xfaNotices = (file: PdfFile): readonly Notice[] =>
  countedNotices("xfa-removed", Number(file.dictionary(file.catalog.get("AcroForm"))?.has("XFA") ?? false));

/**
 * Reports whether a file may be signed. The bytes that a signature covers are identified by their offsets, so its
 * dictionary is not in a compressed object (ISO 32000-1, 12.8.1): a file without this name has no signatures.
 */
export const mayBeSigned = (bytes: Uint8Array): boolean => contains(bytes, "ByteRange");
