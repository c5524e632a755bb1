// Encrypts and decrypts, and restricts and unrestricts, each document of the corpus. `CORPUS_DIR` can name a folder with
// more documents. pikepdf compares the results with the originals.
// Contract: docs/api.md#encrypted-pdf, #restricted-pdf
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayBeSigned } from "../../../../src/document/pages/unprotect.ts";
import { decryptPdf } from "../../../../src/operations/protection/decrypt-pdf.ts";
import { encryptPdf } from "../../../../src/operations/protection/encrypt-pdf.ts";
import { restrictPdf } from "../../../../src/operations/protection/restrict-pdf.ts";
import { unrestrictPdf } from "../../../../src/operations/protection/unrestrict-pdf.ts";
import { corpusDir } from "../../../support/corpus.ts";
import { CONTEXT, outputsOf, reasonOf } from "../../../support/operations.ts";
import { type PythonFacts, pythonReaders } from "../../../support/python-readers.ts";

const CONTAINER = { ...CONTEXT, heapLimitBytes: 512 * 2 ** 20 };
/** Failures of documents that are damaged, or need a password that the test does not have. */
const REFUSALS = ["damaged", "not-a-pdf", "password-required", "permissions-required"];
const [OPEN, OWNER] = ["opens it", "owns it"];
/** Time limit for 500 documents on a busy machine. */
const MAX_TIME_MS = 1_800_000;

/** Returns the documents after both round trips. */
async function roundTrips(pdf: Uint8Array): Promise<readonly Uint8Array[]> {
  const [encrypted] = await outputsOf(encryptPdf, [pdf], { newOpenPassword: OPEN }, CONTAINER);
  const [decrypted] = await outputsOf(decryptPdf, [encrypted!], { currentOpenPassword: OPEN }, CONTAINER);
  const restricting = { newPermissionsPassword: OWNER, restrictions: ["copy_content"] } as const;
  const [restricted] = await outputsOf(restrictPdf, [pdf], restricting, CONTAINER);
  const lifting = { currentPermissionsPassword: OWNER };
  const [unrestricted] = await outputsOf(unrestrictPdf, [restricted!], lifting, CONTAINER);
  return [decrypted!, unrestricted!];
}

const partsOf = ({ pages, annotations, attachments, catalog, title }: PythonFacts) => ({
  ...{ pages, annotations, attachments, catalog, title },
});

test.skipIf(!corpusDir)(
  "contents, annotations, attachments and the catalog survive",
  async (context) => {
    const read = await pythonReaders(context);
    const folder = mkdtempSync(join(tmpdir(), "protection-corpus-"));
    const counts = { same: 0, refused: 0, signed: 0, unreadable: 0 };
    try {
      for (const name of readdirSync(join(corpusDir!, "pdf")).filter((name) => name.endsWith(".pdf"))) {
        const pdf = new Uint8Array(readFileSync(join(corpusDir!, "pdf", name)));
        let made: readonly Uint8Array[] = [];
        const reason = await reasonOf(async () => {
          made = await roundTrips(pdf);
        });
        expect(["none", ...REFUSALS], name).toContain(reason);
        const paths = [pdf, ...made].map((_, index) => join(folder, `${index}.pdf`));
        for (const [index, bytes] of [pdf, ...made].entries()) writeFileSync(paths[index]!, bytes);
        const [before, ...after] = read(paths);
        if (reason !== "none") counts.refused++;
        else if (before!.error !== undefined || before!.locked) counts.unreadable++;
        else if (mayBeSigned(pdf)) counts.signed++;
        else {
          for (const one of after) expect(partsOf(one), name).toEqual(partsOf(before!));
          expect(after.map(({ encryption }) => encryption)).toEqual([null, null]);
          counts.same++;
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    console.log(`Round trips: ${JSON.stringify(counts)}`);
    expect(counts.same).toBeGreaterThan(counts.refused + counts.signed + counts.unreadable);
  },
  MAX_TIME_MS,
);
