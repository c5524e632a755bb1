// Verifies that signed bytes are unchanged: their digest is the signed one, and the signature is one by the key of the
// certificate. Does not check whether the certificate is trusted.
import { constants, createHash, createVerify } from "node:crypto";
import { type CmsSignature, isEqual } from "./cms.ts";
import { type AlgorithmIdentifier, elementsIn, firstElement, readAlgorithm } from "./der.ts";

/** Names of digests for the cryptographic library (RFC 3370, 2; RFC 5754, 2). */
export const DIGESTS: Readonly<Record<string, string>> = {
  "1.2.840.113549.2.5": "md5",
  "1.3.14.3.2.26": "sha1",
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
  "2.16.840.1.101.3.4.2.4": "sha224",
};
/** Algorithms of signatures: their digest, unless another part of the signature names it (RFC 5754, 3; RFC 5758, 3). */
const ALGORITHMS: Readonly<Record<string, string | undefined>> = {
  "1.2.840.113549.1.1.1": undefined,
  "1.2.840.113549.1.1.4": "md5",
  "1.2.840.113549.1.1.5": "sha1",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.113549.1.1.14": "sha224",
  "1.2.840.10045.2.1": undefined,
  "1.2.840.10045.4.1": "sha1",
  "1.2.840.10045.4.3.1": "sha224",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
};
const PSS = "1.2.840.113549.1.1.10";
/** Tags of the parameters of PSS, and the length of its salt without one (RFC 4055, 3.1). */
const PSS_DIGEST = 0xa0;
const PSS_SALT = 0xa2;
const PSS_SALT_LENGTH = 20;

/** @returns undefined for an unknown digest */
export function digestOf(content: readonly Uint8Array[], identifier: string): Uint8Array | undefined {
  const name = DIGESTS[identifier];
  if (name === undefined) return undefined;
  const hash = createHash(name);
  for (const piece of content) hash.update(piece);
  return hash.digest();
}

/**
 * @param content the content of the signature, in pieces
 * @returns undefined if the signature cannot be verified: its certificate is missing, or an algorithm is unknown
 */
export function isIntact(signature: CmsSignature, content: readonly Uint8Array[]): boolean | undefined {
  const { attributes, messageDigest, certificate, digest, certificateDigest: bound } = signature;
  if (attributes) {
    const actual = digestOf(content, digest);
    if (!actual) return undefined;
    if (!messageDigest || !isEqual(actual, messageDigest)) return false;
    const own = bound && certificate && digestOf([certificate.bytes], bound.algorithm);
    if (own && !isEqual(own, bound.digest)) return false;
  }
  return certificate && isSigned(signature, certificate.key, attributes ? [attributes] : content);
}

/** Reports whether a signature is one by a key. @param signed the signed bytes, in pieces */
export function isSigned(
  { algorithm, digest, value }: Pick<CmsSignature, "algorithm" | "digest" | "value">,
  spki: Uint8Array,
  signed: readonly Uint8Array[],
): boolean | undefined {
  try {
    const key = { key: Buffer.from(spki), format: "der", type: "spki" } as const;
    const { name, ...padding } = schemeOf(algorithm, digest) ?? {};
    if (name === undefined) return undefined;
    const verifier = createVerify(name);
    for (const piece of signed) verifier.update(piece);
    return verifier.verify({ ...key, ...padding }, value);
  } catch {
    // The library does not know the kind of key, such as an elliptic curve, or the key is invalid.
    return undefined;
  }
}

function schemeOf({ identifier, parameters }: AlgorithmIdentifier, digest: string) {
  if (identifier !== PSS) {
    return identifier in ALGORITHMS ? { name: ALGORITHMS[identifier] ?? DIGESTS[digest] } : undefined;
  }
  const parts = parameters ? [...elementsIn(parameters.content)] : [];
  const [own, salt] = [PSS_DIGEST, PSS_SALT].map((tag) => parts.find((part) => part.tag === tag));
  return {
    name: own ? DIGESTS[readAlgorithm(firstElement(own.content)).identifier] : "sha1",
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: salt ? (firstElement(salt.content).content.at(-1) ?? 0) : PSS_SALT_LENGTH,
  };
}
