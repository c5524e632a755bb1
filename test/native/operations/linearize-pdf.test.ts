// Checks linearized PDFs with another version of qpdf, and compares them with their sources in poppler.
// Contract: docs/api.md#linearized-pdf
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { linearizePdf } from "../../../src/operations/linearize-pdf.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { encrypted, labeledPdf, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { corpusDir, corpusFile } from "../../support/corpus.ts";
import { HOSTILE_PDFS, pdfOf } from "../../support/hostile-pdfs.ts";
import { CONTEXT, outputsOf } from "../../support/operations.ts";
import {
  infoOf,
  linearizationOf,
  picturesOf,
  qpdfComplaints,
  textOf,
  uncompressed,
  withFile,
} from "../../support/pdf-readers.ts";

const linearize = async (pdf: Uint8Array, context = CONTEXT) => (await outputsOf(linearizePdf, [pdf], {}, context))[0]!;
const SOUND = "no linearization errors";

const isReference = (value: unknown) => typeof value === "string" && /^\d+ \d+ R$/.test(value);

/** Returns everything that must not change, as other programs report it. */
function contentOf(pdf: Uint8Array) {
  const { Tagged, Form, JavaScript, Encrypted, Pages, Title, "Page size": size } = infoOf(pdf);
  const fields = withFile(pdf, (path) => {
    const described = execFileSync("qpdf", ["--no-warn", "--warning-exit-0", "--json=2", "--json-key=acroform", path], {
      maxBuffer: 2 ** 28,
    });
    const { acroform } = JSON.parse(described.toString()) as {
      acroform: { fields: { fullname: string; value: unknown; fieldtype: string }[] };
    };
    return acroform.fields.map(({ fullname, value, fieldtype }) => [
      fullname,
      fieldtype,
      isReference(value) ? "elsewhere" : value,
    ]);
  });
  const attached = withFile(pdf, (path) => execFileSync("pdfdetach", ["-list", path], { encoding: "utf8" }));
  const tags = withFile(pdf, (path) =>
    execFileSync("pdfinfo", ["-struct-text", path], { stdio: ["ignore", "pipe", "ignore"] }),
  );
  return {
    ...{ Tagged, Form, JavaScript, Encrypted, Pages, Title, size, fields, attached },
    ...{ tags: tags.toString(), text: textOf(pdf), pictures: picturesOf(pdf, 20) },
  };
}

test("a file made by code, a large one, one that has to be repaired first", async () => {
  const short = await textPdf(3);
  for (const [pdf, source] of [
    [short, short],
    [await labeledPdf("P", 1000), undefined],
    [withoutXref(short), short],
  ] as const) {
    const made = await linearize(pdf);
    expect(linearizationOf(made)).toBe(SOUND);
    expect(qpdfComplaints(made)).toBe("");
    expect(textOf(made)).toEqual(textOf(source ?? pdf));
  }
});

test("one whose page tree has a parent, of which qpdf warns before and after", async () => {
  const pages = "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>";
  const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", pages, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>"]);
  expect(qpdfComplaints(pdf)).not.toBe("");
  expect(linearizationOf(await linearize(pdf))).toBe(SOUND);
});

test("one that is linearized already, by us", async () => {
  const once = await linearize(await textPdf(5));
  expect(linearizationOf(await linearize(once))).toBe(SOUND);
});

/** Documents that qpdf cannot rebuild or that need a password; other tests check them. */
const REFUSED: Readonly<Record<string, string>> = {
  "637.pdf": "damaged",
  "actually_an_rtf.pdf": "not-a-pdf",
  "enc-XI-R6-V5-U-view-O-master.pdf": "password-protected",
};

/** Documents with signatures or with usage rights for Adobe Reader: a part of their content changes. */
const SIGNED = ["minimal-signed-twice-both-created.pdf", "with_xfa_fields.pdf"];

/** A damaged document that every program reads differently. */
const REPAIRED = "crash-121-2.pdf";

describe.skipIf(corpusDir === undefined)("real documents", () => {
  const names = corpusDir === undefined ? [] : readdirSync(join(corpusDir, "pdf"));

  test.each(names.filter((name) => !(name in REFUSED) && !SIGNED.includes(name) && name !== REPAIRED))(
    "%s: all is as it was",
    async (name) => {
      const pdf = corpusFile(`pdf/${name}`)!;
      const made = await linearize(pdf);
      expect(linearizationOf(made)).toBe(SOUND);
      expect(contentOf(made)).toEqual(contentOf(pdf));
    },
  );

  test(`${REPAIRED} is repaired`, async () => {
    expect(linearizationOf(await linearize(corpusFile(`pdf/${REPAIRED}`)!))).toBe(SOUND);
  });

  test.each(SIGNED)("%s: all but its signatures", async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    const made = await linearize(pdf);
    expect(linearizationOf(made)).toBe(SOUND);
    expect(picturesOf(made, 36, 2)).toEqual(picturesOf(pdf, 36, 2));
    expect(uncompressed(made)).not.toContain("/ByteRange");
  });

  test.each(Object.entries(REFUSED))("%s is refused: %s", async (name, reason) => {
    await expect(linearize(corpusFile(`pdf/${name}`)!)).rejects.toMatchObject({ reason });
  });
});

