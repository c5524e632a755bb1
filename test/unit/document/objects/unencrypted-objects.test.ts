// Tests that objects read without the engine equal those that the engine reads. The engine still reads all uncertain
// objects.
import { expect, test } from "vitest";
import { parsePages } from "../../../../src/document/contract/pages.ts";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { MupdfSource } from "../../../../src/document/objects/engine/mupdf-source.ts";
import { readCrossReferences } from "../../../../src/document/objects/parsing/hybrid.ts";
import { UnencryptedObjects } from "../../../../src/document/objects/parsing/unencrypted-objects.ts";
import { serialize } from "../../../../src/document/objects/serialize.ts";
import type { Value } from "../../../../src/document/objects/values.ts";
import { mergePdfs } from "../../../../src/operations/merge-pdfs.ts";
import { MANY } from "../../../fixtures/many-objects.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";

const HEAP_BYTES = 64 * 2 ** 20;
const text = (value: Value) => serialize(value, ({ number }) => number);

/** Returns, by object number, the object read without the engine, and the same object read by the engine. */
async function readTwice(pdf: Uint8Array): Promise<[number: number, plain: Value | undefined, engine: string][]> {
  // This document has so few objects that the engine reads all of them.
  const source = await MupdfSource.open(pdf, HEAP_BYTES, new Budget(HEAP_BYTES));
  const plain = UnencryptedObjects.of(pdf);
  const read = Array.from({ length: source.size }, (_, number): [number, Value | undefined, string] => {
    const object = source.load(number);
    const engine = object !== null && typeof object === "object" && "body" in object ? "a stream" : text(object);
    return [number, plain?.load(number, (stream) => source.load(stream)), engine];
  });
  source.close();
  return read;
}

const CERTAIN = [
  "<</A 1/B[1 2 3 0 R]/C<</D/E>>/F true/G false/H null>>",
  "[1 0 R 2 0 R]",
  "[1 2 0 R 3]",
  "[-1 +2 0.5 -.25 4. 123456789]",
  "(text)",
  "(a \\(b\\) \\101\\n)",
  "<48656C6C6F>",
  "/Name",
  "<</A 1/A 2>>",
  "[[[]]<<>>]",
  "<</A%comment\n1>>",
  "17",
] as const;
const UNCERTAIN = [
  "<</A 1",
  "/With#20blank",
  "[1.2.3]",
  "[--5]",
  "[12345678901]",
  "[99999 0 R]",
  "(line\rline)",
  "<4G>",
  "[what]",
  `${"[".repeat(60)}${"]".repeat(60)}`,
  `[${"1 ".repeat(6000)}]`,
] as const;

function documentOf(objects: readonly string[]): Uint8Array {
  const builder = new PdfBuilder();
  builder.page("Objects");
  const all = objects.map((object) => builder.add(object));
  builder.catalog = `/All[${all.join(" ")}]`;
  return builder.bytes();
}

test.each(CERTAIN)("%s is read as the engine reads it", async (object) => {
  const read = await readTwice(documentOf([object]));
  const plain = read.filter(([, value]) => value !== undefined);
  expect(plain.length).toBeGreaterThanOrEqual(4);
  for (const [, value, engine] of plain) expect(text(value!)).toBe(engine);
  expect(plain.map(([, , engine]) => engine)).toContain(text(plain.at(-1)![1]!));
});

test.each(UNCERTAIN)("%s is left to the engine", (object) => {
  const builder = new PdfBuilder();
  builder.page("Objects");
  const number = Number.parseInt(builder.add(object), 10);
  const plain = UnencryptedObjects.of(builder.bytes());
  expect(plain!.load(number, () => null)).toBeUndefined();
});

test("objects in object streams", async () => {
  const pages = [parsePages("1-last")!];
  const [packed] = await outputsOf(mergePdfs, [MANY["fields of many pages"](500)], { pages });
  const read = await readTwice(packed!);
  const plain = read.filter(([, value]) => value !== undefined);
  expect(plain.length).toBeGreaterThan(500);
  for (const [, value, engine] of plain) expect(text(value!)).toBe(engine);
});

test("an object that is not where the file says is left to the engine", () => {
  const pdf = documentOf(["(first)", "(other)"]);
  const source = Buffer.from(pdf).toString("latin1");
  const at = source.indexOf("(first)");
  const header = source.lastIndexOf(" obj", at);
  const number = Number(/(\d+) 0$/.exec(source.slice(0, header))![1]);
  expect(UnencryptedObjects.of(pdf)!.load(number, () => null)).toMatchObject({ latin1: "first" });
  const start = source.lastIndexOf(`${number} 0 obj`, at);
  const moved = Buffer.from(source, "latin1");
  moved.write(
    String(number).replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)),
    start,
    "latin1",
  );
  expect(UnencryptedObjects.of(moved)!.load(number, () => null)).toBeUndefined();
});

test("many fields are merged as the same fields in few are", async () => {
  const pages = [parsePages("1-last")!];
  const context = { ...CONTEXT, heapLimitBytes: 2 ** 28 };
  const [merged] = await outputsOf(mergePdfs, [MANY["fields of many pages"](12_000)], { pages }, context);
  const source = await MupdfSource.open(merged!, HEAP_BYTES, new Budget(HEAP_BYTES));
  const values = new Set<string>();
  for (let number = 1; number < source.size; number++) {
    const object = source.load(number);
    const found = object !== null && typeof object === "object" && "get" in object ? object.get("T") : undefined;
    if (found) values.add(text(found));
  }
  source.close();
  expect(values.size).toBe(12_000);
});

test.each([
  ["fields wider than any number", "/W[1 1000000000000000 1]/Size 3"],
  [
    "fields without width",
    `/W[0 0 0]/Size 3/Index[${Array.from({ length: 500 }, (_, at) => `${at}000000 1000000`).join(" ")}]`,
  ],
  ["no fields", "/W[]/Size 3"],
])("a cross-reference stream with %s is left to the engine", (_, entries) => {
  const body = `1 0 obj<</Type/XRef${entries}/Length 9>>stream\n123456789\nendstream endobj`;
  expect(readCrossReferences(Buffer.from(`%PDF-1.5\n${body}\nstartxref\n9\n%%EOF`, "latin1"))).toBeUndefined();
});
