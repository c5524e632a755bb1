// Tests Poppler in its sandbox: a document, and a file that is none.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainPdf } from "../../../../test/fixtures/pdf-builder.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { Scratch } from "../../../scratch/scratch.ts";
import { Poppler } from "../poppler.ts";

const never = new AbortController().signal;
let folder: string;
let scratch: Scratch;
let input: string;
let output: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "poppler-test-"));
  scratch = await Scratch.open();
  [input, output] = ["input.pdf", "output.ps"].map((name) => join(folder, name)) as [string, string];
});
afterAll(async () => {
  await scratch?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test("a PDF becomes PostScript, and a file that is none is damaged and leaves nothing", async () => {
  const poppler = new Poppler(scratch);
  await writeFile(input, "not a PDF");
  const params = { level: 3, binaryOutput: true } as const;
  const refused = poppler.convertToPostscript(input, output, params, never);
  await expect(refused).rejects.toEqual(failsWith("damaged"));
  expect(await readdir(folder)).toEqual(["input.pdf"]);
  await writeFile(input, plainPdf("First"));
  await poppler.convertToPostscript(input, output, params, never);
  expect(await readFile(output, "latin1")).toMatch(/^%!PS.*%%EOF\n$/s);
});
