// Tests which certificates vouch for others, and that a signature belongs to one certificate only.
// Contract: docs/api.md#verified-pdf
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import type { Certificate } from "../../../../src/document/signing/certificate.ts";
import { certificatesOf, chainOf } from "../../../../src/document/signing/chain.ts";
import { readCms } from "../../../../src/document/signing/cms.ts";
import { fromFiles } from "../../../../src/document/signing/credential.ts";
import { isIntact } from "../../../../src/document/signing/verify.ts";
import { signDetached } from "../../../../src/document/signing/write-cms.ts";
import { Authority } from "../../../fixtures/credentials.ts";

const authority = new Authority();
afterAll(() => authority[Symbol.dispose]());

/** Makes a certificate with a key of its own. @param options of `openssl x509` */
function issued(name: string, issuer: string, extensions: string, ...options: readonly string[]): Certificate {
  writeFileSync(authority.path("own"), extensions);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", `${name}.key`];
  authority.run("req", "-new", ...key, "-out", "request", "-subj", `/CN=${name}`);
  const from = ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`, "-days", "9", "-extfile", "own", ...options];
  authority.run("x509", "-req", "-in", "request", ...from, "-out", `${name}.pem`);
  return certificatesOf(authority.read(`${name}.pem`))[0]!;
}

test.for([
  ["an authority", "basicConstraints=CA:TRUE", true],
  ["an authority for signers only", "basicConstraints=CA:TRUE,pathlen:0", true],
  ["no authority", "basicConstraints=CA:FALSE", false],
  ["explicitly no authority", "basicConstraints=DER:30:03:01:01:00", false],
  ["an authority whose key is for other purposes", "basicConstraints=CA:TRUE\nkeyUsage=digitalSignature", false],
] as const)("%s vouches for a signer, or does not", ([, extensions, isTrusted]) => {
  const roots = certificatesOf(authority.certificate);
  const middle = issued("middle", "ca", extensions);
  const signer = issued("signer", "middle", "basicConstraints=CA:FALSE");
  expect(chainOf(signer, [middle], roots, Date.now()).isTrusted).toBe(isTrusted);
});

test("an authority for signers only does not vouch for authorities", () => {
  const outer = issued("outer", "ca", "basicConstraints=CA:TRUE,pathlen:0");
  const inner = issued("inner", "outer", "basicConstraints=CA:TRUE");
  const signer = issued("signer", "inner", "extendedKeyUsage=timeStamping");
  expect(chainOf(signer, [inner, outer], certificatesOf(authority.certificate), Date.now()).isTrusted).toBe(false);
  expect([inner.isTimeStamper, signer.isTimeStamper]).toEqual([false, true]);
});

test("a signature is not that of another certificate for the same key", async () => {
  const { key, certificate } = authority.signer("p256");
  const credential = fromFiles(authority.read(certificate), authority.read(key));
  const content = new TextEncoder().encode("content");
  const cms = readCms(await signDetached(credential, createHash("sha256").update(content).digest()));
  authority.run("pkey", "-in", key, "-pubout", "-out", "public");
  const other = issued("other", "ca", "basicConstraints=CA:FALSE", "-force_pubkey", "public");
  expect(other.key).toEqual(cms.certificate!.key);
  expect(isIntact(cms, [content])).toBe(true);
  expect(isIntact({ ...cms, certificate: other }, [content])).toBe(false);
});
