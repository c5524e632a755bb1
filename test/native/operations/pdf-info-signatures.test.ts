// Compares the signatures that /pdf-info describes with those of pdfsig, which uses another library.
// Contract: docs/api.md#pdf-info
import { describe, expect, test } from "vitest";
import { readPdfInfo } from "../../../src/operations/read-pdf-info.ts";
import { encrypted } from "../../fixtures/pdfs.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { type Signing, signedBy } from "../../fixtures/truly-signed-pdfs.ts";
import { corpusFile } from "../../support/corpus.ts";
import { outputsOf } from "../../support/operations.ts";
import { said } from "../../support/pdf-json.ts";

async function signaturesOf(pdf: Uint8Array, currentOpenPassword?: string) {
  const [answer] = await outputsOf(readPdfInfo, [pdf], {
    queries: ["signatures"],
    ...(currentOpenPassword ? { currentOpenPassword } : {}),
  });
  return JSON.parse(new TextDecoder().decode(answer)).signatures as Record<string, unknown>[];
}

/** Returns the signatures that pdfsig lists. */
function signaturesOfPdfsig(pdf: Uint8Array) {
  const parts = said(pdf, "pdfsig", "-nocert").split(/^Signature #\d+:$/m);
  return parts.slice(1).map((text) => {
    const value = (name: string) => new RegExp(`- ${name}: (.*)`).exec(text)?.[1];
    return {
      ...{ field: value("Signature Field Name"), signer: value("Signer Certificate Common Name") },
      ...{ subfilter: value("Signature Type"), valid: value("Signature Validation") === "Signature is Valid." },
      covers_file: text.includes("- Total document signed"),
    };
  });
}

const SHA256 = ["-md", "sha256"];
const PSS = ["-keyopt", "rsa_padding_mode:pss"];
const curve = (name: string) => ["-newkey", "ec", "-pkeyopt", `ec_paramgen_curve:${name}`];
const STAMP_KEY = ["-newkey", "rsa:2048", "-addext", "extendedKeyUsage=critical,timeStamping"];
/** Signatures that pdfsig verifies, too. */
const COMMON: readonly (readonly [string, Signing])[] = [
  ["RSA", { subfilter: "adbe.pkcs7.detached" }],
  ["RSA with SHA-512", { subfilter: "adbe.pkcs7.detached", options: ["-md", "sha512"] }],
  ["CAdES", { subfilter: "ETSI.CAdES.detached", options: ["-cades", ...SHA256] }],
  ["RSA of a digest", { subfilter: "adbe.pkcs7.sha1", options: ["-md", "sha1"] }],
  ["P-256", { subfilter: "adbe.pkcs7.detached", key: curve("prime256v1") }],
  ["P-384", { subfilter: "ETSI.CAdES.detached", key: curve("secp384r1"), options: ["-cades", "-md", "sha384"] }],
];
const OTHERS: typeof COMMON = [
  ["PSS", { subfilter: "adbe.pkcs7.detached", options: [...SHA256, ...PSS] }],
  [
    "PSS with a long salt",
    { subfilter: "adbe.pkcs7.detached", options: [...SHA256, ...PSS, "-keyopt", "rsa_pss_saltlen:64"] },
  ],
  ["a key identifier", { subfilter: "adbe.pkcs7.detached", options: ["-keyid", ...SHA256] }],
  ["a time stamp", { subfilter: "ETSI.RFC3161", key: STAMP_KEY, options: [] }],
  ["no attributes", { subfilter: "adbe.pkcs7.detached", options: ["-noattr", ...SHA256] }],
  ["indefinite lengths", { subfilter: "adbe.pkcs7.sha1", options: ["-stream", "-md", "sha1"] }],
  ["a bare signature", { subfilter: "adbe.x509.rsa_sha1" }],
];

/** Returns a document in which one byte of the shown text differs. */
function changed(pdf: Uint8Array): Uint8Array {
  const copy = Buffer.from(pdf);
  copy.write("Sighed", copy.indexOf("(Signed)") + 1, "latin1");
  return copy;
}

describe("a signature", () => {
  test.each(COMMON)("as pdfsig sees it: %s", async (_, signing) => {
    const pdf = signedBy(signing);
    for (const document of [pdf, changed(pdf), Buffer.concat([pdf, Buffer.from("\n% more\n")])]) {
      const [own] = await signaturesOf(document);
      const [other] = signaturesOfPdfsig(document);
      expect(own).toMatchObject({ signer: other!.signer, subfilter: other!.subfilter, valid: other!.valid });
      expect(own!.field).toBe("Form.Approval");
    }
  });

  test.each([...COMMON, ...OTHERS])("is valid until a byte changes: %s", async (_, signing) => {
    const pdf = signedBy(signing);
    const date = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+]01:00)$/);
    const fact = { field: "Form.Approval", date, subfilter: signing.subfilter, covers_file: true, signer: "J+D Doe" };
    expect(await signaturesOf(pdf)).toEqual([{ ...fact, valid: true }]);
    expect(await signaturesOf(changed(pdf))).toMatchObject([{ valid: false, covers_file: true }]);
    expect(await signaturesOf(Buffer.concat([pdf, Buffer.from("%")]))).toMatchObject([
      { valid: true, covers_file: false },
    ]);
  });

  test("with an unknown digest is neither valid nor invalid", async () => {
    const pdf = signedBy({ subfilter: "adbe.pkcs7.detached" });
    const text = Buffer.from(pdf).toString("latin1").replaceAll("608648016503040201", "608648016503040277");
    expect(await signaturesOf(Buffer.from(text, "latin1"))).toMatchObject([{ valid: null }]);
  });
});

