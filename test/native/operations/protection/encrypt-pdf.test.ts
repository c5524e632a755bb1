// Contract: docs/api.md#encrypted-pdf, #decrypted-pdf
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../../src/document/contract/failure.ts";
import type { Operation, Output } from "../../../../src/document/contract/operation.ts";
import { decryptPdf } from "../../../../src/operations/protection/decrypt-pdf.ts";
import { encryptPdf } from "../../../../src/operations/protection/encrypt-pdf.ts";
import { restrictPdf } from "../../../../src/operations/protection/restrict-pdf.ts";
import { unlockPdfs } from "../../../../src/operations/protection/unlock-pdfs.ts";
import { unrestrictPdf } from "../../../../src/operations/protection/unrestrict-pdf.ts";
import { metadataPdf } from "../../../fixtures/archival-pdfs.ts";
import { pdfaClaim } from "../../../fixtures/pdfa-claim.ts";
import { encrypted, labeledPdf, textPdf } from "../../../fixtures/pdfs.ts";
import { signedPdf } from "../../../fixtures/signed-pdfs.ts";
import { pdfOf } from "../../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../../support/operations.ts";
import { pageTexts, qpdfComplaints, uncompressed, withFile } from "../../../support/pdf-readers.ts";

const OPEN = "opens it";
const encrypt = async (pdf: Uint8Array, newOpenPassword = OPEN, passwords = {}) =>
  (await outputsOf(encryptPdf, [pdf], { newOpenPassword, ...passwords }))[0]!;
const decrypt = async (pdf: Uint8Array, currentOpenPassword = OPEN, passwords = {}) =>
  (await outputsOf(decryptPdf, [pdf], { currentOpenPassword, ...passwords }))[0]!;

/** Returns whether each program opens a file with a password. */
const openedBy = (pdf: Uint8Array, password: string) =>
  withFile(pdf, (path) => ({
    qpdf: spawnSync("qpdf", [`--password=${password}`, "--check", path]).status === 0,
    poppler: spawnSync("pdftotext", ["-upw", password, path, "-"]).status === 0,
    mutool: spawnSync("mutool", ["draw", "-p", password, "-F", "txt", path]).status === 0,
    ghostscript: isOpenedByGhostscript(path, password),
  }));
/** Ghostscript prints its error and exits with 0, or crashes. */
const isOpenedByGhostscript = (path: string, password: string): boolean => {
  const args = ["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=nullpage", `-sPDFPassword=${password}`, path];
  const { stdout, stderr, status } = spawnSync("gs", args, { encoding: "utf8" });
  return status === 0 && `${stdout}${stderr}` === "";
};
const ALL = { qpdf: true, poppler: true, mutool: true, ghostscript: true };

/** Encrypts a file with another program. @param args contain IN and OUT instead of paths */
const made = (pdf: Uint8Array, program: string, args: readonly string[]): Uint8Array =>
  withFile(pdf, (path, folder) => {
    const out = join(folder, "out.pdf");
    execFileSync(
      program,
      args.map((arg) => (arg === "IN" ? path : arg.replace("OUT", out))),
      { stdio: "ignore" },
    );
    return new Uint8Array(readFileSync(out));
  });
const qpdf = (bits: string, ...options: string[]) =>
  ["qpdf", ["--allow-weak-crypto", "--encrypt", "opens", "owns", bits, ...options, "--", "IN", "OUT"]] as const;
const mutool = (method: string) =>
  ["mutool", ["clean", "-E", method, "-U", "opens", "-O", "owns", "IN", "OUT"]] as const;
const ghostscript = (revision: number, bits: number) =>
  [
    "gs",
    [
      ...["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-sUserPassword=opens", "-sOwnerPassword=owns"],
      ...[`-dEncryptionR=${revision}`, `-dKeyLength=${bits}`, "-dPermissions=-4", "-sOutputFile=OUT", "IN"],
    ],
  ] as const;

