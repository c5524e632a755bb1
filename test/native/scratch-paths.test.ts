// Tests the search for scratch paths, which every test over HTTP runs on its outputs: it finds the paths in all places.
import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { scratchPathsIn } from "../support/scratch-paths.ts";

const PATH = "/dev/shm/pagewright-6468-I1DRSp/office-7a7aUU/input.docx";
const latin = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

const stream = (content: Buffer) =>
  Buffer.concat([latin("1 0 obj\n<< /Filter /FlateDecode >>\nstream\n"), deflateSync(content), latin("\nendstream\n")]);
const drawn = (text: string) =>
  execFileSync("gs", ["-q", "-sDEVICE=pdfwrite", "-o", "-", "-"], {
    input: `/Courier 9 selectfont 72 700 moveto (${text}) show showpage`,
  });

describe("scratch paths", () => {
  test.each([
    ["in a link", latin(`%PDF-1.7\n/URI (file://${PATH})`)],
    ["in UTF-16", Buffer.concat([latin("%PDF-1.7\n"), utf16(`file://${PATH}`)])],
    ["in a compressed stream", Buffer.concat([latin("%PDF-1.7\n"), stream(latin(`(file://${PATH})`))])],
    ["in the text of a page", drawn(PATH)],
    ["in HTML", latin(`<a href="file://${PATH}">`)],
    ["in an archive", Buffer.from(zipSync({ "a.pdf": drawn(PATH) }))],
    ["as a name alone", drawn("File: input.xlsx")],
    ["as the origin of a page", latin("%PDF-1.7\n/URI (http://document.invalid/a.html)")],
  ])("are found %s", (_place, output) => {
    expect(scratchPathsIn(output)).not.toEqual([]);
  });

  test.each([
    ["a page", drawn("The input.form of my-output.pdfs is in documents/invalid")],
    ["a folder of the author", latin("%PDF-1.7\n/URI (file:///home/office/input-data.xlsx) /F (postscript-notes/a)")],
  ])("are not found in %s", (_what, output) => {
    expect(scratchPathsIn(output)).toEqual([]);
  });
});
