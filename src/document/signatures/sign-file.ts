// Signs a document: appends the changed objects to its bytes, and the signature over all of them except itself
// (ISO 32000-2, 12.8.1).
import { createHash } from "node:crypto";
import { EngineFailure } from "../contract/failure.ts";
import type { Chunks, Context } from "../contract/operation.ts";
import { appendix, hasGenerations, lastSection } from "../objects/appendix.ts";
import { serialize } from "../objects/serialize.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { Dictionary, Name, PdfString, type Reference, type Value } from "../objects/values.ts";
import { writeFile } from "../objects/writer.ts";
import { isClassic } from "../pages/claims.ts";
import { type OpenPdf, openPdf } from "../pages/open-pdf.ts";
import type { Credential } from "../signing/credential.ts";
import { type Stamp, signDetached } from "../signing/write-cms.ts";

/** Texts of a signature dictionary (table 255). */
export interface SignatureTexts {
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  readonly location?: string | undefined;
  readonly contact?: string | undefined;
}

/** Bytes of a signature besides certificates, and those of a time stamp, which has its own. */
const SIGNATURE_BYTES = 1536;
const TIME_STAMP_BYTES = 12_288;
/** Place of the byte range, whose numbers are known only when the section is written. */
const RANGE_DIGITS = 10;
const RANGE_SPACE = " ".repeat(3 * (RANGE_DIGITS + 1));

/**
 * Opens a document to which a signature can be appended. If that is impossible, because the file is encrypted or
 * damaged, opens a copy, which has lost its earlier signatures; the notices tell.
 */
export async function openToSign(bytes: Uint8Array, context: Context, password?: string): Promise<OpenPdf> {
  const own = await openPdf(bytes, context, { asIs: true, passwords: { open: password } });
  const { source, file } = own;
  const isSound = !source.isEncrypted && !source.wasRepaired() && !source.hasNewPageTree;
  if (isSound && lastSection(bytes) && !hasGenerations(bytes)) return own;
  using pdf = own;
  pdf.unprotect();
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeFile(file, undefined, { classic: isClassic(file), keepsStreams: true })) {
    pdf.budget.charge(chunk.length);
    chunks.push(chunk);
  }
  const copy = await openPdf(new Uint8Array(Buffer.concat(chunks)), context, { asIs: true });
  copy.notices.push(...pdf.notices);
  return copy;
}

/** Returns the dictionary of a signature without the entries that depend on its place in the file. */
export function signatureDictionary(
  { name, reason, location, contact }: SignatureTexts,
  date: Date,
  references: Value[],
): Dictionary {
  const text = (value: string | undefined) => (value === undefined ? undefined : encodeTextString(value));
  return Dictionary.of({
    ...{ Type: Name.of("Sig"), Filter: Name.of("Adobe.PPKLite"), SubFilter: Name.of("ETSI.CAdES.detached") },
    M: PdfString.ofLatin1(`D:${date.toISOString().replace(/\D/g, "").slice(0, 14)}Z`),
    ...{ Name: text(name), Reason: text(reason), Location: text(location), ContactInfo: text(contact) },
    Reference: references.length > 0 ? references : undefined,
  });
}

/**
 * Returns the signed document.
 * @param reference of the signature, reserved
 * @param stamp @default the signature has no time stamp
 */
export async function sign(
  { bytes, file }: OpenPdf,
  signature: { readonly reference: Reference; readonly dictionary: Dictionary },
  credential: Credential,
  stamp?: Stamp,
): Promise<Chunks> {
  const section = lastSection(bytes);
  if (!section) throw new EngineFailure("crashed", "the file has no last section");
  const certificateBytes = credential.certificates.reduce((sum, { length }) => sum + length, 0);
  const holeBytes = SIGNATURE_BYTES + certificateBytes + (stamp ? TIME_STAMP_BYTES : 0);
  const before = "<</Contents";
  const hole = `<${"0".repeat(2 * holeBytes)}>`;
  const rest = serialize(signature.dictionary, ({ number }) => number).slice(2);
  const text = `${before}${hole}/ByteRange[0${RANGE_SPACE}]${rest}`;
  const added = appendix(bytes, file, section, { reference: signature.reference, text });
  const from = added.textAt + before.length;
  const to = from + hole.length;
  const range = [bytes.length + from, bytes.length + to, added.bytes.length - to];
  added.bytes.write(range.map((number) => ` ${String(number).padStart(RANGE_DIGITS)}`).join(""), to + 12, "latin1");
  const digest = createHash(credential.digest);
  for (const piece of [bytes, added.bytes.subarray(0, from), added.bytes.subarray(to)]) digest.update(piece);
  const value = await signDetached(credential, digest.digest(), stamp);
  if (value.length > holeBytes) {
    throw new EngineFailure(stamp ? "time-stamp-failed" : "crashed", `a signature of ${value.length} bytes`);
  }
  added.bytes.write(Buffer.from(value).toString("hex"), from + 1, "latin1");
  return [bytes, added.bytes];
}
