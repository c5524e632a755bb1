// Opens PKCS #12 files (RFC 7292), which contain a private key and certificates: those that old programs write (RC2 or
// Triple DES, SHA-1), and those of today (AES, SHA-2).
import { createHmac } from "node:crypto";
import { isEqual } from "./cms.ts";
import {
  type Element,
  elementsIn,
  firstElement,
  InvalidAsn1,
  identifierOf,
  numberIn,
  octetsOf,
  readAlgorithm,
  TAG,
} from "./der.ts";
import {
  decryptedBy,
  deriveKey,
  MESSAGE_CODES,
  oldKey,
  UnknownEncryption,
  WrongPassphrase,
} from "./password-encryption.ts";
import { DIGESTS } from "./verify.ts";

export interface Pkcs12 {
  /** Private keys, as PKCS #8. */
  readonly keys: readonly Uint8Array[];
  readonly certificates: readonly Uint8Array[];
}

export const DATA = "1.2.840.113549.1.7.1";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const BAGS = "1.2.840.113549.1.12.10.1.";
const KEY_BAG = `${BAGS}1`;
const SHROUDED_KEY_BAG = `${BAGS}2`;
const CERTIFICATE_BAG = `${BAGS}3`;
const NESTED_BAGS = `${BAGS}6`;
const PBMAC1 = "1.2.840.113549.1.5.14";
/** Kind of a key of a message authentication code (RFC 7292, B.3). */
const MAC_KEY = 3;
const MAX_BAGS = 200;
/** Each encrypted part has a key of its own, whose derivation takes up to a second. Programs write two or three. */
const MAX_ENCRYPTED_PARTS = 10;

/** @throws WrongPassphrase, InvalidAsn1, UnknownEncryption */
export function openPkcs12(file: Uint8Array, passphrase: string): Pkcs12 {
  const [, content, mac] = elementsIn(firstElement(file).content);
  const [type, wrapped] = content ? elementsIn(content.content) : [];
  if (!type || !wrapped || identifierOf(type) !== DATA) throw new InvalidAsn1();
  const safe = octetsOf(firstElement(wrapped.content));
  if (mac && !isAuthentic(safe, mac, passphrase)) throw new WrongPassphrase();
  const found = new Bags(passphrase);
  for (const part of elementsIn(firstElement(safe).content)) found.readPart(part);
  return found;
}

function isAuthentic(safe: Uint8Array, { content }: Element, passphrase: string): boolean {
  const [info, salt, count] = elementsIn(content);
  const [algorithm, digest] = info ? elementsIn(info.content) : [];
  if (!algorithm || !digest || !salt) throw new InvalidAsn1();
  const { identifier, parameters } = readAlgorithm(algorithm);
  if (identifier === PBMAC1) {
    const [derivation, scheme] = parameters ? elementsIn(parameters.content) : [];
    const [, settings] = derivation ? elementsIn(derivation.content) : [];
    const name = scheme && MESSAGE_CODES[readAlgorithm(scheme).identifier];
    if (!settings || !name) throw new UnknownEncryption();
    const key = deriveKey(settings, passphrase, 0);
    return isEqual(createHmac(name, key).update(safe).digest(), octetsOf(digest));
  }
  const name = DIGESTS[identifier];
  if (name === undefined) throw new UnknownEncryption();
  const iterations = count ? numberIn(count) : 1;
  const key = oldKey({ name, kind: MAC_KEY, salt: octetsOf(salt), iterations, passphrase });
  return isEqual(createHmac(name, key).update(safe).digest(), octetsOf(digest));
}

/** Collects the keys and certificates of the parts of a file. */
class Bags implements Pkcs12 {
  readonly keys: Uint8Array[] = [];
  readonly certificates: Uint8Array[] = [];
  readonly #passphrase: string;
  #count = 0;
  #encryptedParts = 0;

  constructor(passphrase: string) {
    this.#passphrase = passphrase;
  }

  readPart({ content }: Element): void {
    const [type, wrapped] = elementsIn(content);
    if (!type || !wrapped) throw new InvalidAsn1();
    const inner = firstElement(wrapped.content);
    if (identifierOf(type) === DATA) this.#readBags(octetsOf(inner));
    if (identifierOf(type) !== ENCRYPTED_DATA) return;
    const [, encrypted] = elementsIn(inner.content);
    const [, algorithm, bytes] = encrypted ? elementsIn(encrypted.content) : [];
    if (!algorithm || !bytes) throw new InvalidAsn1();
    this.#readBags(this.#decrypted(algorithm, octetsOf(bytes)));
  }

  #readBags(list: Uint8Array): void {
    for (const bag of elementsIn(firstElement(list).content)) {
      const [type, wrapped] = elementsIn(bag.content);
      if (!type || !wrapped || this.#count++ >= MAX_BAGS) throw new InvalidAsn1();
      this.#readBag(identifierOf(type), firstElement(wrapped.content));
    }
  }

  #readBag(type: string, value: Element): void {
    const [first, second] = value.tag === TAG.sequence ? elementsIn(value.content) : [];
    if (type === KEY_BAG) this.keys.push(value.bytes);
    else if (type === NESTED_BAGS) this.#readBags(value.bytes);
    else if (type === SHROUDED_KEY_BAG && first && second) {
      this.keys.push(this.#decrypted(first, octetsOf(second)));
    } else if (type === CERTIFICATE_BAG && second) {
      this.certificates.push(octetsOf(firstElement(second.content)));
    }
  }

  #decrypted(algorithm: Element, bytes: Uint8Array): Uint8Array {
    if (this.#encryptedParts++ >= MAX_ENCRYPTED_PARTS) throw new UnknownEncryption();
    return decryptedBy(readAlgorithm(algorithm), this.#passphrase, bytes);
  }
}
