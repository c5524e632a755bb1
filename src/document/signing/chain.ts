// Builds the chain of certificates from a signer to an authority that the client trusts (RFC 5280, 6). Does not check
// whether certificates were revoked.
import { type Certificate, readCertificate } from "./certificate.ts";
import { isEqual } from "./cms.ts";
import { blocksIn } from "./credential.ts";
import { firstElement } from "./der.ts";
import { isSigned } from "./verify.ts";

export interface Chain {
  /** The certificate, and those of its authorities, as far as they are known. */
  readonly certificates: readonly Certificate[];
  /** True if the chain leads to a trusted certificate, and all are valid at the time. */
  readonly isTrusted: boolean;
}

const MAX_LENGTH = 10;
const RSA_WITH_MD5 = "1.2.840.113549.1.1.4";

/**
 * @param others certificates that can be part of the chain
 * @param timeMs time at which the certificates must be valid, in milliseconds since 1970
 */
export function chainOf(
  certificate: Certificate,
  others: readonly Certificate[],
  trusted: readonly Certificate[],
  timeMs: number,
): Chain {
  const certificates = [certificate];
  for (let last = certificate; certificates.length < MAX_LENGTH; ) {
    if (contains(trusted, last)) break;
    const issuer = [...trusted, ...others].find(
      (one) =>
        isEqual(one.subject, last.issuer) &&
        !contains(certificates, one) &&
        certificates.length - 1 <= (one.maxAuthorities ?? MAX_LENGTH) &&
        vouchesFor(one, last),
    );
    if (!issuer) break;
    certificates.push(issuer);
    last = issuer;
  }
  const isTrusted = contains(trusted, certificates.at(-1)!) && certificates.every((one) => isValidAt(one, timeMs));
  return { certificates, isTrusted };
}

const contains = (list: readonly Certificate[], { bytes }: Certificate) =>
  list.some((one) => isEqual(one.bytes, bytes));

/** Collisions of MD5 have forged certificates. */
const vouchesFor = ({ isAuthority, key }: Certificate, { algorithm, value, signed }: Certificate): boolean =>
  isAuthority &&
  algorithm.identifier !== RSA_WITH_MD5 &&
  isSigned({ algorithm, digest: "", value }, key, [signed]) === true;

const isValidAt = ({ validFrom = "", validTo = "" }: Certificate, timeMs: number): boolean =>
  Date.parse(validFrom) <= timeMs && timeMs <= Date.parse(validTo);

/** Reads certificates, in PEM or DER. @throws InvalidAsn1 */
export const certificatesOf = (file: Uint8Array): readonly Certificate[] =>
  blocksIn(file).map(({ bytes }) => readCertificate(firstElement(bytes)));
