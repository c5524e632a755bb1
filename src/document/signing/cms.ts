// Reads signatures in the Cryptographic Message Syntax (RFC 5652, 5), formerly PKCS #7.
import { type Certificate, readCertificate } from "./certificate.ts";
import {
  type AlgorithmIdentifier,
  type Element,
  elementsIn,
  firstElement,
  InvalidAsn1,
  identifierOf,
  octetsOf,
  readAlgorithm,
  TAG,
  timeOf,
} from "./der.ts";

/** A signature of one signer. */
export interface CmsSignature {
  /** Undefined if the signature lacks the signer's certificate. */
  readonly certificate: Certificate | undefined;
  /** All certificates in the signature that can be read. */
  readonly certificates: readonly Certificate[];
  /** The time stamp of the signature (RFC 3161, appendix A), in CMS. */
  readonly timeStamp: Uint8Array | undefined;
  /** The signed content, if the signature contains it. */
  readonly content: Uint8Array | undefined;
  readonly digest: string;
  readonly algorithm: AlgorithmIdentifier;
  readonly value: Uint8Array;
  /** The signed attributes, in the encoding that is signed; undefined if the content itself is signed. */
  readonly attributes: Uint8Array | undefined;
  /** The signed digest of the content. */
  readonly messageDigest: Uint8Array | undefined;
  /** The signed digest of the signer's certificate (RFC 5035), which binds the signature to its name. */
  readonly certificateDigest: { readonly algorithm: string; readonly digest: Uint8Array } | undefined;
  readonly time: string | undefined;
}

export const SIGNED_DATA = "1.2.840.113549.1.7.2";
export const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.12";
export const SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47";
const SHA1 = "1.3.14.3.2.26";
const SHA256 = "2.16.840.1.101.3.4.2.1";
const SIGNING_TIME = "1.2.840.113549.1.9.5";
export const TIME_STAMP = "1.2.840.113549.1.9.16.2.14";
/** Tags of optional parts, and of a signer that is identified by its key. */
const FIRST = 0xa0;
const SECOND = 0xa1;
const KEY_IDENTIFIER = 0x80;
/** Hostile signatures can have any number of certificates. */
const MAX_CERTIFICATES = 100;

/** @throws InvalidAsn1 */
export function readCms(bytes: Uint8Array): CmsSignature {
  const [type, wrapped] = elementsIn(firstElement(bytes).content);
  if (!type || !wrapped || identifierOf(type) !== SIGNED_DATA) throw new InvalidAsn1();
  const parts = [...elementsIn(firstElement(wrapped.content).content)];
  const signers = parts.at(-1);
  const encapsulated = parts[2];
  if (parts.length < 4 || !encapsulated || signers?.tag !== TAG.set) throw new InvalidAsn1();
  const [, content] = elementsIn(encapsulated.content);
  const certificates = parts.slice(3, -1).find(({ tag }) => tag === FIRST);
  return {
    ...readSigner(firstElement(signers.content), certificatesIn(certificates)),
    content: content && octetsOf(firstElement(content.content)),
  };
}

function readSigner(signer: Element, certificates: readonly Certificate[]): Omit<CmsSignature, "content"> {
  const [, identity, digest, ...rest] = elementsIn(signer.content);
  const attributes = rest[0]?.tag === FIRST ? rest.shift() : undefined;
  const [algorithm, value, unsigned] = rest;
  if (!identity || !digest || !algorithm || !value) throw new InvalidAsn1();
  const signed = attributes ? attributesIn(attributes) : new Map<string, Element>();
  const [messageDigest, time] = [signed.get(MESSAGE_DIGEST), signed.get(SIGNING_TIME)];
  return {
    ...{ certificate: certificates.find((one) => isOf(identity, one)), certificates },
    timeStamp: unsigned?.tag === SECOND ? attributesIn(unsigned).get(TIME_STAMP)?.bytes : undefined,
    digest: readAlgorithm(digest).identifier,
    algorithm: readAlgorithm(algorithm),
    value: octetsOf(value),
    attributes: attributes && asSet(attributes.bytes),
    messageDigest: messageDigest && octetsOf(messageDigest),
    time: time && timeOf(time),
    certificateDigest:
      certificateDigestIn(signed.get(SIGNING_CERTIFICATE_V2), SHA256) ??
      certificateDigestIn(signed.get(SIGNING_CERTIFICATE), SHA1),
  };
}

/** @param defaultAlgorithm the algorithm if it is not stated */
function certificateDigestIn(attribute: Element | undefined, defaultAlgorithm: string) {
  if (!attribute) return undefined;
  const [first, second] = elementsIn(firstElement(firstElement(attribute.content).content).content);
  if (first?.tag !== TAG.sequence) return first && { algorithm: defaultAlgorithm, digest: octetsOf(first) };
  return second && { algorithm: readAlgorithm(first).identifier, digest: octetsOf(second) };
}

/** Returns the first value of each attribute. */
function attributesIn({ content }: Element): ReadonlyMap<string, Element> {
  const values = new Map<string, Element>();
  for (const attribute of elementsIn(content)) {
    const [type, set] = elementsIn(attribute.content);
    if (type && set) values.set(identifierOf(type), firstElement(set.content));
  }
  return values;
}

/** Attributes are signed with the tag of a set, which they do not have inside the signature (5.4). */
function asSet(bytes: Uint8Array): Uint8Array {
  const set = new Uint8Array(bytes);
  set[0] = TAG.set;
  return set;
}

function certificatesIn(list: Element | undefined): readonly Certificate[] {
  const certificates: Certificate[] = [];
  for (const element of list ? elementsIn(list.content) : []) {
    if (certificates.length >= MAX_CERTIFICATES) break;
    try {
      if (element.tag === TAG.sequence) certificates.push(readCertificate(element));
    } catch (error) {
      // Only the certificate of the signer must be readable.
      if (!(error instanceof InvalidAsn1)) throw error;
    }
  }
  return certificates;
}

function isOf(identity: Element, { issuer, serial, keyIdentifier }: Certificate): boolean {
  if (identity.tag === KEY_IDENTIFIER) return keyIdentifier !== undefined && isEqual(identity.content, keyIdentifier);
  const [name, number] = elementsIn(identity.content);
  return name !== undefined && number !== undefined && isEqual(name.bytes, issuer) && isEqual(number.bytes, serial);
}

export const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