/** Each generation of encryption, from each program that writes it. */
const GENERATIONS = {
  "qpdf RC4 of 40 bits, R2": qpdf("40"),
  "qpdf RC4 of 128 bits, R3": qpdf("128", "--use-aes=n"),
  "qpdf RC4 of 128 bits with crypt filters, R4": qpdf("128", "--use-aes=n", "--force-V4"),
  "qpdf AES of 128 bits, R4": qpdf("128", "--use-aes=y"),
  "qpdf AES of 128 bits with clear metadata, R4": qpdf("128", "--use-aes=y", "--cleartext-metadata"),
  "qpdf AES of 256 bits, R5": qpdf("256", "--force-R5"),
  "qpdf AES of 256 bits, R6": qpdf("256"),
  "qpdf AES of 256 bits with clear metadata, R6": qpdf("256", "--cleartext-metadata"),
  "mutool RC4 of 40 bits": mutool("rc4-40"),
  "mutool RC4 of 128 bits": mutool("rc4-128"),
  "mutool AES of 128 bits": mutool("aes-128"),
  "mutool AES of 256 bits": mutool("aes-256"),
  "Ghostscript RC4 of 40 bits": ghostscript(2, 40),
  "Ghostscript RC4 of 128 bits": ghostscript(3, 128),
};

