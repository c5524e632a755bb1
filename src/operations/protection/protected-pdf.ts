// Opens a PDF with its passwords, and writes copies with other passwords. Shared by the operations of this folder.
import { EngineFailure, OutOfRange } from "../../document/contract/failure.ts";
import { namedNotices } from "../../document/contract/notice.ts";
import type { Context, Input, Output } from "../../document/contract/operation.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { Aes256, areSamePassword, type Protection } from "../../document/encryption/aes256.ts";
import { EVERYTHING } from "../../document/encryption/permissions.ts";
import type { Passwords } from "../../document/engines/mupdf/document.ts";
import type { PdfFile } from "../../document/objects/pdf-file.ts";
import { Dictionary, Name, PdfString } from "../../document/objects/values.ts";
import { type Encryption, writeFile } from "../../document/objects/writer.ts";
import { isClassic, metadataOf } from "../../document/pages/claims.ts";
import { type OpenPdf, openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";

/** Name of the crypt filter. */
const FILTER = "StdCF";
/** The first version that has AES-256 without an extension. */
const VERSION_WITH_AES_256 = "2.0";
/** Adobe's extension of version 1.7 that has revision 6 of the security handler. */
const EXTENSION_LEVEL = 8;
/** The standards that forbid encryption (ISO 19005-1, 6.1.3), PDF/VT as a kind of PDF/X. */
const UNENCRYPTED_FAMILIES: ReadonlySet<string> = new Set(["PDF/A", "PDF/X", "PDF/VT"]);

/** The failure because of a wrong password. */
const WRONG = { open: "password-protected", permissions: "permissions-required" } as const;

/**
 * Opens a PDF with the passwords that a client sent.
 * @throws EngineFailure `password-required` if there are none, but the document needs one; `password-protected` if the
 *   open password is wrong; `permissions-required` if the permissions password is wrong
 */
export async function openProtected(input: Input, passwords: Passwords, context: Context): Promise<OpenPdf> {
  try {
    const pdf = await openPdf(await input.bytes(), context, { passwords });
    const { isLocked, access } = pdf.source;
    if (!isLocked && access.wrong === undefined) return pdf;
    pdf[Symbol.dispose]();
    if (isLocked) throw new EngineFailure("password-protected", "only its attachments are encrypted");
    throw new EngineFailure(WRONG[access.wrong!], "a password is wrong, although another one opens the document");
  } catch (error) {
    if (!(error instanceof EngineFailure && error.reason === "password-protected")) throw error;
    if (passwords.open !== undefined) throw error;
    const reason = passwords.permissions === undefined ? "password-required" : "permissions-required";
    throw new EngineFailure(reason, error.detail, { cause: error });
  }
}

/**
 * Returns the open password if the copy keeps it: the document has one, and the client sent it.
 * @throws EngineFailure `permissions-required` if no password is the permissions password; `password-protected` if the
 *   open password is wrong; OutOfRange see {@link checkKept}
 */
export function keptOpenPassword({ source }: OpenPdf, sent: string | undefined): string | undefined {
  const { isOwner, isUser, needsPassword } = source.access;
  if (!isOwner) throw new EngineFailure("permissions-required", "no password is the permissions password");
  if (sent === undefined || !needsPassword) return undefined;
  if (!isUser) throw new EngineFailure("password-protected", "the open password is wrong");
  checkKept("currentOpenPassword", sent);
  return sent;
}

/** @throws OutOfRange if SASLprep leaves nothing of a password that the copy keeps: the copy would open without it */
export function checkKept(parameter: string, password: string): void {
  if (areSamePassword(password, "")) throw new OutOfRange(parameter, SECRET, "It has no characters after SASLprep.");
}

/** Returns the permissions of a user without the permissions password, and the revision that defines their meaning. */
export function permissionsOf({ file, source }: OpenPdf): { readonly permissions: number; readonly revision: number } {
  const encryption = source.encryption();
  const { P = EVERYTHING, R = 0 } = { P: file.number(encryption?.get("P")), R: file.number(encryption?.get("R")) };
  return { permissions: P, revision: R };
}

/** Returns an unencrypted copy; the document itself if it is not encrypted. */
export function plainCopy({ bytes, file, source, notices }: OpenPdf): Output {
  if (!source.isEncrypted) return pdfOutput(bytes);
  withdrawExtension(file);
  return pdfOutput(writeFile(file, undefined, { classic: isClassic(file), keepsStreams: true }), keptNotices(notices));
}

/** Returns a copy that is encrypted with AES-256. Its claims of conformance stay, so that they hold after decryption. */
export function protectedCopy({ file, notices }: OpenPdf, protection: Protection): Output {
  const { claims } = metadataOf({ file });
  const suspended = [...claims].filter(([family]) => UNENCRYPTED_FAMILIES.has(family)).map(([, name]) => ({ name }));
  declareExtension(file);
  return pdfOutput(writeFile(file, undefined, { encryption: encryptionOf(protection), keepsStreams: true }), [
    ...keptNotices(notices),
    ...namedNotices("claims-suspended", suspended),
  ]);
}

/** Omits the notice that the old passwords are lost, because the client requested it. */
const keptNotices = (notices: OpenPdf["notices"]) => notices.filter(({ code }) => code !== "protection-removed");

function encryptionOf(protection: Protection): Encryption {
  const aes = new Aes256(protection);
  const { P, ...strings } = aes.entries;
  const filter = Dictionary.of({ Type: Name.of("CryptFilter"), CFM: Name.of("AESV3"), AuthEvent: Name.of("DocOpen") });
  const dictionary = Dictionary.of({
    ...{ Filter: Name.of("Standard"), V: 5, R: 6, Length: 256, P },
    ...Object.fromEntries(Object.entries(strings).map(([key, bytes]) => [key, new PdfString(bytes)])),
    ...{ StmF: Name.of(FILTER), StrF: Name.of(FILTER), EncryptMetadata: true },
    CF: Dictionary.of({ [FILTER]: filter.set("Length", 32) }),
  });
  return { dictionary, seal: (bytes) => aes.seal(bytes) };
}

/** Declares Adobe's extension, without which AES-256 requires version 2.0 (ISO 32000-1, 7.12). */
function declareExtension(file: PdfFile): void {
  if (file.version >= VERSION_WITH_AES_256) return;
  const { extensions, level } = extensionsOf(file);
  if (level >= EXTENSION_LEVEL) return;
  extensions.set("ADBE", Dictionary.of({ BaseVersion: Name.of("1.7"), ExtensionLevel: EXTENSION_LEVEL }));
  file.catalog = file.catalog.clone().set("Extensions", extensions);
}

/** Removes the declaration of {@link declareExtension}. */
function withdrawExtension(file: PdfFile): void {
  const { extensions, level } = extensionsOf(file);
  if (level !== EXTENSION_LEVEL) return;
  extensions.delete("ADBE");
  const catalog = file.catalog.clone();
  if ([...extensions.keys()].some((key) => key !== "Type")) catalog.set("Extensions", extensions);
  else catalog.delete("Extensions");
  file.catalog = catalog;
}

function extensionsOf(file: PdfFile): { readonly extensions: Dictionary; readonly level: number } {
  const extensions = file.dictionary(file.catalog.get("Extensions"))?.clone() ?? new Dictionary();
  const level = file.number(file.dictionary(extensions.get("ADBE"))?.get("ExtensionLevel")) ?? 0;
  return { extensions, level };
}
