// Tests that pdfsig, pyHanko and OpenSSL accept every signature, and that earlier signatures stay valid.
// Contract: docs/api.md#signed-pdf
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { AWKWARD_PAGES, pageWith } from "../../fixtures/awkward-pages.ts";
import { Authority, PASSPHRASE } from "../../fixtures/credentials.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { encrypted, fieldPdf, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { png } from "../../fixtures/pictures.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { drawn, expectChange } from "../../support/changed-pixels.ts";
import { corpusFile } from "../../support/corpus.ts";
import { pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";
import {
  INVISIBLE,
  opensslSays,
  pdfsigSays,
  pfx,
  place,
  pyhanko,
  signed,
  startTimeStamps,
} from "../../support/signing.ts";

const authority = new Authority();
afterAll(() => authority[Symbol.dispose]());

const VALID = "Signature is Valid.";
const RED = png({ width: 1, height: 1, channels: 3, values: [255, 0, 0] }, { colorType: 2, bits: 8 });

/** The files of a key and its certificate. */
function pair(kind: "p256" | "p384" | "rsa1024" | "rsa2048", format: "PEM" | "DER" = "PEM") {
  const { key, certificate } = authority.signer(kind);
  if (format === "PEM") return { certificateFile: authority.read(certificate), privateKeyFile: authority.read(key) };
  authority.run("pkey", "-in", key, "-outform", "DER", "-out", "key.der");
  authority.run("x509", "-in", certificate, "-outform", "DER", "-out", "certificate.der");
  return { certificateFile: authority.read("certificate.der"), privateKeyFile: authority.read("key.der") };
}

/** Returns the key of another standard than PKCS #8. */
function traditional(kind: "p256" | "rsa2048") {
  authority.run("pkey", "-in", authority.signer(kind).key, "-traditional", "-out", "old.key");
  return { ...pair(kind), privateKeyFile: authority.read("old.key") };
}

const CREDENTIALS = [
  ["PKCS #12 of today, RSA 2048", () => pfx(authority.pkcs12("rsa2048"))],
  ["old PKCS #12 (RC2-40 and Triple DES, SHA-1), RSA 3072", () => pfx(authority.pkcs12("rsa3072", "old"))],
  ["PKCS #12 with Triple DES, RSA 4096", () => pfx(authority.pkcs12("rsa4096", "tripleDes"))],
  ["PKCS #12 with RC2-128, P-256", () => pfx(authority.pkcs12("p256", "rc2"))],
  ["PKCS #12 with AES-128 and SHA-512, P-384", () => pfx(authority.pkcs12("p384", "aes128"))],
  [
    "PKCS #12 without a passphrase",
    () => ({ pfxCredentialFile: authority.pkcs12("p256", "new", ""), pfxPassphraseFile: "\n" }),
  ],
  ["PEM, P-256", () => pair("p256")],
  ["DER, P-384", () => pair("p384", "DER")],
  ["PEM of OpenSSL's own, P-256", () => traditional("p256")],
  ["PEM of PKCS #1, RSA 2048", () => traditional("rsa2048")],
] as const;

test("every kind of key signs, and the signatures before stay valid", async (context) => {
  const verify = await pyhanko(context, authority);
  // A cross-reference table, which pdf-lib writes none of, and streams.
  for (const original of [pageWith(""), await textPdf(1)]) {
    let pdf = original;
    for (const [name, credential] of CREDENTIALS) {
      const { made, notices } = await signed(pdf, credential());
      expect(notices).toEqual([]);
      expect(Buffer.from(made.subarray(0, pdf.length)).equals(pdf), "the input is the beginning").toBe(true);
      expect(opensslSays(made, authority), name).toBe("");
      pdf = made;
    }
    expect(pdfsigSays(pdf)).toEqual(CREDENTIALS.map(() => VALID));
    const [seen] = verify(pdf);
    const names = CREDENTIALS.map((_, index) => `Signature${index + 1}`);
    expect(seen!.map(({ field }) => field)).toEqual(names);
    for (const { valid, permitted, coverage } of seen!) {
      expect([valid, permitted]).toEqual([true, true]);
      expect(coverage).toMatch(/ENTIRE/);
    }
    expect(qpdfComplaints(pdf)).toBe("");
    expect(pageTexts(pdf)).toEqual(pageTexts(original));
  }
});

test("a changed byte breaks the signature, wherever it is", async () => {
  const { made } = await signed(await textPdf(1), pair("p256"));
  const text = Buffer.from(made).toString("latin1");
  const contents = /\/Contents<([0-9a-f]+)>/.exec(text)!;
  const [from, to] = [contents.index + "/Contents".length, contents.index + contents[0].length];
  for (let part = 0; part < 24; part++) {
    const at = Math.floor(((part + 0.5) / 24) * (made.length - (to - from)));
    const copy = Buffer.from(made);
    copy[at < from ? at : at + to - from]! ^= 1;
    // A reader can also fail to find the signature in the damaged file.
    expect(pdfsigSays(copy), `byte ${at}`).not.toContain(VALID);
  }
});

describe("a visible signature", () => {
  test.each(AWKWARD_PAGES.slice(0, 9))("is at its place on a page that is %s", async (_, pdf) => {
    const { made } = await signed(pdf, pair("p256"), { type: "new", ...place(40, 30, 140, 90) }, { logo: RED });
    // The logo keeps its proportions.
    expectChange(pdf, made, [60, 30, 120, 90]);
    expect(pdfsigSays(made)).toEqual([VALID]);
  });

  test("shows texts in any script, on several pages", async (context) => {
    const verify = await pyhanko(context, authority);
    const display = {
      ...{ include_distinguished_name: "true", include_datetime: true, reason: "我同意", location: "Αθήνα" },
      contact: null,
    };
    const configuration = { type: "new", name: "Contract", ...place(20, 20, 180, 95, "all"), display };
    const { made, notices } = await signed(await textPdf(2, [200, 100]), pair("p384"), configuration);
    expect(notices).toEqual([]);
    for (const text of pageTexts(made)) {
      expect(text).toContain("Digitally signed by Ada Lovelace");
      expect(text).toContain("DN: CN=Ada Lovelace,O=Firm,C=GB");
      expect(text).toMatch(/Date: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
      expect(text).toContain("Reason: 我同意");
      expect(text).toContain("Location: Αθήνα");
    }
    expect(verify(made)).toMatchObject([[{ field: "Contract", valid: true }]]);
    expect(pdfsigSays(made)).toEqual([VALID]);
    const certified = await signed(await textPdf(2), pair("p256"), { ...INVISIBLE, certification_level: 2 });
    await expect(signed(certified.made, pair("p256"), configuration)).rejects.toThrow("no stamps on further pages");
  });

  test("shows a logo with its opacity behind the text", async () => {
    const pdf = pageWith("", "");
    const configuration = { type: "new", ...place(40, 30, 140, 130), logo_opacity: "0.5", display: { name: "X" } };
    const { made } = await signed(pdf, pair("p256"), configuration, { logo: RED });
    const { width, samples } = drawn(made, 1).poppler;
    const at = 3 * (width * 2 * (200 - 35) + 2 * 45);
    expect([...samples.subarray(at, at + 3)]).toEqual([255, 127, 127].map((value) => expect.closeTo(value, -0.4)));
    expect(pageTexts(made)).toEqual(["Digitally signed\nby X"]);
  });
});

/** Returns a document with unsigned fields, two of them within another one. */
function withFields(): Uint8Array {
  const builder = new PdfBuilder();
  const widget = "/Type/Annot/Subtype/Widget/F 4/FT/Sig";
  const lock = builder.add("<</Type/SigFieldLock/Action/Include/Fields[(Group.Second) (Text)]>>");
  const group = builder.reserve();
  const first = builder.add(`<<${widget}/T(First)/Rect[20 20 120 60]/Parent ${group}/Lock ${lock}>>`);
  const second = builder.add(`<<${widget}/T(Second)/Rect[20 80 120 120]/Parent ${group}>>`);
  builder.set(group, `<</T(Group)/Kids[${first} ${second}]>>`);
  const third = builder.add(`<<${widget}/T(Third)/Rect[150 20 250 60]>>`);
  builder.page("", `/Annots[${first} ${second} ${third}]`);
  builder.catalog = `/AcroForm<</Fields[${group} ${third}]>>`;
  return builder.bytes();
}

test("existing fields are signed, and locks hold", async (context) => {
  const verify = await pyhanko(context, authority);
  const sign = (pdf: Uint8Array, name?: string) =>
    signed(pdf, pair("p256"), { type: "existing", ...(name ? { name } : {}) });
  const unsigned = withFields();
  const { made: one } = await sign(unsigned);
  expect(pageTexts(one).join()).toContain("by Ada Lovelace");
  const { made: two } = await sign(one, "Third");
  expect(verify(two)).toMatchObject([
    [
      { field: "Group.First", valid: true, permitted: true },
      { field: "Third", valid: true, coverage: "ENTIRE_FILE" },
    ],
  ]);
  await expect(sign(two, "Group.Second")).rejects.toMatchObject({ reason: "signature-forbidden" });
  await expect(sign(two, "Third")).rejects.toMatchObject({ why: "The field is signed already." });
  await expect(sign(two, "Fourth")).rejects.toMatchObject({ why: expect.stringContaining("no signature field") });
  await expect(sign(await textPdf(1))).rejects.toMatchObject({ parameter: "signatureConfiguration.type" });
  const again = signed(unsigned, pair("p256"), { ...INVISIBLE, name: "Third" });
  await expect(again).rejects.toMatchObject({ parameter: "signatureConfiguration.name" });
});

test("a certification permits what its level says", async (context) => {
  const verify = await pyhanko(context, authority);
  const pdf = await fieldPdf(1);
  const once: Uint8Array[] = [];
  const twice: Uint8Array[] = [];
  for (const level of [1, "2", 3]) {
    const { made } = await signed(pdf, pair("p256"), { ...INVISIBLE, certification_level: level });
    once.push(made);
    const second = signed(made, pair("p384"));
    if (level === 1) await expect(second).rejects.toMatchObject({ why: "A certification permits no changes." });
    else twice.push((await second).made);
    const certified = signed(made, pair("p384"), { ...INVISIBLE, certification_level: 2 });
    await expect(certified).rejects.toMatchObject({ reason: "signature-forbidden" });
  }
  const locked = { ...INVISIBLE, lock: { action: "include", fields: ["Name"] } };
  const { made } = await signed(pdf, pair("p256"), locked);
  expect(Buffer.from(made).toString("latin1")).toContain("/FieldMDP");
  const seen = verify(...once, made, ...twice);
  expect(seen.map(([first]) => first!.level)).toEqual([1, 2, 3, null, 2, 3]);
  expect(seen.flat().map(({ valid, permitted }) => valid && permitted)).toEqual(Array(8).fill(true));
});

test("a time stamp of the operator's authority", async (context) => {
  const verify = await pyhanko(context, authority);
  using stamps = await startTimeStamps(authority);
  const more = { timeStampUrl: stamps.url };
  const { made } = await signed(await textPdf(1), pair("p256"), INVISIBLE, more);
  const { made: both } = await signed(made, pfx(authority.pkcs12("rsa2048")), INVISIBLE, more);
  expect(verify(both)).toMatchObject([[1, 2].map(() => ({ valid: true, stamped: true }))]);
  expect(pdfsigSays(both)).toEqual([VALID, VALID]);
  expect(opensslSays(both, authority)).toBe("");
  const failing = () => signed(made, pair("p256"), INVISIBLE, more);
  const other = readFileSync(authority.path("query"));
  for (const answer of [
    () => Buffer.from("no"),
    () => Buffer.from("3003020102", "hex"),
    () => other,
    () => Buffer.alloc(99_999),
  ]) {
    stamps.answerWith(answer);
    await expect(failing()).rejects.toMatchObject({ reason: "time-stamp-failed" });
  }
});

test("what cannot be appended to is written anew, with a notice", async (context) => {
  const verify = await pyhanko(context, authority);
  const locked = encrypted(await textPdf(1), "user", "owner");
  const { made, notices } = await signed(locked, pair("p256"), INVISIBLE, { currentOpenPassword: "user" });
  expect(notices).toEqual([{ code: "protection-removed", count: 1 }]);
  await expect(signed(locked, pair("p256"))).rejects.toMatchObject({ reason: "password-protected" });
  const { made: repaired } = await signed(withoutXref(await textPdf(1)), pair("p256"));
  const damaged = withoutXref(signedPdf());
  const { made: replaced, notices: lost } = await signed(damaged, pair("p256"));
  expect(lost).toMatchObject([{ code: "signatures-removed" }]);
  const renumbered = Buffer.from(pageWith("")).toString("latin1").replace("\n3 0 obj", "\n3 1 obj");
  const { made: generation } = await signed(Buffer.from(renumbered, "latin1"), pair("p256"));
  const all = [made, repaired, replaced, generation];
  expect(verify(...all)).toMatchObject(all.map(() => [{ valid: true, coverage: "ENTIRE_FILE" }]));
  expect(all.map(qpdfComplaints)).toEqual(all.map(() => ""));
});

test.skipIf(!corpusFile("pdf/hello-world.pdf"))("a document that was signed elsewhere stays valid", async () => {
  const pdf = corpusFile("pdf/minimal-signed-twice-both-created.pdf")!;
  const { made, notices } = await signed(pdf, pair("p256"));
  expect(notices).toEqual([]);
  expect(pdfsigSays(made)).toEqual([...pdfsigSays(pdf), VALID]);
});

test("damaged credentials are mistakes of the client", async () => {
  const files = [authority.pkcs12("p256", "old"), authority.pkcs12("p256")].map((file) => ({
    pfx: pfx(file),
    size: file.length,
  }));
  const pdf = await textPdf(1);
  for (const { pfx: credential, size } of files) {
    for (let at = 0; at < size; at += 7) {
      const copy = Buffer.from(credential.pfxCredentialFile);
      copy[at] = (copy[at]! + 1 + (at % 200)) & 255;
      const failure = await signed(pdf, { ...credential, pfxCredentialFile: copy }).catch((error: Error) => error);
      // What is not authenticated, such as the name of the key, can change.
      if (failure instanceof Error) expect(failure.name, `byte ${at}: ${failure.stack}`).toBe("OutOfRange");
    }
  }
  const { certificateFile, privateKeyFile } = pair("p256", "DER");
  for (let at = 0; at < certificateFile.length; at += 5) {
    const copy = Buffer.from(certificateFile);
    copy[at]! ^= 0x55;
    const failure = await signed(pdf, { privateKeyFile, certificateFile: copy }).catch((error: Error) => error);
    if (failure instanceof Error) expect(failure.name, `byte ${at}: ${failure.stack}`).toBe("OutOfRange");
  }
}, 120_000);

test("a credential that cannot sign is refused", async () => {
  const [pdf, p12] = [await textPdf(1), authority.pkcs12("rsa2048", "old")];
  const { key, certificate } = authority.signer("p256");
  authority.run("pkcs8", "-topk8", "-in", key, "-passout", "pass:x", "-out", "locked.key");
  const files = { certificateFile: authority.read(certificate), privateKeyFile: authority.read(key) };
  authority.run("pkcs12", "-export", "-nokeys", "-in", certificate, "-passout", "pass:x", "-out", "empty.p12");
  const refused = [
    [{ pfxCredentialFile: p12, pfxPassphraseFile: "wrong" }, "pfxPassphraseFile", "does not open"],
    [
      { pfxCredentialFile: p12.slice(0, 900), pfxPassphraseFile: PASSPHRASE },
      "pfxCredentialFile",
      "not a PKCS #12 file",
    ],
    [{ pfxCredentialFile: authority.read("empty.p12"), pfxPassphraseFile: "x" }, "pfxCredentialFile", "no private key"],
    [{ ...files, privateKeyFile: authority.read("locked.key") }, "privateKeyFile", "It is encrypted."],
    [{ ...files, certificateFile: authority.certificate }, "certificateFile", "No certificate belongs"],
    [{ ...files, certificateFile: "text" }, "certificateFile", "no readable certificate"],
    [pair("rsa1024"), "privateKeyFile", "2048"],
  ] as const;
  for (const [credential, parameter, why] of refused) {
    const expected = { parameter, value: "The value", why: expect.stringContaining(why) };
    await expect(signed(pdf, credential), why).rejects.toMatchObject(expected);
  }
});
