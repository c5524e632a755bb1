// Reads the credentials of a signer: a private key and its certificates, from a PKCS #12 file or from separate files.
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { type Certificate, readCertificate } from "./certificate.ts";
import { isEqual } from "./cms.ts";
import { firstElement, InvalidAsn1 } from "./der.ts";
import { UnknownEncryption, WrongPassphrase } from "./password-encryption.ts";
import { openPkcs12 } from "./pkcs12.ts";

export interface Credential {
  readonly key: KeyObject;
  readonly certificate: Certificate;
  /** The certificate, and those that lead to its authority, as they were sent. */
  readonly certificates: readonly Uint8Array[];
  /** Name of the digest that suits the key. */
  readonly digest: "sha256" | "sha384";
}

/** A credential that cannot sign. The message is for the client, and quotes nothing secret. */
export class UnusableCredential extends Error {
  readonly part: "pfx" | "passphrase" | "certificate" | "key";
  constructor(part: UnusableCredential["part"], message: string) {
    super(message);
    this.part = part;
  }
}

const RSA_BITS = { min: 2048, max: 4096 };
/** Names of elliptic curves, as Node and the Worker's runtime have them, with their digests. */
const CURVES: Readonly<Record<string, Credential["digest"]>> = {
  ...{ prime256v1: "sha256", "P-256": "sha256", secp384r1: "sha384", "P-384": "sha384" },
};
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g;
const PEM_START = /^\s*-----BEGIN /;
const ENCRYPTED = /ENCRYPTED/;
const FORMATS = ["pkcs8", "pkcs1", "sec1"] as const;
const MAX_CERTIFICATES = 30;

/** @throws UnusableCredential */
export function fromPkcs12(file: Uint8Array, passphrase: string): Credential {
  try {
    const { keys, certificates } = openPkcs12(file, passphrase);
    const [key] = keys;
    if (!key) throw new UnusableCredential("pfx", "It contains no private key.");
    return credentialOf(keyIn(key, "pfx"), certificates, "pfx");
  } catch (error) {
    if (error instanceof WrongPassphrase) throw new UnusableCredential("passphrase", "It does not open the file.");
    if (error instanceof InvalidAsn1) throw new UnusableCredential("pfx", "It is not a PKCS #12 file.");
    if (error instanceof UnknownEncryption) throw new UnusableCredential("pfx", "Its encryption is not supported.");
    throw error;
  }
}

/** @param certificate one or several certificates; the order does not matter. @throws UnusableCredential */
export function fromFiles(certificate: Uint8Array, key: Uint8Array): Credential {
  const certificates = blocksIn(certificate).flatMap(({ label, bytes }) =>
    /^(X509 )?CERTIFICATE$/.test(label ?? "CERTIFICATE") ? [bytes] : [],
  );
  const blocks = blocksIn(key);
  const own = blocks.find(({ label = "PRIVATE KEY" }) => label.endsWith("PRIVATE KEY"));
  if (!own) throw new UnusableCredential("key", "It contains no private key.");
  if (own.isEncrypted) {
    throw new UnusableCredential("key", "It is encrypted. Send the key without a passphrase, or in a PKCS #12 file.");
  }
  return credentialOf(keyIn(own.bytes, "key"), certificates, "certificate");
}

export interface Block {
  /** The label of PEM (RFC 7468). @default the file is DER */
  readonly label?: string;
  readonly isEncrypted?: boolean;
  readonly bytes: Uint8Array;
}

/** Returns the parts of a file in PEM; a file in DER is one part. */
export function blocksIn(file: Uint8Array): readonly Block[] {
  const text = Buffer.from(file).toString("latin1");
  if (!PEM_START.test(text) && !text.includes("\n-----BEGIN ")) return [{ bytes: file }];
  return [...text.matchAll(PEM)].map(([, label = "", body = ""]) => ({
    ...{ label, isEncrypted: ENCRYPTED.test(label + body) },
    bytes: Buffer.from(body.replace(/^[\w-]+:.*$/gm, ""), "base64"),
  }));
}

function keyIn(der: Uint8Array, part: UnusableCredential["part"]): KeyObject {
  for (const type of FORMATS) {
    try {
      return createPrivateKey({ key: Buffer.from(der), format: "der", type });
    } catch {
      // The key has another format.
    }
  }
  throw new UnusableCredential(part, "The private key cannot be read.");
}

function credentialOf(key: KeyObject, files: readonly Uint8Array[], part: UnusableCredential["part"]): Credential {
  const digest = digestFor(key, part === "pfx" ? "pfx" : "key");
  const own = publicKeyOf(createPublicKey(key));
  const certificates = files.slice(0, MAX_CERTIFICATES).map((bytes) => certificateIn(bytes, part));
  if (certificates.length === 0) throw new UnusableCredential(part, "It contains no certificate.");
  const certificate = certificates.find(({ key }) => isEqual(keyOfCertificate(key), own));
  if (!certificate) throw new UnusableCredential(part, "No certificate belongs to the private key.");
  const now = Date.now();
  const { validFrom, validTo } = certificate;
  if (Date.parse(validFrom ?? "") > now || Date.parse(validTo ?? "") < now) {
    throw new UnusableCredential(part, `The certificate is valid from ${validFrom} to ${validTo}.`);
  }
  const others = certificates.filter((one) => one !== certificate);
  return { key, certificate, certificates: [certificate, ...others].map(({ bytes }) => bytes), digest };
}

function certificateIn(bytes: Uint8Array, part: UnusableCredential["part"]): Certificate {
  try {
    return readCertificate(firstElement(bytes));
  } catch (error) {
    if (!(error instanceof InvalidAsn1)) throw error;
    throw new UnusableCredential(part, "It contains no readable certificate.");
  }
}

const publicKeyOf = (key: KeyObject): Uint8Array => key.export({ format: "der", type: "spki" });

/** Returns the key in the encoding of {@link publicKeyOf}; certificates can encode it differently. */
function keyOfCertificate(spki: Uint8Array): Uint8Array {
  try {
    return publicKeyOf(createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" }));
  } catch {
    return spki;
  }
}

function digestFor({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject, part: "pfx" | "key") {
  const bits = Number(details?.modulusLength ?? 0);
  if (type === "rsa" && bits >= RSA_BITS.min && bits <= RSA_BITS.max) return "sha256";
  const digest = type === "ec" ? CURVES[details?.namedCurve ?? ""] : undefined;
  if (digest) return digest;
  throw new UnusableCredential(part, "The key must be RSA with 2048 to 4096 bits, or on the curve P-256 or P-384.");
}