describe("encryption", () => {
  test("an encrypted document opens with its password only, in four readers", async () => {
    const pdf = await encrypt(await textPdf(3));
    expect(openedBy(pdf, OPEN)).toEqual(ALL);
    expect(Object.values(openedBy(pdf, ""))).not.toContain(true);
    expect(Object.values(openedBy(pdf, "other"))).not.toContain(true);
  });

  test("no string or stream of the input is readable", async () => {
    const pdf = pdfOf([
      "<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/PlantedKey(planted string)>>",
      "<</Type/Metadata/Subtype/XML/Note(planted note)/Length 16>>stream\nplanted metadata\nendstream",
    ]);
    expect(Buffer.from(pdf).toString("latin1")).toContain("planted");
    expect(Buffer.from(await encrypt(pdf)).toString("latin1")).not.toMatch(/planted/i);
    const back = uncompressed(await decrypt(await encrypt(pdf)));
    for (const text of ["(planted string)", "(planted note)", "planted metadata"]) expect(back).toContain(text);
  });

  test("contents, labels and outlines are the same after encryption and decryption", async () => {
    const pdf = await labeledPdf("a", 3);
    const back = await decrypt(await encrypt(pdf));
    expect(qpdfComplaints(back)).toBe("");
    expect(pageTexts(back)).toEqual(pageTexts(pdf));
    const again = await decrypt(await encrypt(back));
    const withoutId = (file: Uint8Array) => uncompressed(file).replace(/^ *\/ID .*$/m, "");
    expect(withoutId(again)).toBe(withoutId(back));
  });

  test.each([
    ["accents", "pässwörd ñandú"],
    ["Cyrillic", "пароль документа"],
    ["128 emoji", "🔐".repeat(128)],
    ["a decomposed accent", "cafe\u0301 cafe\u0301"],
    ["a ligature, a soft hyphen and a wide space", "o\ufb03ce\u00ad\u3000key"],
  ])("a password with %s", async (_, password) => {
    const pdf = await encrypt(await textPdf(1), password);
    expect(pageTexts(await decrypt(pdf, password))).toHaveLength(1);
    // Other programs do not apply SASLprep themselves.
    const prepared = password.replaceAll("\u00ad", "").normalize("NFKC");
    if (new TextEncoder().encode(prepared).length <= 127) expect(openedBy(pdf, prepared)).toEqual(ALL);
    expect(await reasonOf(() => decrypt(pdf, `${password.slice(0, 4)}!`))).toBe("password-protected");
  });

  test("an input with a permissions password keeps it and its restrictions", async () => {
    const restricted = made(await textPdf(1), "qpdf", [
      ...["--encrypt", "", "owns it", "256", "--print=none", "--", "IN", "OUT"],
    ]);
    expect(await reasonOf(() => encrypt(restricted))).toBe("permissions-required");
    const pdf = await encrypt(restricted, OPEN, { currentPermissionsPassword: "owns it" });
    const shown = withFile(pdf, (path) =>
      execFileSync("qpdf", [`--password=${OPEN}`, "--show-encryption", path], { encoding: "utf8" }),
    );
    expect(shown).toContain("print low resolution: not allowed");
    expect(shown).not.toContain("Supplied password is owner password");
    expect(await reasonOf(() => decrypt(pdf))).toBe("permissions-required");
    expect(pageTexts(await decrypt(pdf, OPEN, { currentPermissionsPassword: "owns it" }))).toHaveLength(1);
    const same = encrypt(restricted, "owns it", { currentPermissionsPassword: "owns it" });
    await expect(same).rejects.toThrow(OutOfRange);
  });

  test("claims stay until decryption, which also removes the declared extension", async () => {
    const pdf = metadataPdf(pdfaClaim("2"));
    const codes = async <P>(operation: Operation<P>, file: Uint8Array, params: P) => {
      const found: string[][] = [];
      for await (const { notices } of operation.run([inputOf(file)], params, CONTEXT) as AsyncIterable<Output>) {
        for (const { code, subjects = [] } of notices!()) found.push([code, ...subjects.map(({ name }) => name)]);
      }
      return found;
    };
    const expected = [["claims-suspended", "PDF/A-2b"]];
    expect(await codes(encryptPdf, pdf, { newOpenPassword: OPEN })).toEqual(expected);
    expect(await codes(restrictPdf, pdf, { newPermissionsPassword: OPEN })).toEqual(expected);
    const made = await encrypt(pdf);
    expect(await codes(decryptPdf, made, { currentOpenPassword: OPEN })).toEqual([]);
    const back = uncompressed(await decrypt(made));
    expect(back).toContain("pdfaid:part");
    expect(back).not.toContain("/Extensions");
  });

  test.each([
    ["before SASLprep", "fisherman", "\ufb01sherman"],
    ["after byte 127", `${"a".repeat(127)}b`, `${"a".repeat(127)}c`],
  ])("passwords that differ only %s are the same to a reader", async (_, owner, open) => {
    const [pdf] = await outputsOf(restrictPdf, [await textPdf(1)], { newPermissionsPassword: owner });
    await expect(encrypt(pdf!, open, { currentPermissionsPassword: owner })).rejects.toThrow(OutOfRange);
    const opened = await encrypt(await textPdf(1), owner);
    const restricting = { newPermissionsPassword: open, currentOpenPassword: owner };
    await expect(outputsOf(restrictPdf, [opened], restricting)).rejects.toThrow(OutOfRange);
  });

  test("a password of which SASLprep leaves nothing is not kept", async () => {
    const open = ["--password-mode=hex-bytes", "--encrypt", "c2ad", "6f776e73", "256", "--", "IN", "OUT"];
    const passwords = { currentOpenPassword: "\u00ad", currentPermissionsPassword: "owns" };
    const pdf = made(await textPdf(1), "qpdf", open);
    const restricting = { newPermissionsPassword: "owns it", ...passwords };
    await expect(outputsOf(restrictPdf, [pdf], restricting)).rejects.toThrow(OutOfRange);
    await expect(outputsOf(unrestrictPdf, [pdf], passwords)).rejects.toThrow(OutOfRange);
    expect(pageTexts(await decrypt(pdf, "\u00ad"))).toHaveLength(1);
    const owned = made(await textPdf(1), "qpdf", open.with(2, "6f776e73").with(3, "c2ad"));
    const keeping = { currentOpenPassword: "owns", currentPermissionsPassword: "\u00ad" };
    await expect(encrypt(owned, OPEN, keeping)).rejects.toThrow(OutOfRange);
  });

  test("the open password is changed", async () => {
    const pdf = await encrypt(await textPdf(1));
    expect(await reasonOf(() => encrypt(pdf, "another"))).toBe("password-required");
    expect(await reasonOf(() => encrypt(pdf, "another", { currentOpenPassword: "wrong" }))).toBe("password-protected");
    // A document whose open password is also its permissions password has no permissions password to be wrong.
    const ignored = { currentOpenPassword: OPEN, currentPermissionsPassword: "wrong" };
    expect(openedBy(await encrypt(pdf, "another", ignored), "another")).toEqual(ALL);
    const changed = await encrypt(pdf, "another", { currentOpenPassword: OPEN });
    expect(openedBy(changed, "another")).toEqual(ALL);
    expect(Object.values(openedBy(changed, OPEN))).not.toContain(true);
  });
});

