// Tests POST /merged-pdf (spec, "POST /merged-pdf"): selection and order of pages and inputs, and every kind of invalid
// request. The operation's own tests check the content.
// Contract: docs/api.md#merged-pdf, #page-selections, #responses, #notices
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, labeledPdf } from "../fixtures/pdfs.ts";
import { lockedPdf, signedPdf } from "../fixtures/signed-pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { pageTexts, qpdfComplaints } from "../support/pdf-readers.ts";

const client = privateClient();
let a: Uint8Array;
let b: Uint8Array;
/** ID of the stored file `a`. */
let id: string;
beforeAll(async () => {
  [a, b] = await Promise.all([labeledPdf("A", 5), labeledPdf("B", 2)]);
  const { body } = await client.post("/zip", { file: upload(a, "stored.pdf"), output: "a" });
  id = body.inputId![0]!;
});

const file = (bytes: Uint8Array, name = "a.pdf") => upload(bytes, name);
const post = (fields: FormFields) => client.post("/merged-pdf", { output: "merged", ...fields });
const merge = async (fields: FormFields) => {
  const [merged] = await client.make("/merged-pdf", { output: "merged", ...fields });
  return merged!;
};
const error = async (fields: FormFields) => {
  const { status, body } = await post(fields);
  return [status, body.error];
};
const range = (value: string, parameter: string) => [
  400,
  beginning(`${value} is not within the acceptable range for ${parameter}.`),
];
const TOO_MANY = [400, "Too many 'file' or 'id' values."];

describe("order and pages", () => {
  test("spec: inputs are merged in the order in which they are specified: type[] tells it", async () => {
    for (const [type, expected] of [
      [["file", "id"], "B1 B2 A1"],
      [["id", "file"], "A1 A2 B1"],
    ] as const) {
      const pages = type[0] === "id" ? ["1-2", "1"] : ["1-2", "1"];
      const merged = await merge({ "id[]": id, file: file(b), "pages[]": pages, "type[]": type });
      expect(pageTexts(merged.bytes).join(" ")).toBe(expected);
    }
  });

  test("spec: the i-th pages[] belongs to the i-th type[], in whatever order the parts come", async () => {
    const merged = await merge({
      "type[]": ["id", "file", "id", "file"],
      file: [file(b), file(a)],
      "pages[]": ["5", "2", "1", "4"],
      "id[]": [id, id],
    });
    expect(pageTexts(merged.bytes)).toEqual(["A5", "B2", "A1", "A4"]);
  });

  test.each([
    ["1-last", "A1 A2 A3 A4 A5"],
    ["1,3", "A1 A3"],
    ["4-2", "A4 A3 A2"],
    ["last-1", "A5 A4 A3 A2 A1"],
    ["2-last", "A2 A3 A4 A5"],
    ["5,4-3, last", "A5 A4 A3 A5"],
    ["even", "A2 A4"],
    ["odd", "A1 A3 A5"],
    ["1,even,1", "A1 A2 A4 A1"],
    ["all", "A1 A2 A3 A4 A5"],
  ])("spec: pages %s", async (pages, expected) => {
    const merged = await merge({ file: file(a), "pages[]": pages, "type[]": "file" });
    expect(pageTexts(merged.bytes).join(" ")).toBe(expected);
  });

  test("even selects nothing of a document of one page, and the others are merged", async () => {
    const single = await labeledPdf("S", 1);
    for (const [order, expected] of [
      [
        [single, a, b],
        ["A2", "A4", "B2"],
      ],
      [
        [a, single, b],
        ["A2", "A4", "B2"],
      ],
      [
        [a, b, single],
        ["A2", "A4", "B2"],
      ],
    ] as const) {
      const lists = { "pages[]": order.map(() => "even"), "type[]": order.map(() => "file") };
      const merged = await merge({ file: order.map((bytes) => file(bytes)), ...lists });
      expect(pageTexts(merged.bytes)).toEqual(expected);
      expect(qpdfComplaints(merged.bytes)).toBe("");
    }
    expect(await error({ file: [file(single), file(single)], "pages[]": ["even", "even"], "type[]": ["file", "file"] })) //
      .toEqual(range("even", "pages[]"));
    expect(await error({ file: [file(single), file(a)], "pages[]": ["even,2", "1"], "type[]": ["file", "file"] })) //
      .toEqual(range("even,2", "pages[]"));
  });

  test("the same file twice", async () => {
    const merged = await merge({ file: [file(a), file(a)], "pages[]": ["1", "2"], "type[]": ["file", "file"] });
    expect(pageTexts(merged.bytes)).toEqual(["A1", "A2"]);
  });

  test.each([
    ["repeated names", (name: string) => [name, name]],
    ["empty brackets", (name: string) => [`${name}[]`, `${name}[]`]],
    ["numbers in brackets", (name: string) => [`${name}[0]`, `${name}[1]`]],
    ["numbers in brackets, the last one first", (name: string) => [`${name}[1]`, `${name}[0]`]],
  ])("lists spelled with %s", async (_, names) => {
    const form = new FormData();
    const put = (name: string, values: readonly (string | File)[]) => {
      const keys = names(name);
      const isTurned = keys[0]!.includes("1");
      (isTurned ? values.toReversed() : values).forEach((value, index) => void form.append(keys[index]!, value));
    };
    put("pages", ["1-2", "last"]);
    put("type", ["file", "file"]);
    put("file", [file(a), file(b)]);
    form.append("output", "merged");
    const response = await fetch(`${client.url}/merged-pdf`, { method: "POST", body: form });
    const { outputUrl } = (await response.json()) as { outputUrl: string };
    const merged = await (await fetch(outputUrl)).bytes();
    expect(pageTexts(merged)).toEqual(["A1", "A2", "B2"]);
  });

  test("200 inputs", async () => {
    const numbers = Array.from({ length: 200 }, (_, index) => (index % 5) + 1);
    const merged = await merge({
      file: numbers.map((number) => file(a, `${number}.pdf`)),
      "pages[]": numbers.map(String),
      "type[]": numbers.map(() => "file"),
    });
    expect(pageTexts(merged.bytes)).toEqual(numbers.map((number) => `A${number}`));
  });
});

