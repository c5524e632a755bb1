// Tests which words are equal in documents that are read in different orders.
// Contract: docs/api.md#compared-pdf
import { expect, test } from "vitest";
import { changesIn, compareWords } from "../../../../src/document/comparison/changed-words.ts";
import { DocumentWords, Vocabulary } from "../../../../src/document/comparison/document-words.ts";
import { withoutUnmoved } from "../../../../src/document/comparison/unmoved-words.ts";
import type { TextBlock } from "../../../../src/document/layout/lines/blocks.ts";
import { Hyphens } from "../../../../src/document/layout/lines/hyphens.ts";

/** Returns a block of one line, whose words have the same width. */
function blockAt(y: number, text: string): TextBlock {
  const words = text.split(" ").map((word, at) => {
    const [x0, x1] = [50 * at, 50 * at + 40];
    const style = { font: "F", size: 10, bold: false, italic: false };
    return { text: word, corners: [x0, y + 10, x1, y + 10, x0, y, x1, y], origin: [x0, y], style, isJoined: false };
  });
  const box = [0, y, 50 * words.length, y + 10] as const;
  const lines = [{ words, box }] as unknown as TextBlock["lines"];
  return { kind: "paragraph", box, lines, indent: 0, size: 10 };
}

/** Compares pages of blocks in the order of reading. */
function changed(original: readonly TextBlock[], compared: readonly TextBlock[]) {
  const [vocabulary, blocks] = [new Vocabulary(), new Vocabulary()];
  const documents = [original, compared].map((page) => {
    const words = new DocumentWords(vocabulary, blocks, 1e6);
    words.add({ blocks: page } as unknown as Parameters<DocumentWords["add"]>[0], new Hyphens());
    return words;
  }) as [DocumentWords, DocumentWords];
  const { stretches } = compareWords(...documents);
  return withoutUnmoved(stretches, [{ original: 1, compared: 1 }], documents)
    .flatMap((stretch) => [...changesIn(stretch, ...documents)])
    .map(({ removed, added }) => [removed?.text, added?.text]);
}

const BODY = blockAt(100, "the body of this page has more words");

test("words at the same place of a page are equal", () => {
  const note = blockAt(200, "a marginal note");
  expect(changed([note, BODY], [BODY, note])).toEqual([]);
});

test("a word that changes is found if the words around it are read in another order", () => {
  const changes = changed([blockAt(200, "a marginal note"), BODY], [BODY, blockAt(200, "a new note")]);
  expect(changes.flat().filter((text) => text !== undefined)).toEqual(["marginal", "new"]);
});

test("words at another place stay changes", () => {
  const changes = changed([blockAt(200, "a note"), BODY], [BODY, blockAt(50, "a note")]);
  expect(changes).toEqual([
    ["a note", undefined],
    [undefined, "a note"],
  ]);
});
