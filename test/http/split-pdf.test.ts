// Tests POST /split-pdf (spec, "POST /split-pdf"): the output files, their order and their names. The operation's own
// tests check the content.
// Contract: docs/api.md#split-pdf, #page-selections, #output-names, #responses, #notices
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, labeledPdf } from "../fixtures/pdfs.ts";
import { lockedPdf } from "../fixtures/signed-pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { pageTexts, qpdfComplaints } from "../support/pdf-readers.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 5);
});

const book = () => upload(pdf, "My book.pdf");
const split = async (fields: FormFields) => {
  const files = await client.make("/split-pdf", { output: "part", ...fields });
  return files.map(({ name, bytes }) => [name, pageTexts(bytes).join(" ")]);
};
const error = async (fields: FormFields) => {
  const { status, body } = await client.post("/split-pdf", { output: "part", ...fields });
  return [status, body.error];
};

describe("outputs", () => {
  test("spec: one file for each pages[], in the order given, names with a number from 1", async () => {
    expect(await split({ file: book(), "pages[]": ["4-5", "1", "last-3"] })).toEqual([
      ["part_1.pdf", "P4 P5"],
      ["part_2.pdf", "P1"],
      ["part_3.pdf", "P5 P4 P3"],
    ]);
  });

  test("spec: without pages[] one file of a single page for each page", async () => {
    expect(await split({ file: book() })).toEqual([1, 2, 3, 4, 5].map((page) => [`part_${page}.pdf`, `P${page}`]));
  });

  test("spec: pages_per_file makes one file of each few pages; not together with pages[]", async () => {
    expect(await split({ file: book(), pages_per_file: "2" })).toEqual([
      ["part_1.pdf", "P1 P2"],
      ["part_2.pdf", "P3 P4"],
      ["part_3.pdf", "P5"],
    ]);
    expect(await error({ file: book(), pages_per_file: "2", "pages[]": "1" })).toEqual([
      ...[400, "2 is not within the acceptable range for pages_per_file. The request has pages[], too."],
    ]);
  });

  test("spec: even and odd", async () => {
    expect(await split({ file: book(), "pages[]": ["even", "odd"] })).toEqual([
      ["part_1.pdf", "P2 P4"],
      ["part_2.pdf", "P1 P3 P5"],
    ]);
  });

  test("spec: output is by default the name of the input without its extension", async () => {
    const fields = { file: book(), "pages[]": "1" };
    const [left] = await client.make("/split-pdf", fields);
    expect(left!.name).toContain('"My book_1.pdf"');
    const [empty] = await client.make("/split-pdf", { ...fields, output: "" });
    expect(empty!.name).toContain('"My book_1.pdf"');
  });

  test.each(["pages", "pages[]", "pages[0]"])("spelled %s; one file makes arrays too", async (name) => {
    const { status, body } = await client.post("/split-pdf", { file: book(), [name]: "2" });
    expect(status).toBe(200);
    expect([body.outputUrl, body.outputId].map((list) => [Array.isArray(list), list!.length])).toEqual([
      [true, 1],
      [true, 1],
    ]);
  });

  test("spec: inputId is a string, and does for the next call; a JSON body as well", async () => {
    const first = await client.post("/split-pdf", { file: book(), "pages[]": "1" });
    const inputId = String(first.body.inputId);
    expect(inputId).toMatch(/^1[0-9a-f]{8}-/);
    expect(await split({ id: inputId, "pages[]": "2" })).toEqual([["part_1.pdf", "P2"]]);
    const response = await fetch(`${client.url}/split-pdf`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id: inputId, pages: [3, "1-2"] }),
    });
    const { outputUrl } = (await response.json()) as { outputUrl: string[] };
    const parts = await Promise.all(outputUrl.map(async (url) => await fetch(url)));
    expect(parts[0]!.headers.get("Content-Disposition")).toContain('"My book_1.pdf"');
    expect(pageTexts(await parts[1]!.bytes())).toEqual(["P1", "P2"]);
  });

  test("500 pages as 500 files, each a sound PDF", async () => {
    const long = await labeledPdf("L", 500);
    const { status, body } = await client.post("/split-pdf", { file: upload(long, "long.pdf") });
    expect(status).toBe(200);
    expect(body.outputUrl).toHaveLength(500);
    for (const page of [1, 250, 500]) {
      const part = await (await fetch(body.outputUrl![page - 1]!)).bytes();
      expect(pageTexts(part)).toEqual([`L${page}`]);
      expect(qpdfComplaints(part)).toBe("");
      expect(part.length).toBeLessThan(5000);
    }
  });
});

describe("errors", () => {
  test.each(["0", "6", "1-6", "", "x", "1,,2"])("400 for pages[] %o, wherever it stands", async (pages) => {
    const sentence = beginning(`${pages} is not within the acceptable range for pages[].`);
    expect(await error({ file: book(), "pages[]": [pages, "1"] })).toEqual([400, sentence]);
    expect(await error({ file: book(), "pages[]": ["1", pages] })).toEqual([400, sentence]);
  });

  test("401 for a user password; an owner password alone opens", async () => {
    expect(await error({ file: upload(encrypted(pdf, "user", "owner")) })).toEqual([
      401,
      "The input file is password protected and cannot be processed.",
    ]);
    expect(await split({ file: upload(encrypted(pdf, "", "owner")), "pages[]": "3" })).toEqual([["part_1.pdf", "P3"]]);
  });
});

test("notices: about the input, once for all outputs", async () => {
  const { body } = await client.post("/split-pdf", { file: upload(lockedPdf()), output: "part" });
  expect([body.outputId!.length, body.notices]).toEqual([2, ["2 digital signatures were removed"]]);
  const { body: plain } = await client.post("/split-pdf", { file: book(), output: "part" });
  expect(Object.keys(plain).toSorted()).toEqual(["inputId", "outputId", "outputUrl"]);
});
