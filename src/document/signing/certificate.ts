// Reads the parts of a certificate (RFC 5280, 4.1) that identify a signer, and those that tell whether another
// certificate vouches for it.
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
  textOf,
  timeOf,
} from "./der.ts";

export interface Certificate {
  /** The whole certificate, in DER. */
  readonly bytes: Uint8Array;
  /** The common name of its subject; without one, its organization. */
  readonly name: string;
  /** SubjectPublicKeyInfo, in DER. */
  readonly key: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  /** Times in the format of ISO 8601; undefined for an unreadable time. */
  readonly validFrom: string | undefined;
  readonly validTo: string | undefined;
  /** True if it may vouch for other certificates. */
  readonly isAuthority: boolean;
  /** The signature of the issuer: the signed bytes, its algorithm and its value. */
  readonly signed: Uint8Array;
  readonly algorithm: AlgorithmIdentifier;
  readonly value: Uint8Array;
  readonly serial: Uint8Array;
  /** Its identifier in signatures that do not name the issuer. */
  readonly keyIdentifier: Uint8Array | undefined;
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const KEY_IDENTIFIER = "2.5.29.14";
const BASIC_CONSTRAINTS = "2.5.29.19";
const TRUE = 0x01;
/** Attributes of a name, the best first: common name, organizational unit, organization. */
const NAMES = ["2.5.4.3", "2.5.4.11", "2.5.4.10"];

/** @throws InvalidAsn1 */
export function readCertificate(certificate: Element): Certificate {
  const [body, algorithm, value] = elementsIn(certificate.content);
  if (!body || !algorithm || !value) throw new InvalidAsn1();
  const parts = [...elementsIn(body.content)].filter(({ tag }) => tag !== VERSION);
  const [serial, , issuer, validity, subject, key] = parts;
  if (!serial || !issuer || !validity || !subject || !key) throw new InvalidAsn1();
  const extensions = parts.find(({ tag }) => tag === EXTENSIONS);
  const [from, to] = [...elementsIn(validity.content)].map(timeOf);
  const constraints = extensions && extensionIn(firstElement(extensions.content), BASIC_CONSTRAINTS);
  const identifier = extensions && extensionIn(firstElement(extensions.content), KEY_IDENTIFIER);
  return {
    ...{ name: commonName(subject), key: key.bytes, issuer: issuer.bytes, serial: serial.bytes },
    ...{ bytes: certificate.bytes, subject: subject.bytes, validFrom: from, validTo: to },
    ...{ signed: body.bytes, algorithm: readAlgorithm(algorithm), value: value.content.subarray(1) },
    isAuthority: constraints !== undefined && firstElementOr(constraints.content)?.tag === TRUE,
    keyIdentifier: identifier && octetsOf(identifier),
  };
}

const firstElementOr = (content: Uint8Array): Element | undefined =>
  content.length > 0 ? firstElement(content) : undefined;

/** Names of the attributes of a distinguished name (RFC 4514, 3). */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ...{ "2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "STREET", "2.5.4.10": "O" },
  ...{ "2.5.4.11": "OU", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID" },
  ...{ "1.2.840.113549.1.9.1": "emailAddress", "2.5.4.5": "serialNumber" },
};

/** Returns a distinguished name as text, most specific first: `CN=Ada Lovelace,O=Engines,C=GB` (RFC 4514, 2). */
export function distinguishedName(name: Uint8Array): string {
  const parts = [...attributesIn(firstElement(name))].map(
    ([type, value]) => `${SHORT_NAMES[type] ?? type}=${value.replace(/[\\,+"<>;]/g, "\\$&")}`,
  );
  return parts.toReversed().join(",");
}

function commonName(subject: Element): string {
  const names = new Map(attributesIn(subject));
  return names.get(NAMES.find((type) => names.has(type)) ?? "") ?? "";
}

function* attributesIn({ content }: Element): Generator<[type: string, value: string]> {
  for (const group of elementsIn(content)) {
    for (const attribute of elementsIn(group.content)) {
      const [type, value] = elementsIn(attribute.content);
      if (type && value) yield [identifierOf(type), textOf(value)];
    }
  }
}

function extensionIn({ content }: Element, wanted: string): Element | undefined {
  for (const extension of elementsIn(content)) {
    const [type, ...rest] = elementsIn(extension.content);
    const value = rest.find(({ tag }) => tag === TAG.octets);
    if (type && value && identifierOf(type) === wanted) return firstElement(value.content);
  }
  return undefined;
}