describe("a wrong password", () => {
  test.each([
    ["password-protected", "wrong", "owns"],
    ["permissions-required", "opens", "wrong"],
    ["permissions-required", "owns", "wrong"],
  ])("%s: %s opens, %s is for permissions", async (reason, open, permissions) => {
    const pdf = encrypted(await textPdf(1), "opens", "owns");
    const passwords = { currentOpenPassword: open, currentPermissionsPassword: permissions };
    expect(await reasonOf(() => encrypt(pdf, "another", passwords))).toBe(reason);
    expect(await reasonOf(() => decrypt(pdf, open, passwords))).toBe(reason);
  });

  test("of a document that does not have it is ignored", async () => {
    const owned = encrypted(await textPdf(1), "", "owns");
    const passwords = { currentOpenPassword: "any", currentPermissionsPassword: "owns" };
    expect(pageTexts(await decrypt(owned, "any", passwords))).toHaveLength(1);
    const same = encrypted(await textPdf(1), "opens", "opens");
    expect(pageTexts(await decrypt(same, "opens", { currentPermissionsPassword: "any" }))).toHaveLength(1);
  });
});

describe("decryption", () => {
  test.each(Object.entries(GENERATIONS))("%s", async (_, [program, args]) => {
    const source = await labeledPdf("a", 3);
    const pdf = made(source, program, args);
    for (const password of ["opens", "owns"]) {
      const plain = await decrypt(pdf, password, { currentPermissionsPassword: "owns" });
      expect(qpdfComplaints(plain)).toBe("");
      expect(pageTexts(plain)).toEqual(pageTexts(source));
    }
    expect(await reasonOf(() => decrypt(pdf, "other"))).toBe("password-protected");
    expect(await reasonOf(() => decrypt(pdf, "opens\0other"))).toBe("password-protected");
  });

  test.each([
    ["accents in PDFDocEncoding, R3", "pässwörd", "bytes-from-pdfdoc"],
    ["accents in UTF-8, R3", "pässwörd", "utf-8"],
    ["Cyrillic in UTF-8, R3", "ключ", "utf-8"],
    ["the bytes 7F, 9F and AD in UTF-8, R3", "ß and í and \x7f", "utf-8"],
    ["the bytes 7F, 9F and AD in PDFDocEncoding, R3", "a\x7fb\x9fc\xad", "bytes-from-pdfdoc"],
  ])("%s", async (_, password, encoding) => {
    const hex = Buffer.from(password, encoding === "utf-8" ? "utf8" : "latin1").toString("hex");
    const pdf = made(await textPdf(1), "qpdf", [
      ...["--allow-weak-crypto", "--password-mode=hex-bytes", "--encrypt", hex, hex, "128", "--use-aes=n"],
      ...["--", "IN", "OUT"],
    ]);
    expect(pageTexts(await decrypt(pdf, password))).toHaveLength(1);
  });

  test("a document without encryption is returned with its signatures", async () => {
    const pdf = signedPdf();
    expect(await decrypt(pdf)).toEqual(pdf);
    expect(await outputsOf(unrestrictPdf, [pdf], { currentPermissionsPassword: "any" })).toEqual([pdf]);
  });

  test("the permissions password is needed only if something is forbidden", async () => {
    const free = encrypted(await textPdf(1), "opens", "owns");
    expect(pageTexts(await decrypt(free, "opens"))).toHaveLength(1);
    const args = ["--encrypt", "opens", "owns", "256", "--extract=n", "--", "IN", "OUT"];
    const bound = made(await textPdf(1), "qpdf", args);
    expect(await reasonOf(() => decrypt(bound, "opens"))).toBe("permissions-required");
    expect(pageTexts(await decrypt(bound, "owns"))).toHaveLength(1);
  });
});

