// Tests what is said about signatures, and about changes after them that MuPDF makes. pyHanko judges the same changes.
// Contract: docs/api.md#verified-pdf
import * as mupdf from "mupdf";
import { afterAll, expect, test } from "vitest";
import { verifyPdf } from "../../../src/operations/verify-pdf.ts";
import { Authority } from "../../fixtures/credentials.ts";
import { encrypted, fieldPdf, textPdf } from "../../fixtures/pdfs.ts";
import { signedPdf } from "../../fixtures/signed-pdfs.ts";
import { signedBy } from "../../fixtures/truly-signed-pdfs.ts";
import { corpusFile } from "../../support/corpus.ts";
import { outputsOf } from "../../support/operations.ts";
import { INVISIBLE, pfx, pyhanko, signed, startTimeStamps } from "../../support/signing.ts";

const authority = new Authority();
afterAll(() => authority[Symbol.dispose]());
const signer = () => pfx(authority.pkcs12("p256"));

async function verified(pdf: Uint8Array, trusted?: Uint8Array, currentOpenPassword?: string) {
  const params = currentOpenPassword === undefined ? {} : { currentOpenPassword };
  const [answer] = await outputsOf(verifyPdf, trusted ? [pdf, trusted] : [pdf], params);
  return JSON.parse(new TextDecoder().decode(answer)).signatures as Record<string, unknown>[];
}

test("says who signed, when, and what is covered and trusted", async () => {
  using stamps = await startTimeStamps(authority);
  const texts = { reason: "Approved", location: "London", contact: "ada@example.com" };
  const first = { ...INVISIBLE, certification_level: 2, lock: { action: "include", fields: ["Name"] }, display: texts };
  const { made: one } = await signed(await fieldPdf(1), signer(), first);
  const { made: two } = await signed(one, signer(), INVISIBLE, { timeStampUrl: stamps.url });
  const names = { signer: "Ada Lovelace", subject: "CN=Ada Lovelace,O=Firm,C=GB", issuer: "CN=Authority,O=Firm" };
  const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const all = { ...names, time, subfilter: "ETSI.CAdES.detached", intact: true, covers_revision: true };
  const chain = [names.subject, names.issuer];
  const known = { chain, trusted: true, valid: true, changes_permitted: true };
  const lock = { action: "include", fields: ["Name"] };
  const stamp = { time, authority: "Ada Lovelace", intact: true, trusted: true };
  expect(await verified(two, authority.certificate)).toEqual([
    {
      ...{ ...all, ...known, ...texts, field: "Signature1", covers_file: false, time_stamp: null, lock },
      ...{ certification_level: 2, changes: [{ kind: "signature", name: "Signature2" }] },
    },
    {
      ...{ ...all, ...known, field: "Signature2", covers_file: true, time_stamp: stamp, lock: null, changes: [] },
      ...{ certification_level: null, reason: null, location: null, contact: null },
    },
  ]);
  const untold = { trusted: null, valid: true, chain, time_stamp: null };
  expect((await verified(two))[0]).toMatchObject(untold);
  using other = new Authority();
  expect((await verified(two, other.certificate))[0]).toMatchObject({ trusted: false, valid: false });
});

type Edit = (document: mupdf.PDFDocument, page: mupdf.PDFPage) => void;
const EDITS: readonly (readonly [string, readonly object[], boolean, Edit])[] = [
  [
    "content",
    [{ kind: "page", page: 1 }],
    false,
    (document, page) => {
      const object = page.getObject();
      object.put("Contents", document.addStream("BT ET", {}));
    },
  ],
  [
    "a new page",
    [{ kind: "page", page: 2 }],
    false,
    (document) => {
      document.insertPage(-1, document.addPage([0, 0, 99, 99], 0, document.newDictionary(), ""));
    },
  ],
  [
    "an annotation",
    [{ kind: "annotation", page: 1 }],
    true,
    (_, page) => {
      page.createAnnotation("Square").setRect([9, 9, 50, 50]);
    },
  ],
  [
    "a value of a field",
    [{ kind: "field", name: "Name" }],
    true,
    (_, page) => {
      page
        .getWidgets()
        .find((widget) => widget.getName() === "Name")!
        .setTextValue("Grace");
    },
  ],
  [
    "an action",
    [{ kind: "other" }],
    false,
    (document) => {
      const action = document.newDictionary();
      action.put("S", document.newName("JavaScript"));
      action.put("JS", document.newString("app.alert(1)"));
      document.getTrailer().get("Root").put("OpenAction", action);
    },
  ],
  [
    "metadata",
    [{ kind: "metadata" }],
    true,
    (document) => {
      document.setMetaData("info:Title", "Another");
    },
  ],
  [
    "the appearance of the signature",
    [{ kind: "other", name: "Signature1" }],
    false,
    (document, page) => {
      page
        .getWidgets()
        .find((widget) => widget.getName() === "Signature1")!
        .getObject()
        .put("F", 2);
      document.getTrailer();
    },
  ],
];

