// Finds the additional properties in GET /resource/{id}?format=info: the pages of a PDF, or the reason why operations
// on documents reject the file. Detects only reasons that need no conversion.

import { EngineFailure, type FailureReason } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import type { Input } from "../../document/contract/operation.ts";
import { typeName } from "../../document/contract/type-names.ts";
import { isPasswordProtected } from "../../document/formats/ole/locked.ts";
import { END_WITHIN_BYTES } from "../../document/formats/zip/directory.ts";
import { hasEnd, soundnessOf } from "../../document/formats/zip/soundness.ts";
import { passwordProtected, toServiceError } from "../http/contract/errors.ts";
import { readBytes } from "../http/requests/chunk-reader.ts";
import { documentTypeOf } from "../http/requests/document-type.ts";
import { toInput } from "../http/requests/inputs.ts";
import type { StoredFile } from "../storage/file.ts";
import { documentProperties } from "./page-store.ts";
import type { PageServices } from "./pages-service.ts";

const PDF = "application/pdf";
/** Media type of unrecognized content. PDFs with a damaged start have it, too. */
const UNKNOWN = "application/octet-stream";
/** Media types of Office documents from before 2007, and of encrypted Office documents. */
const OLE = /^application\/(x-ole-storage|msword|vnd\.ms-(excel|powerpoint))$/;

/**
 * Media types of Office archives, which are detected by file name. Other archives might be any document that
 * LibreOffice reads, so they are not checked.
 */
const OFFICE_ARCHIVE = /^application\/vnd\.openxmlformats-officedocument\./;

/** Failures after which a document has no properties, although it might be valid. */
const WITHOUT_FACTS: readonly FailureReason[] = ["unsupported", "too-large", "too-complex"];
/** Failures that every operation on PDFs would report. */
const UNREADABLE: readonly FailureReason[] = ["password-protected", "not-a-pdf", "damaged"];
const LISTED_SIZES = 1000;

export async function fileFacts(file: StoredFile, service: PageServices, signal: AbortSignal): Promise<object> {
  if (file.size === 0) return { problem: "The file is empty." };
  const input = toInput(file, service.store);
  if (file.type === PDF) return factsOfPdf({ file, input }, service, signal);
  if (OLE.test(file.type) || OFFICE_ARCHIVE.test(file.type)) {
    // The check buffers the document or reads it to its end, so it needs a permit.
    using _turn = await service.shared.extractionSemaphore.for(service.client).acquire(signal);
    return OLE.test(file.type) ? await factsOfOle(input) : await factsOfArchive(file, input, service);
  }
  if ((await documentTypeOf(input)) !== "none") return {};
  if (file.type !== UNKNOWN) return notADocument(file.type);
  const facts = await factsOfPdf({ file, input }, service, signal);
  return "problem" in facts ? notADocument(file.type) : facts;
}

const notADocument = (type: string): object => ({
  problem: `The file is not a document that the service reads: it is ${typeName(type)}.`,
});

const factsOfOle = async (input: Input): Promise<object> =>
  (await isPasswordProtected(input.stream())) ? { problem: passwordProtected().message } : {};

/** Checks an Office archive. Reads only the end of a large archive, but all parts of a small one. */
async function factsOfArchive({ id, size }: StoredFile, input: Input, { store }: PageServices): Promise<object> {
  const damaged = { problem: "The file is damaged: it is not a whole Office document." };
  if (size > LIMITS.checkedArchiveBytes) {
    const length = Math.min(size, END_WITHIN_BYTES);
    const end = await store.open(id, { offset: size - length, length });
    return end && !hasEnd(await readBytes(end.body, length)) ? damaged : {};
  }
  const bytes = await input.bytes();
  if (!hasEnd(bytes)) return damaged;
  const soundness = soundnessOf(bytes);
  return soundness === "none" ? notADocument("application/zip") : soundness === "damaged" ? damaged : {};
}

async function factsOfPdf(
  document: { readonly file: StoredFile; readonly input: Input },
  service: PageServices,
  signal: AbortSignal,
): Promise<object> {
  try {
    const facts = await documentProperties(document, service, signal);
    const pageSizes = facts.sizes.slice(0, LISTED_SIZES).map(([width, height]) => ({ width, height }));
    return { pages: facts.pageCount, pageSizes };
  } catch (error) {
    const reason = error instanceof EngineFailure ? error.reason : "crashed";
    if (UNREADABLE.includes(reason)) return { problem: toServiceError(error).message };
    if (WITHOUT_FACTS.includes(reason)) return {};
    throw error;
  }
}
