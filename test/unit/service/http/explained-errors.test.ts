// Tests errors with a reason that names the wrong input: the contract's sentence comes first, unchanged.
import { expect, test } from "vitest";
import { EngineFailure, OutOfRange } from "../../../../src/document/contract/failure.ts";
import { outOfRange, toServiceError } from "../../../../src/service/http/contract/errors.ts";
import { mismatch } from "../../../../src/service/http/requests/mismatch.ts";

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const NOT_VALID = "Uploaded file is not valid input for this route.";

test("a reason follows the sentence", () => {
  const error = toServiceError(new OutOfRange("pages", "1-500", "The document has 100 pages."));
  expect([error.status, error.message]).toEqual([
    400,
    "1-500 is not within the acceptable range for pages. The document has 100 pages.",
  ]);
  expect(error.template).toBe(outOfRange("pages", "x").template);
  expect(outOfRange("pages", "<value>").message).toBe("<value> is not within the acceptable range for pages.");
});

test("a limit follows the sentence of a document that is too complex", () => {
  const why = "The document has 13,400 pages on paper; about 2,000 such pages can be made.";
  const error = toServiceError(new EngineFailure("too-complex", "detail", { why }));
  expect([error.status, error.message]).toEqual([422, `The input file is too complex to be processed. ${why}`]);
  expect(toServiceError(new EngineFailure("too-complex", "x")).message).toBe(error.template);
});

test.each([
  ["damaged", 400, "The input file is damaged or is not a PDF."],
  ["password-protected", 401, "The input file is password protected and cannot be processed."],
] as const)("an engine's reason follows the sentence: %s", (reason, status, sentence) => {
  const error = toServiceError(new EngineFailure(reason, "detail", { why: "It is a.pdf." }));
  expect([error.status, error.template, error.message]).toEqual([status, sentence, `${sentence} It is a.pdf.`]);
});

test.each([
  ["report.docx", WORD, undefined, "report.docx is a Word document; this endpoint takes PDF."],
  ["a.gif", "image/gif", { number: 1, of: 1 }, "a.gif is a GIF image; this endpoint takes PDF."],
  [
    "a.rtf",
    "application/rtf",
    { number: 2, of: 3 },
    "a.rtf, number 2 of the 3 inputs, is an RTF document; this endpoint takes PDF.",
  ],
  ["a", "application/octet-stream", undefined, "a is of no known type; this endpoint takes PDF."],
])("%s of a wrong type", (name, type, place, why) => {
  expect(mismatch({ name, type, size: 1 }, "PDF", place).message).toBe(`${NOT_VALID} ${why}`);
});

test("an empty file is said to be empty, whatever its name", () => {
  for (const name of ["a", "report.pdf", "report.docx"]) {
    const { message } = mismatch({ name, type: "application/octet-stream", size: 0 }, "PDF");
    expect(message).toBe(`${NOT_VALID} ${name} is empty; this endpoint takes PDF.`);
  }
});

test("a long name is cut", () => {
  expect(mismatch({ name: "x".repeat(4000), type: WORD, size: 1 }, "PDF").message.length).toBeLessThan(250);
});
