// Encrypts and decrypts, and restricts and unrestricts, each document of the corpus. `CORPUS_DIR` can name a folder with
// more documents. pikepdf compares the results with the originals.
// Contract: docs/api.md#encrypted-pdf, #restricted-pdf
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
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
/** Number of documents that are in the folder at the same time. */
const BATCH = 24;
/** Time limit for 500 documents on a busy machine. */
const MAX_TIME_MS = 1_800_000;

type Reader = Awaited<ReturnType<typeof pythonReaders>>;

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

type Counts = Record<"same" | "repaired" | "refused" | "signed" | "unreadable", number>;

/** Writes each document and its copies to a folder, and compares them. pikepdf starts only once. */
async function compare(names: readonly string[], folder: string, read: Reader, counts: Counts): Promise<void> {
  const trips: { name: string; reason: string; isSigned: boolean; paths: readonly string[] }[] = [];
  for (const name of names) {
    const pdf = new Uint8Array(readFileSync(join(corpusDir!, "pdf", name)));
    const files: Uint8Array[] = [pdf];
    const reason = await reasonOf(async () => {
      files.push(...(await roundTrips(pdf)));
    });
    expect(["none", ...REFUSALS], name).toContain(reason);
    const paths = files.map((_, index) => join(folder, `${trips.length}-${index}.pdf`));
    for (const [index, bytes] of files.entries()) writeFileSync(paths[index]!, bytes);
    trips.push({ name, reason, isSigned: mayBeSigned(pdf), paths });
  }
  const facts = read(trips.flatMap(({ paths }) => paths));
  for (const { name, reason, isSigned, paths } of trips) {
    const [before, ...after] = facts.splice(0, paths.length);
    if (reason !== "none") counts.refused++;
    else if (before!.error !== undefined || before!.locked) counts.unreadable++;
    else if (isSigned) counts.signed++;
    else {
      const isSame = after.every((one) => isDeepStrictEqual(partsOf(one), partsOf(before!)));
      // Programs repair a stream without an end, for example, differently.
      const isRepaired = before!.damaged && !isSame;
      const compared = isRepaired ? ({ pages }: PythonFacts) => pages.length : partsOf;
      for (const one of after) expect.soft(compared(one), name).toEqual(compared(before!));
      expect(after.map(({ encryption }) => encryption)).toEqual([null, null]);
      counts[isRepaired ? "repaired" : "same"]++;
    }
  }
}

test.skipIf(!corpusDir)(
  "contents, annotations, attachments and the catalog survive",
  async (context) => {
    const read = await pythonReaders(context);
    const names = readdirSync(join(corpusDir!, "pdf")).filter((name) => name.endsWith(".pdf"));
    const counts: Counts = { same: 0, repaired: 0, refused: 0, signed: 0, unreadable: 0 };
    for (let at = 0; at < names.length; at += BATCH) {
      const folder = mkdtempSync(join(tmpdir(), "protection-corpus-"));
      try {
        await compare(names.slice(at, at + BATCH), folder, read, counts);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    console.log(`Round trips: ${JSON.stringify(counts)}`);
    expect(counts.same).toBeGreaterThan(counts.repaired + counts.refused + counts.signed + counts.unreadable);
  },
  MAX_TIME_MS,
);
