// Writes signatures in the Cryptographic Message Syntax (RFC 5652) as the profile PAdES B-B requires (ETSI EN 319 142-1,
// 6.3): the signed attributes bind the certificate of the signer, and do not contain the time.
import { createHash, createSign } from "node:crypto";
import { MESSAGE_DIGEST, SIGNED_DATA, SIGNING_CERTIFICATE_V2, TIME_STAMP } from "./cms.ts";
import type { Credential } from "./credential.ts";
import { identifier, integer, nothing, octets, sequence, setOf, tagged } from "./der-writer.ts";
import { DATA } from "./pkcs12.ts";

const CONTENT_TYPE = "1.2.840.113549.1.9.3";
export const DIGEST_IDENTIFIERS = { sha256: "2.16.840.1.101.3.4.2.1", sha384: "2.16.840.1.101.3.4.2.2" } as const;
const RSA_WITH_SHA256 = "1.2.840.113549.1.1.11";
const ECDSA_IDENTIFIERS = { sha256: "1.2.840.10045.4.3.2", sha384: "1.2.840.10045.4.3.3" } as const;

/** Adds a time stamp to a signature. @returns the token (RFC 3161, 2.4.2) */
export type Stamp = (value: Uint8Array) => Promise<Uint8Array>;

/**
 * Signs content that the signature does not contain.
 * @param digest the digest of the content, of the kind that the credential names
 * @param stamp @default the signature has no time stamp
 */
export async function signDetached(
  { key, certificate, certificates, digest: name }: Credential,
  digest: Uint8Array,
  stamp?: Stamp,
): Promise<Uint8Array> {
  const digestAlgorithm = sequence(identifier(DIGEST_IDENTIFIERS[name]));
  const attributes = [
    attribute(CONTENT_TYPE, identifier(DATA)),
    attribute(MESSAGE_DIGEST, octets(digest)),
    // SHA-256 is the default algorithm, which is left out (RFC 5035, 3).
    attribute(
      SIGNING_CERTIFICATE_V2,
      sequence(sequence(sequence(octets(createHash("sha256").update(certificate.bytes).digest())))),
    ),
  ].toSorted(Buffer.compare);
  const value = createSign(name)
    .update(setOf(...attributes))
    .sign(key);
  const algorithm =
    key.asymmetricKeyType === "rsa"
      ? sequence(identifier(RSA_WITH_SHA256), nothing)
      : sequence(identifier(ECDSA_IDENTIFIERS[name]));
  const signer = sequence(
    integer(1),
    sequence(certificate.issuer, certificate.serial),
    digestAlgorithm,
    tagged(0, ...attributes),
    algorithm,
    octets(value),
    ...(stamp ? [tagged(1, attribute(TIME_STAMP, await stamp(value)))] : []),
  );
  const signed = sequence(
    integer(1),
    setOf(digestAlgorithm),
    sequence(identifier(DATA)),
    tagged(0, ...certificates.toSorted(Buffer.compare)),
    setOf(signer),
  );
  return sequence(identifier(SIGNED_DATA), tagged(0, signed));
}

const attribute = (type: string, value: Uint8Array) => sequence(identifier(type), setOf(value));
