// Reads the parts of a certificate (RFC 5280, 4.1) that identify a signer. Does not check whether a certificate is
// trusted.
import { type Element, elementsIn, firstElement, InvalidAsn1, identifierOf, octetsOf, TAG, textOf } from "./der.ts";

export interface Certificate {
  /** The common name of its subject; without one, its organization. */
  readonly name: string;
  /** SubjectPublicKeyInfo, in DER. */
  readonly key: Uint8Array;
  readonly issuer: Uint8Array;
  readonly serial: Uint8Array;
  /** Its identifier in signatures that do not name the issuer. */
  readonly keyIdentifier: Uint8Array | undefined;
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const KEY_IDENTIFIER = "2.5.29.14";
/** Attributes of a name, the best first: common name, organizational unit, organization. */
const NAMES = ["2.5.4.3", "2.5.4.11", "2.5.4.10"];

/** @throws InvalidAsn1 */
export function readCertificate(certificate: Element): Certificate {
  const body = firstElement(certificate.content);
  const parts = [...elementsIn(body.content)].filter(({ tag }) => tag !== VERSION);
  const [serial, , issuer, , subject, key] = parts;
  if (!serial || !issuer || !subject || !key) throw new InvalidAsn1();
  const extensions = parts.find(({ tag }) => tag === EXTENSIONS);
  return {
    ...{ name: nameIn(subject), key: key.bytes, issuer: issuer.bytes, serial: serial.bytes },
    keyIdentifier: extensions && keyIdentifierIn(firstElement(extensions.content)),
  };
}

function nameIn({ content }: Element): string {
  const names = new Map<string, string>();
  for (const group of elementsIn(content)) {
    for (const attribute of elementsIn(group.content)) {
      const [type, value] = elementsIn(attribute.content);
      if (type && value) names.set(identifierOf(type), textOf(value));
    }
  }
  return names.get(NAMES.find((type) => names.has(type)) ?? "") ?? "";
}

function keyIdentifierIn({ content }: Element): Uint8Array | undefined {
  for (const extension of elementsIn(content)) {
    const [type, ...rest] = elementsIn(extension.content);
    const value = rest.find(({ tag }) => tag === TAG.octets);
    if (type && value && identifierOf(type) === KEY_IDENTIFIER) return octetsOf(firstElement(value.content));
  }
  return undefined;
}
