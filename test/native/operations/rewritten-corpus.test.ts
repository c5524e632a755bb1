// Sets metadata and bookmarks of each document of the corpus. `CORPUS_DIR` can name a folder with more documents.
// pikepdf compares the results with the originals.
// Contract: docs/api.md#pdf-with-metadata, #pdf-with-bookmarks
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setBookmarks } from "../../../src/operations/set-bookmarks.ts";
import { setMetadata } from "../../../src/operations/set-metadata.ts";
import { corpusDir } from "../../support/corpus.ts";
import { CONTEXT, outputsOf, reasonOf } from "../../support/operations.ts";
import { type PythonFacts, pythonReaders } from "../../support/python-readers.ts";

const CONTAINER = { ...CONTEXT, heapLimitBytes: 512 * 2 ** 20 };
/** Time limit for 500 documents on a busy machine. */
const MAX_TIME_MS = 1_800_000;
const TITLE = "Bericht <1> & 山";

/** Returns the document with both changes. */
async function changed(pdf: Uint8Array): Promise<Uint8Array> {
  const metadata = { title: TITLE, custom: { "Größe ü": "12" } };
  const [titled] = await outputsOf(setMetadata, [pdf], { metadata }, CONTAINER);
  const bookmarks = [{ title: "End", page: 1 }];
  const [marked] = await outputsOf(setBookmarks, [titled!], { bookmarks, mode: "merge" }, CONTAINER);
  return marked!;
}

/** Returns what must stay. Entries of the catalog can be added, and signatures go with their form. */
const partsOf = ({ pages, annotations, attachments }: PythonFacts) => ({ pages, annotations, attachments });

test.skipIf(!corpusDir)(
  "contents, annotations and attachments stay",
  async (context) => {
    const read = await pythonReaders(context);
    const folder = mkdtempSync(join(tmpdir(), "rewritten-corpus-"));
    const pairs: string[] = [];
    const refused: string[] = [];
    try {
      for (const name of readdirSync(join(corpusDir!, "pdf")).filter((name) => name.endsWith(".pdf"))) {
        const path = join(corpusDir!, "pdf", name);
        const reason = await reasonOf(async () => {
          const made = join(folder, name);
          writeFileSync(made, await changed(new Uint8Array(readFileSync(path))));
          pairs.push(path, made);
        });
        expect(["none", "damaged", "not-a-pdf", "password-protected"], name).toContain(reason);
        if (reason !== "none") refused.push(name);
      }
      const facts = read(pairs);
      let same = 0;
      for (let index = 0; index < facts.length; index += 2) {
        const [before, after] = facts.slice(index, index + 2) as [PythonFacts, PythonFacts];
        if (before.error !== undefined || before.locked) continue;
        expect(partsOf(after), pairs[index]).toEqual(partsOf(before));
        expect(after.title, pairs[index]).toBe(TITLE);
        expect(after.catalog, pairs[index]).toEqual(expect.arrayContaining(["/Outlines", "/Metadata"]));
        same++;
      }
      console.log(`Same: ${same} of ${pairs.length / 2}; refused: ${refused.join(", ")}`);
      expect(same).toBeGreaterThan(refused.length);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  MAX_TIME_MS,
);
