// Describes the signatures of a document (ISO 32000-2, 12.8), and verifies that the signed bytes are unchanged.
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { type Dictionary, latin1Of, type Value } from "../objects/values.ts";
import { readDate } from "../pdfa/metadata/document-information.ts";
import { readCertificate } from "../signing/certificate.ts";
import { type CmsSignature, isEqual, readCms } from "../signing/cms.ts";
import { firstElement, InvalidAsn1, octetsOf } from "../signing/der.ts";
import { type TimeStamp, timeStampIn } from "../signing/time-stamp.ts";
import { digestOf, isIntact } from "../signing/verify.ts";

export interface SignatureFact {
  readonly field: string;
  readonly signer: string;
  /** In the format of ISO 8601; empty if the signature has no date. */
  readonly date: string;
  readonly subfilter: string;
  /** True if the signature covers the whole file. */
  readonly covers_file: boolean;
  /** True if the signed bytes are unchanged; null if they cannot be verified. */
  readonly valid: boolean | null;
}

/** Approximate memory per signature. */
const SIGNATURE_BYTES = 400;
/** Maximum size of a signature. Those with many revocation lists have some megabytes. */
const MAX_CONTENTS_BYTES = 8 * 2 ** 20;
/** Maximum number of bytes to read for one document, in which any number of signatures can cover all bytes. */
const MAX_READ_BYTES = 2 ** 30;
/** Time to decode a byte of a signature, compared with the time to hash a byte. */
const DECODING = 8;
const HEX = /^<[\da-fA-F\s]*>$/;
const SHA1 = "1.3.14.3.2.26";
const RSA = { identifier: "1.2.840.113549.1.1.1", parameters: undefined };

/** The bytes that a signature covers. */
interface Covered {
  readonly pieces: readonly Uint8Array[];
  readonly contents: Uint8Array;
  readonly isWhole: boolean;
  readonly end: number;
}

/** A signature with what it says about itself. */
export interface ExaminedSignature extends SignatureFact {
  /** Number of bytes from the start of the file that the signature covers, with itself; 0 if it covers others. */
  readonly end: number;
  /** True if the bytes that it does not cover are its own; false for a dictionary with the range of another one. */
  readonly isOwn: boolean;
  readonly cms: CmsSignature | undefined;
}

export class SignatureReader {
  readonly #file: PdfFile;
  readonly #bytes: Uint8Array;
  #read = 0;

  /** @param bytes the bytes of the document */
  constructor(file: PdfFile, bytes: Uint8Array) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** @param field its fully qualified name */
  read(field: string, dictionary: Dictionary): SignatureFact {
    const { end: _, cms: __, isOwn: ___, ...fact } = this.examine(field, dictionary);
    return fact;
  }

  examine(field: string, dictionary: Dictionary): ExaminedSignature {
    const file = this.#file;
    file.budget.charge(SIGNATURE_BYTES);
    const subfilter = file.name(dictionary.get("SubFilter")) ?? "";
    const covered = this.#covered(dictionary);
    const found = covered && this.#verified(covered, subfilter, dictionary);
    const text = (key: string) => file.string(dictionary.get(key));
    const name = text("Name");
    const stated = readDate(text("M")?.latin1 ?? "")?.xmp;
    return {
      ...{ field, signer: found?.signer || (name ? decodeTextString(name).toWellFormed() : "") },
      ...{ date: found?.time ?? stated ?? "", subfilter },
      ...{ covers_file: covered?.isWhole ?? false, valid: found?.valid ?? (covered ? null : false) },
      ...{ end: covered?.end ?? 0, cms: found?.signature },
      isOwn: covered !== undefined && isEqual(covered.contents, text("Contents")?.bytes ?? new Uint8Array(0)),
    };
  }

  /** @returns undefined if the byte range is not that of a signature: everything except the signature itself */
  #covered(dictionary: Dictionary): Covered | undefined {
    const range = (this.#file.array(dictionary.get("ByteRange")) ?? []).map((value) => this.#file.number(value) ?? -1);
    const [start, length, next, rest] = range;
    if (range.length !== 4 || !range.every((number) => Number.isInteger(number) && number >= 0)) return undefined;
    const [end, last] = [start! + length!, next! + rest!];
    const size = next! - end;
    if (size < 2 || size > 2 * MAX_CONTENTS_BYTES || last > this.#bytes.length) return undefined;
    const isWhole = start === 0 && last === this.#bytes.length;
    this.#read += DECODING * size + length! + rest!;
    if (this.#read > MAX_READ_BYTES) return { pieces: [], contents: new Uint8Array(0), isWhole, end: 0 };
    const gap = latin1Of(this.#bytes.subarray(end, next));
    if (!HEX.test(gap)) return undefined;
    return {
      pieces: [this.#bytes.subarray(start, end), this.#bytes.subarray(next, last)],
      contents: Buffer.from(gap.slice(1, -1).replace(/\s/g, ""), "hex"),
      ...{ isWhole, end: start === 0 ? last : 0 },
    };
  }

  #verified({ pieces, contents }: Covered, subfilter: string, dictionary: Dictionary) {
    try {
      const signature = subfilter === "adbe.x509.rsa_sha1" ? this.#bare(contents, dictionary) : readCms(contents);
      const { certificate, time } = signature;
      const stamped = subfilter === "ETSI.RFC3161" && signature.content ? timeStampIn(signature.content) : undefined;
      const valid = isValid(signature, pieces, stamped);
      return { signer: certificate?.name, time: stamped?.time ?? time, valid, signature };
    } catch (error) {
      if (!(error instanceof InvalidAsn1)) throw error;
      return {};
    }
  }

  /** Reads a signature without CMS, whose certificate is in the dictionary (12.8.3.2). */
  #bare(contents: Uint8Array, dictionary: Dictionary): CmsSignature {
    const given: Value | undefined = dictionary.get("Cert");
    const certificate = this.#file.string(this.#file.array(given)?.[0] ?? given);
    return {
      certificate: certificate && readCertificate(firstElement(certificate.bytes)),
      ...{ digest: SHA1, algorithm: RSA, value: octetsOf(firstElement(contents)) },
      ...{ content: undefined, attributes: undefined, messageDigest: undefined, time: undefined, certificates: [] },
      ...{ timeStamp: undefined, certificateDigest: undefined },
    };
  }
}

/** A signature that contains its content contains a digest of the signed bytes (12.8.3.3.1, 12.8.5). */
function isValid(signature: CmsSignature, pieces: readonly Uint8Array[], stamped: TimeStamp | undefined) {
  const { content } = signature;
  if (!content?.length) return isIntact(signature, pieces);
  const actual = digestOf(pieces, stamped?.algorithm ?? SHA1);
  if (!actual) return undefined;
  return isEqual(actual, stamped?.digest ?? content) ? isIntact(signature, [content]) : false;
}