describe("a wrong encryption dictionary is a client's error", () => {
  const ANSWERS = ["password-protected", "damaged", "not-a-pdf", "permissions-required", "unsupported", "none"];
  const WRONG = ["null", "(text)", "-1", "/Name", "[]", "2147483648", "4 0 R", `(${"x".repeat(3000)})`];
  /** Keys that the dictionaries lack, so that each key is also present where it has no meaning. */
  const FURTHER = ["SubFilter", "EFF", "EncryptMetadata"];

  /** Returns the entries of an encryption dictionary, and the document's ID, as another program reads them. */
  const entriesOf = (pdf: Uint8Array) =>
    withFile(pdf, (path) => {
      const show = (place: string) =>
        execFileSync("mutool", ["show", "-p", "opens", path, place], { encoding: "utf8" });
      const [, body] = /<<\n(.*)\n>>/s.exec(show("trailer/Encrypt"))!;
      const entries = body!.split(/\n {2}(?=\/)/).map((entry) => /^\s*\/(\w+) (.*)$/s.exec(entry)!.slice(1));
      return { id: show("trailer/ID"), entries: Object.fromEntries(entries) as Readonly<Record<string, string>> };
    });
  const withEntries = (entries: Readonly<Record<string, string>>, id: string) => {
    const text = Object.entries(entries).map(([key, value]) => `/${key} ${value}`);
    const objects = [
      ...["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"],
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 5 0 R/Note(sealed)>>",
      `<<${text.join("")}>>`,
      "<</Length 32>>stream\n0123456789abcdef0123456789abcdef\nendstream",
    ];
    return pdfOf(objects, `/Encrypt 4 0 R/ID ${id}`);
  };
  const answer = (pdf: Uint8Array) => reasonOf(() => decrypt(pdf, "opens", { currentPermissionsPassword: "owns" }));

  test.each([
    ["R4", qpdf("128", "--use-aes=y")],
    ["R6", qpdf("256")],
  ])(
    "each entry of %s has each wrong value",
    async (_, [program, args]) => {
      const { entries, id } = entriesOf(made(await textPdf(1), program, args));
      expect(await answer(withEntries(entries, id))).toBe("none");
      // Streams with an unknown algorithm would stay encrypted.
      for (const wrong of [{ StmF: "(text)" }, { CF: "null" }, { CF: "<</StdCF<</CFM/AESX>>>>" }, { R: "3" }]) {
        expect(await answer(withEntries({ ...entries, ...wrong }, id)), JSON.stringify(wrong)).toMatch(
          /^(?:damaged|password-protected)$/,
        );
      }
      for (const key of new Set([...Object.keys(entries), ...FURTHER])) {
        for (const value of WRONG) {
          expect(ANSWERS, `${key} ${value}`).toContain(await answer(withEntries({ ...entries, [key]: value }, id)));
        }
      }
      for (const value of WRONG) {
        const all = Object.fromEntries(Object.keys(entries).map((key) => [key, value]));
        expect(ANSWERS, value).toContain(await answer(withEntries(all, id)));
        expect(ANSWERS, `ID ${value}`).toContain(await answer(withEntries(entries, value)));
        const filter = `<</StdCF ${value}>>`;
        for (const CF of [filter, `<</StdCF<</CFM ${value}/Length ${value}/AuthEvent ${value}>>>>`]) {
          expect(ANSWERS, CF).toContain(await answer(withEntries({ ...entries, CF }, id)));
        }
      }
    },
    240_000,
  );
});

describe("protected inputs", () => {
  test("are decrypted for the next step, and other inputs are passed on with their names and roles", async () => {
    const [locked, plain] = [await encrypt(await textPdf(2)), await textPdf(1)];
    const inputs = [
      inputOf(locked, "one.pdf"),
      inputOf(plain, "two.pdf"),
      { ...inputOf(plain, "three.png"), role: "image" },
    ];
    const outputs: { readonly name?: string | undefined; readonly role?: string | undefined; bytes: Uint8Array }[] = [];
    for await (const output of unlockPdfs.run(inputs, { openPassword: OPEN }, CONTEXT)) {
      outputs.push({ name: output.name, role: output.role, bytes: await bytesOf(output) });
    }
    expect(outputs.map(({ name, role }) => [name, role])).toEqual([
      ["one.pdf", undefined],
      ["two.pdf", undefined],
      ["three.png", "image"],
    ]);
    expect(pageTexts(outputs[0]!.bytes)).toHaveLength(2);
    expect(outputs[1]!.bytes).toEqual(plain);
    expect(outputs[2]!.bytes).toEqual(plain);
    expect(await reasonOf(() => outputsOf(unlockPdfs, [locked], { openPassword: "wrong" }))).toBe("password-protected");
    const several = unlockPdfs.run(inputs, { openPassword: "wrong" }, CONTEXT)[Symbol.asyncIterator]();
    await expect(several.next()).rejects.toMatchObject({ why: "one.pdf, number 1 of the 2 inputs, needs a password." });
  });
});