describe("200", () => {
  test(
    "spec: outputUrl and outputId are strings, inputId is an array " + "of strings in the order of the inputs",
    async () => {
      const { status, body } = await post({
        file: [file(a), file(b)],
        "id[]": id,
        "pages[]": ["1", "1", "1"],
        "type[]": ["file", "id", "file"],
      });
      expect(status).toBe(200);
      expect([typeof body.outputUrl, typeof body.outputId]).toEqual(["string", "string"]);
      expect(body.inputId).toHaveLength(3);
      expect(body.inputId![1]).toBe(id);
      const [first, , third] = body.inputId as string[];
      const again = await merge({ "id[]": [third!, first!], "pages[]": ["1", "1"], "type[]": ["id", "id"] });
      expect(pageTexts(again.bytes)).toEqual(["B1", "A1"]);
    },
  );

  test("spec: one input makes an array too", async () => {
    const { body } = await post({ "id[]": id, "pages[]": "1", "type[]": "id" });
    expect(body.inputId).toEqual([id]);
  });

  test("spec: output is the name without extension; a sound PDF", async () => {
    const merged = await merge({ file: [file(a), file(b)], "pages[]": ["all", "all"], "type[]": ["file", "file"] });
    expect([merged.name, merged.type]).toEqual(["merged.pdf", "application/pdf"]);
    expect(qpdfComplaints(merged.bytes)).toBe("");
  });

  test("a JSON body: numbers and texts; output may be left out", async () => {
    for (const key of ["pages", "pages[]"]) {
      const response = await fetch(`${client.url}/merged-pdf`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id: [id, id], [key]: [2, "4-3"], type: ["id", "id"] }),
      });
      const { outputUrl } = (await response.json()) as { outputUrl: string };
      const merged = await fetch(outputUrl);
      expect(merged.headers.get("Content-Disposition")).toBe("attachment; filename=stored_merged-pdf.pdf");
      expect(pageTexts(await merged.bytes())).toEqual(["A2", "A4", "A3"]);
    }
  });
});