/** Changes a document as a program would that does not know about its signatures. */
function edited(pdf: Uint8Array, edit: Edit): Uint8Array {
  const document = mupdf.PDFDocument.openDocument(pdf, "application/pdf").asPDF()!;
  edit(document, document.loadPage(0) as mupdf.PDFPage);
  return new Uint8Array(document.saveToBuffer("incremental").asUint8Array());
}

test("finds what changed after a signature, and whether that is permitted", async (context) => {
  const verify = await pyhanko(context, authority);
  const { made } = await signed(await fieldPdf(1), signer());
  const { made: certified } = await signed(await fieldPdf(1), signer(), { ...INVISIBLE, certification_level: 2 });
  const changed = EDITS.map(([, , , edit]) => edited(made, edit));
  const judged = verify(...changed);
  for (const [index, [name, changes, isPermitted]] of EDITS.entries()) {
    const [own] = await verified(changed[index]!, authority.certificate);
    expect(own, name).toMatchObject({ intact: true, covers_file: false, covers_revision: true });
    expect(own!.changes, name).toEqual(expect.arrayContaining([...changes]));
    expect([own!.changes_permitted, own!.valid], name).toEqual([isPermitted, isPermitted]);
    // pyHanko permits no annotations by default, and no other metadata than its own.
    if (!["an annotation", "metadata", "a value of a field"].includes(name)) {
      expect(judged[index]![0]!.valid, name).toBe(isPermitted);
    }
  }
  const annotated = edited(certified, EDITS[2]![3]);
  expect(await verified(annotated)).toMatchObject([{ changes_permitted: false, certification_level: 2, valid: false }]);
});

test("a changed byte, and what only claims to be a signature", async () => {
  const { made } = await signed(await textPdf(1), signer());
  const copy = Buffer.from(made);
  copy[20]! ^= 1;
  expect(await verified(copy, authority.certificate)).toMatchObject([{ intact: false, valid: false, trusted: true }]);
  expect(await verified(signedPdf())).toMatchObject([{ signer: "Ann", intact: false, valid: false, chain: [] }]);
  expect(await verified(await textPdf(1))).toEqual([]);
  await expect(verified(made, new TextEncoder().encode("none"))).rejects.toMatchObject({ name: "OutOfRange" });
});

test("signatures by other programs, also in an encrypted document", async () => {
  const bare = signedBy({ subfilter: "adbe.x509.rsa_sha1" });
  expect(await verified(bare)).toMatchObject([{ signer: "J+D Doe", intact: true, valid: true, trusted: null }]);
  const locked = encrypted(signedPdf(), "user", "owner");
  await expect(verified(locked)).rejects.toMatchObject({ reason: "password-protected" });
  expect(await verified(locked, undefined, "user")).toMatchObject([{ field: "Ann", valid: false }]);
});

test.skipIf(!corpusFile("pdf/hello-world.pdf"))("a real document that was signed twice", async () => {
  expect(await verified(corpusFile("pdf/minimal-signed-twice-both-created.pdf")!)).toMatchObject([
    {
      intact: true,
      covers_revision: true,
      covers_file: false,
      changes: [{ kind: "signature", name: "Signature3" }, { kind: "metadata" }],
    },
    { intact: true, covers_file: true, changes: [], valid: true },
  ]);
});
