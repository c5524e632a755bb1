// Signs documents as a client would, and asks other programs about the signatures.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { textOfFile } from "../../src/document/contract/parameters/text.ts";
import { signPdf } from "../../src/operations/sign-pdf.ts";
import { type Authority, PASSPHRASE } from "../fixtures/credentials.ts";
import { bytesOf, inputOf } from "./operations.ts";
import { said } from "./pdf-json.ts";
import { pythonVerifier } from "./python-readers.ts";
import { TYPESETTING } from "./typefaces.ts";

/** Returns the place of a new field on the first page. */
export const place = (left: number, bottom: number, right: number, top: number, page: number | string = 1) => ({
  location: { bottom_left: { x: left, y: bottom }, top_right: { x: right, y: top }, page },
});
/** A new field without an area. */
export const INVISIBLE = { type: "new", ...place(0, 0, 0, 0) };

/** @param credential files by parameter */
export async function signed(
  pdf: Uint8Array,
  credential: Readonly<Record<string, Uint8Array | string>>,
  signatureConfiguration: object = INVISIBLE,
  {
    logo,
    ...more
  }: { readonly logo?: Uint8Array; readonly timeStampUrl?: string; readonly currentOpenPassword?: string } = {},
) {
  const files = Object.entries(credential).map(([name, file]) => [
    name,
    typeof file === "string" ? file : textOfFile(file),
  ]);
  const configuration = signPdf.parameters.signatureConfiguration.kind.read(JSON.stringify(signatureConfiguration));
  const params = signPdf.params.parse({ signatureConfiguration: configuration, ...Object.fromEntries(files), ...more });
  const inputs = [inputOf(pdf), ...(logo ? [{ ...inputOf(logo, "logo.png"), role: "logo" }] : [])];
  for await (const output of signPdf.run(inputs, params, TYPESETTING)) {
    return { made: await bytesOf(output), notices: output.notices!() };
  }
  throw new Error("no output");
}

export const pfx = (file: Uint8Array) => ({ pfxCredentialFile: file, pfxPassphraseFile: PASSPHRASE });

/** Returns what pdfsig says about each signature. */
export const pdfsigSays = (pdf: Uint8Array): readonly string[] =>
  [...said(pdf, "pdfsig", "-nocert").matchAll(/Signature Validation: (.*)/g)].map(([, verdict]) => verdict!);

/** Returns a function that asks pyHanko about the signatures of files. */
export async function pyhanko(test: TestContext, authority: Authority) {
  const verify = await pythonVerifier(test, authority.path("ca.pem"));
  return (...pdfs: readonly Uint8Array[]) => {
    const paths = pdfs.map((_, index) => authority.path(`${index}.pdf`));
    for (const [index, path] of paths.entries()) writeFileSync(path, pdfs[index]!);
    return verify(paths);
  };
}

/** Verifies the last signature with OpenSSL, as CAdES. @returns its complaints */
export function opensslSays(pdf: Uint8Array, authority: Authority): string {
  const text = Buffer.from(pdf).toString("latin1");
  const [, from, to, rest] = [...text.matchAll(/ByteRange\s*\[\s*0\s+(\d+)\s+(\d+)\s+(\d+)/g)].at(-1)!.map(Number);
  const hex = text.slice(from! + 1, to! - 1);
  writeFileSync(authority.path("content"), Buffer.concat([pdf.subarray(0, from), pdf.subarray(to, to! + rest!)]));
  writeFileSync(authority.path("signature"), Buffer.from(hex, "hex"));
  const files = ["-in", "signature", "-content", "content", "-CAfile", "ca.pem", "-out", "verified"];
  const options = ["cms", "-verify", "-cades", "-binary", "-inform", "DER", "-purpose", "any", ...files];
  const { status, stderr } = spawnSync("openssl", options, { cwd: authority.folder, encoding: "utf8" });
  return status === 0 ? "" : stderr;
}

/** A time stamp authority: `openssl ts` behind HTTP. */
export async function startTimeStamps(authority: Authority) {
  const { key, certificate } = authority.signer("rsa2048", { extended: "timeStamping" });
  const settings = "[tsa]\ndefault_tsa=own\n[own]\nserial=serial\ndefault_policy=1.2.3\ndigests=sha256\n";
  writeFileSync(authority.path("stamping"), `${settings}signer_digest=sha256\ness_cert_id_alg=sha256\n`);
  writeFileSync(authority.path("serial"), "01\n");
  let answer: (query: Buffer) => Buffer = (query) => {
    writeFileSync(authority.path("query"), query);
    const files = ["-config", "stamping", "-queryfile", "query", "-signer", certificate, "-inkey", key];
    return execFileSync("openssl", ["ts", "-reply", ...files, "-chain", "ca.pem"], {
      cwd: authority.folder,
      stdio: "pipe",
    });
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.end(answer(Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    /** Makes the authority answer otherwise. */
    answerWith(other: typeof answer) {
      answer = other;
    },
    [Symbol.dispose]: () => void server.close(),
  };
}