describe("400", () => {
  test("spec: too many file or id values for pages[] or type[]", async () => {
    expect(await error({ file: [file(a), file(b)], "pages[]": "1", "type[]": ["file", "file"] })).toEqual(TOO_MANY);
    expect(await error({ file: file(a), "id[]": id, "pages[]": ["1", "1"], "type[]": "file" })).toEqual(TOO_MANY);
  });

  test("spec: too many file or id values at all: 1,000 is the most unless the setting says otherwise", async () => {
    const lists = (count: number) => ({
      "id[]": Array.from({ length: count }, () => id),
      "pages[]": Array.from({ length: count }, () => "1"),
      "type[]": Array.from({ length: count }, () => "id"),
    });
    expect(await error(lists(1001))).toEqual(TOO_MANY);
    const { status } = await post(lists(50));
    expect(status).toBe(200);
  });

  test("fewer inputs than pages[] or type[]", async () => {
    const answer = [400, "Too few 'file' or 'id' values."];
    expect(await error({ file: file(a), "pages[]": ["1", "2"], "type[]": "file" })).toEqual(answer);
    expect(await error({ file: file(a), "pages[]": "1", "type[]": ["file", "id"] })).toEqual(answer);
  });

  test("as many, but of another kind than type[] says", async () => {
    const answer = [400, "The 'type[]' values do not match the 'file' and 'id' values."];
    expect(await error({ file: file(a), "pages[]": "1", "type[]": "id" })).toEqual(answer);
  });

  test("spec: a value of type[] other than file, id and url", async () => {
    expect(await error({ file: file(a), "pages[]": "1", "type[]": "page" })).toEqual(range("page", "type[]"));
  });

  test.each(["0", "6", "1,6", "last-6", "", "a", "1-", "1;2", "-1", "none"])("spec: pages[] %o", async (pages) => {
    expect(await error({ file: file(a), "pages[]": pages, "type[]": "file" })).toEqual(range(pages, "pages[]"));
  });

  test("spec: pages[], type[] and output are required", async () => {
    const required = (name: string) => [400, `The '${name}' field is required.`];
    expect(await error({ file: file(a), "type[]": "file" })).toEqual(required("pages[]"));
    expect(await error({ file: file(a), "pages[]": "1" })).toEqual(required("type[]"));
    const { body } = await client.post("/merged-pdf", { file: file(a), "pages[]": "1", "type[]": "file" });
    expect(body.error).toBe("The 'output' field is required.");
  });

  test("neither a file nor an id", async () => {
    expect(await error({ "pages[]": "1", "type[]": "file" })).toEqual([400, "This route needs a File or an ID."]);
  });

  test("a damaged input, whichever it is", async () => {
    const two = { "pages[]": ["1", "1"], "type[]": ["file", "file"] };
    expect(await error({ file: [file(a), upload("not a PDF", "a.pdf")], ...two })).toEqual([
      ...[400, "The input file is damaged or is not a PDF. a.pdf, number 2 of the 2 inputs, is not a PDF."],
    ]);
  });
});

test("documents of other types become PDFs, at their places", async () => {
  const files = [upload("<!doctype html><p>From HTML", "a.html"), file(b), upload("From text", "a.txt")];
  const three = { "pages[]": ["1", "2", "all"], "type[]": ["file", "file", "file"] };
  const merged = await merge({ file: files, ...three });
  expect(pageTexts(merged.bytes)).toEqual(["From HTML", "B2", "From text"]);
});

test("401 for a user password, on whichever input; an owner password alone opens", async () => {
  const two = { "pages[]": ["1", "1"], "type[]": ["file", "file"] };
  for (const [number, files] of [
    [2, [a, encrypted(b, "user", "owner")]],
    [1, [encrypted(a, "user", "owner"), b]],
  ] as const) {
    const sentence = "The input file is password protected and cannot be processed.";
    const why = `a.pdf, number ${number} of the 2 inputs, needs a password.`;
    const given = files.map((bytes) => file(bytes));
    expect(await error({ file: given, ...two })).toEqual([401, `${sentence} ${why}`]);
  }
  const merged = await merge({ file: [file(encrypted(a, "", "owner")), file(b)], ...two });
  expect(pageTexts(merged.bytes)).toEqual(["A1", "B1"]);
});

test("404 for an unknown id among others", async () => {
  const ids = [id, "1d0c1f2a5-0000-4000-8000-000000000000"];
  expect(await error({ "id[]": ids, "pages[]": ["1", "1"], "type[]": ["id", "id"] })).toEqual([
    404,
    "That file does not exist",
  ]);
});

test("notices: signatures of all inputs, and protection; none where nothing is lost", async () => {
  const two = { "pages[]": ["1-last", "1"], "type[]": ["file", "file"] };
  const signed = await post({ file: [file(lockedPdf()), file(encrypted(signedPdf(), "", "owner"))], ...two });
  expect(signed.body.notices).toEqual([
    "3 digital signatures were removed",
    "protection by an owner password was removed",
  ]);
  const plain = await post({ file: [file(a), file(b)], ...two });
  expect(Object.keys(plain.body).toSorted()).toEqual(["inputId", "outputId", "outputSize", "outputUrl"]);
});
