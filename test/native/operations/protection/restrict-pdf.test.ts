// Contract: docs/api.md#restricted-pdf, #unrestricted-pdf
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../../src/document/contract/failure.ts";
import { RESTRICTIONS, type Restriction } from "../../../../src/document/encryption/permissions.ts";
import { restrictPdf } from "../../../../src/operations/protection/restrict-pdf.ts";
import { unrestrictPdf } from "../../../../src/operations/protection/unrestrict-pdf.ts";
import { encrypted, textPdf } from "../../../fixtures/pdfs.ts";
import { outputsOf, reasonOf } from "../../../support/operations.ts";
import { qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";
import { pythonReaders } from "../../../support/python-readers.ts";

const OWNER = "permissions of mine";
const restricted = async (pdf: Uint8Array, restrictions: readonly Restriction[], passwords = {}) =>
  (await outputsOf(restrictPdf, [pdf], { newPermissionsPassword: OWNER, restrictions, ...passwords }))[0]!;
const unrestricted = async (pdf: Uint8Array, passwords: { currentOpenPassword?: string } = {}, owner = OWNER) =>
  (await outputsOf(unrestrictPdf, [pdf], { currentPermissionsPassword: owner, ...passwords }))[0]!;

const QPDF_NAMES: Readonly<Record<Restriction, string>> = {
  print_low: "print low resolution",
  print_high: "print high resolution",
  edit_document_assembly: "modify document assembly",
  edit_fill_and_sign_form_fields: "modify forms",
  edit_annotations: "modify annotations",
  edit_content: "modify other",
  copy_content: "extract for any purpose",
  accessibility_off: "extract for accessibility",
};
/** The permissions that poppler shows. */
const POPPLER_NAMES = {
  print_low: "print",
  copy_content: "copy",
  edit_content: "change",
  edit_annotations: "addNotes",
};

const encryptionOf = (path: string, password = "") =>
  execFileSync("qpdf", [`--password=${password}`, "--show-encryption", path], { encoding: "utf8" });
/**
 * Returns the output of a program for each of many files. A shell is small, so that it starts programs much faster than
 * this process.
 */
const saidOfEach = (command: string, paths: readonly string[]) => {
  const script = `for path; do ${command} "$path" || exit; printf '\\f'; done`;
  return execFileSync("sh", ["-c", script, "sh", ...paths], { encoding: "utf8" })
    .split("\f")
    .slice(0, -1);
};
const forbiddenInQpdf = (text: string) =>
  RESTRICTIONS.filter((name) => text.includes(`${QPDF_NAMES[name]}: not allowed`));
const forbiddenInPoppler = (text: string) => {
  expect(text).toContain("algorithm:AES-256");
  return Object.entries(POPPLER_NAMES).flatMap(([name, shown]) => (text.includes(`${shown}:no`) ? [name] : []));
};

describe("all 256 sets of restrictions", () => {
  test("are the same in qpdf, poppler, pikepdf and pypdf", async (context) => {
    const read = await pythonReaders(context);
    const pdf = await textPdf(1);
    const folder = mkdtempSync(join(tmpdir(), "restricted-"));
    try {
      const sets = [...Array(256).keys()].map((set) => RESTRICTIONS.filter((_, bit) => set & (1 << bit)));
      const paths: string[] = [];
      for (const [index, restrictions] of sets.entries()) {
        const path = join(folder, `${index}.pdf`);
        writeFileSync(path, await restricted(pdf, restrictions));
        paths.push(path);
      }
      const facts = read(paths);
      const [byQpdf, byPoppler] = ["qpdf --show-encryption", "pdfinfo"].map((command) => saidOfEach(command, paths));
      expect([byQpdf!.length, byPoppler!.length]).toEqual([sets.length, sets.length]);
      for (const [index, restrictions] of sets.entries()) {
        const expected = RESTRICTIONS.filter(
          (name) => restrictions.includes(name) || (name === "print_high" && restrictions.includes("print_low")),
        );
        expect(forbiddenInQpdf(byQpdf![index]!), "qpdf").toEqual(expected);
        expect(forbiddenInPoppler(byPoppler![index]!), "poppler").toEqual(
          Object.keys(POPPLER_NAMES).filter((name) => expected.includes(name as Restriction)),
        );
        expect([facts[index]!.pikepdf, facts[index]!.pypdf]).toEqual([expected, expected]);
        expect(facts[index]!.encryption).toEqual({ R: 6, bits: 256 });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 240_000);
});

describe("passwords", () => {
  test("a restricted document opens without a password, and is read by qpdf", async () => {
    const pdf = await restricted(await textPdf(3), ["copy_content"]);
    expect(qpdfComplaints(pdf)).toBe("");
    expect(withFile(pdf, (path) => encryptionOf(path, OWNER))).toContain("Supplied password is owner password");
  });

  test("the open password is kept only if it is sent", async () => {
    const pdf = encrypted(await textPdf(1), "opens", "owns");
    const kept = await restricted(pdf, [], { currentOpenPassword: "opens", currentPermissionsPassword: "owns" });
    expect(withFile(kept, (path) => encryptionOf(path, "opens"))).toContain("Supplied password is user password");
    const dropped = await restricted(pdf, [], { currentPermissionsPassword: "owns" });
    expect(withFile(dropped, (path) => encryptionOf(path))).toContain("Supplied password is user password");
  });

  test.each([
    ["permissions-required", {}],
    ["permissions-required", { currentPermissionsPassword: "wrong" }],
    ["permissions-required", { currentOpenPassword: "wrong" }],
  ])("%s for an input with a permissions password and %o", async (reason, passwords) => {
    const pdf = encrypted(await textPdf(1), "", "owns");
    expect(await reasonOf(() => restricted(pdf, [], passwords))).toBe(reason);
  });

  test.each([
    ["password-required", {}],
    ["permissions-required", { currentPermissionsPassword: "wrong" }],
    ["permissions-required", { currentOpenPassword: "opens" }],
    ["password-protected", { currentOpenPassword: "wrong" }],
    ["password-protected", { currentOpenPassword: "wrong", currentPermissionsPassword: "owns" }],
  ])("%s for an input with both passwords and %o", async (reason, passwords) => {
    const pdf = encrypted(await textPdf(1), "opens", "owns");
    expect(await reasonOf(() => restricted(pdf, [], passwords))).toBe(reason);
  });

  test("the new permissions password must differ from the open password", async () => {
    const pdf = encrypted(await textPdf(1), OWNER, OWNER);
    await expect(restricted(pdf, [], { currentOpenPassword: OWNER })).rejects.toThrow(OutOfRange);
  });

  test("restrictions are removed with the permissions password only", async () => {
    const pdf = await restricted(await textPdf(2), ["print_low"]);
    expect(withFile(await unrestricted(pdf), (path) => encryptionOf(path))).toContain("not encrypted");
    expect(await reasonOf(() => unrestricted(pdf, {}, "wrong"))).toBe("permissions-required");
    const both = encrypted(await textPdf(1), "opens", "owns");
    const kept = await unrestricted(both, { currentOpenPassword: "opens" }, "owns");
    const shown = withFile(kept, (path) => encryptionOf(path, "opens"));
    expect(shown).toContain("Supplied password is owner password");
    expect(shown).not.toContain("not allowed");
    expect(await reasonOf(() => unrestricted(both, { currentOpenPassword: "wrong" }, "owns"))).toBe(
      "password-protected",
    );
  });
});