test.skipIf(!corpusFile("pdf/hello-world.pdf"))("a document that was signed twice", async () => {
  const pdf = corpusFile("pdf/minimal-signed-twice-both-created.pdf")!;
  const others = signaturesOfPdfsig(pdf);
  expect(others).toHaveLength(2);
  const own = await signaturesOf(pdf);
  expect(own.map(({ date: _, ...rest }) => rest)).toEqual(others);
  expect(own.map(({ date }) => date)).toEqual(["2021-01-11T19:45:14+01:00", "2021-01-11T19:45:37+01:00"]);
});

test("what claims to be a signature is not valid", async () => {
  expect(await signaturesOf(signedPdf({ hasInvisible: true }))).toMatchObject([
    { field: "Ann", signer: "Ann", valid: false, covers_file: false, date: "" },
    { field: "Bob", signer: "Bob", valid: false },
  ]);
});

test.each([
  [
    "a range inside the signature",
    (pdf: string) =>
      pdf.replace(/ByteRange\[0 (\d+) /, (_, end) => `ByteRange[0 ${String(Number(end) + 9).padStart(10, "0")} `),
  ],
  ["a range beyond the file", (pdf: string) => pdf.replace(/(\d{10})\]/, "9999999999]")],
  ["garbage", (pdf: string) => pdf.replace(/Contents<3082..../, `Contents<30820000`)],
  ["a huge length", (pdf: string) => pdf.replace(/Contents<3082..../, `Contents<308f0000`)],
  ["endless nesting", (pdf: string) => pdf.replace(/Contents<\w{4000}/, `Contents<${"3080".repeat(1000)}`)],
])("hostile: %s", async (_, change) => {
  const pdf = Buffer.from(
    change(Buffer.from(signedBy({ subfilter: "adbe.pkcs7.detached" })).toString("latin1")),
    "latin1",
  );
  const [own] = await signaturesOf(pdf);
  expect(own!.valid === true).toBe(false);
});

test("of thousands of signatures of a large file, the first are verified", async () => {
  const signatures = await signaturesOf(signedBy({ subfilter: "adbe.pkcs7.detached", copies: 2000, padding: 2 ** 24 }));
  const verdicts = signatures.map(({ valid }) => valid);
  const first = verdicts.indexOf(null);
  expect([verdicts.length, first > 10 && first < 100]).toEqual([2001, true]);
  expect(verdicts).toEqual(verdicts.map((_, index) => (index < first ? true : null)));
});

test("an encrypted document needs its password", async () => {
  const locked = encrypted(signedPdf(), "user", "owner");
  expect(await signaturesOf(locked)).toBeUndefined();
  expect(await signaturesOf(locked, "user")).toMatchObject([{ field: "Ann", valid: false }]);
});