describe("passwords", () => {
  test("a user password: refused, whatever the encryption", async () => {
    const locked = encrypted(await textPdf(2), "user", "owner");
    await expect(linearize(locked)).rejects.toMatchObject({ reason: "password-protected" });
  });

  test("an owner password alone: done, with the same restrictions", async () => {
    const restricted = encrypted(await textPdf(2), "", "owner");
    const made = await linearize(restricted);
    expect(linearizationOf(made)).toBe(SOUND);
    expect(infoOf(made).Encrypted).toBe(infoOf(restricted).Encrypted);
    expect(infoOf(made).Encrypted).toMatch(/^yes/);
  });

  test("damaged: refused, rather than repaired without its restrictions", async () => {
    const pdf = encrypted(await textPdf(2), "", "owner");
    const text = Buffer.from(pdf).toString("latin1");
    const lost = Buffer.from(text.replace(/startxref\s+\d+/, "startxref\n7"), "latin1");
    await expect(linearize(new Uint8Array(lost))).rejects.toMatchObject({ reason: "damaged" });
  });
});

describe("signatures", () => {
  /**
   * Returns a form with a signature field whose signature is in a separate dictionary or in the field itself, and with
   * remains of earlier revisions.
   */
  async function signedPdf(
    where: "referenced" | "direct" | "left behind" | "usage rights" | "in a text",
  ): Promise<Uint8Array> {
    const document = await PDFDocument.create();
    document.addPage([100, 100]);
    const { context } = document;
    const signature = { Type: "Sig", Filter: "Adobe.PPKLite", ByteRange: [0, 1, 2, 3] };
    const reference =
      where === "direct" || where === "in a text" ? undefined : context.register(context.obj(signature));
    const value = where === "direct" ? { V: signature } : where === "referenced" ? { V: reference! } : {};
    const field = context.register(context.obj({ FT: "Sig", T: "a", ...value }));
    document.catalog.set(context.obj("AcroForm") as never, context.obj({ Fields: [field], SigFlags: 3 }));
    if (where === "usage rights") {
      document.catalog.set(context.obj("Perms") as never, context.obj({ UR3: reference! }));
    }
    if (where === "in a text") document.setTitle('ByteRange\n"/ByteRange": [\n"/V": {');
    return document.save({ useObjectStreams: false });
  }

  test.each(["referenced", "direct", "usage rights"] as const)("%s: removed", async (where) => {
    const made = await linearize(await signedPdf(where));
    expect(linearizationOf(made)).toBe(SOUND);
    expect(uncompressed(made)).not.toContain("/ByteRange");
  });

  test.each(["left behind", "in a text"] as const)("%s: none that counts", async (where) => {
    expect(linearizationOf(await linearize(await signedPdf(where)))).toBe(SOUND);
  });
});

describe("bounds", () => {
  test("a heap that is too small is said to be", async () => {
    const builder = new PdfBuilder();
    builder.page("text");
    builder.catalog = `/A[${Array.from({ length: 30_000 }, (_, index) => builder.add(`[${index}]`)).join(" ")}]`;
    const pdf = builder.bytes();
    const small = { ...CONTEXT, heapLimitBytes: 18 * 2 ** 20 };
    await expect(linearize(pdf, small)).rejects.toMatchObject({ reason: "too-large" });
    expect(linearizationOf(await linearize(pdf))).toBe(SOUND);
  });

  test("a page tree so deep that qpdf's stack would overflow", async () => {
    const nodes = Array.from({ length: 100_000 }, (_, index) => `<</Type/Pages/Kids[${index + 3} 0 R]/Count 1>>`);
    const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", ...nodes, "<</Type/Page/MediaBox[0 0 9 9]>>"]);
    expect(linearizationOf(await linearize(pdf))).toBe(SOUND);
  });

  test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))(
    "%s ends in a file or a reason",
    async (_, bytes) => {
      const made = await linearize(bytes()).catch((error: unknown) => error);
      if (made instanceof EngineFailure) expect(made.reason).not.toBe("crashed");
      // The native qpdf crashes if forms are nested too deeply.
      else expect(["", SOUND]).toContain(linearizationOf(made as Uint8Array));
    },
  );
});
