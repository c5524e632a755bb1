// Reads the parts of a certificate (RFC 5280, 4.1) that identify a signer, and those that tell whether another
// certificate vouches for it.
import {
  type AlgorithmIdentifier,
  type Element,
  elementsIn,
  firstElement,
  InvalidAsn1,
  identifierOf,
  numberIn,
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
  /** Maximum number of authorities between it and a signer. @default any */
  readonly maxAuthorities: number | undefined;
  /** True if it may issue time stamps. */
  readonly isTimeStamper: boolean;
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
const KEY_USAGE = "2.5.29.15";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
/** Bit of KeyUsage of authorities, in its first byte, which follows the number of unused bits (4.2.1.3). */
const SIGNS_CERTIFICATES = 0x04;
const BOOLEAN = 0x01;
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
  const extension = (wanted: string) => extensions && extensionIn(firstElement(extensions.content), wanted);
  const [flag, length] = elementsIn(extension(BASIC_CONSTRAINTS)?.content ?? new Uint8Array(0));
  const [identifier, usage] = [extension(KEY_IDENTIFIER), extension(KEY_USAGE)];
  const purposes = elementsIn(extension(EXTENDED_KEY_USAGE)?.content ?? new Uint8Array(0));
  return {
    ...{ name: commonName(subject), key: key.bytes, issuer: issuer.bytes, serial: serial.bytes },
    ...{ bytes: certificate.bytes, subject: subject.bytes, validFrom: from, validTo: to },
    ...{ signed: body.bytes, algorithm: readAlgorithm(algorithm), value: value.content.subarray(1) },
    // Some programs write that a certificate is none of an authority, which is the default.
    isAuthority:
      flag?.tag === BOOLEAN && flag.content[0] !== 0 && (!usage || (usage.content[1]! & SIGNS_CERTIFICATES) !== 0),
    maxAuthorities: length && numberIn(length),
    isTimeStamper: [...purposes].some((purpose) => identifierOf(purpose) === TIME_STAMPING),
    keyIdentifier: identifier && octetsOf(identifier),
  };
}

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
