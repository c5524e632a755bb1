// Writes, as JSON, the numbers of the pages of the named destinations in a PDF that Chromium made. Usage:
// target-pages.mjs input output
import { readFileSync, writeFileSync } from "node:fs";
import { PDFDocument } from "mupdf";

const [input, output] = process.argv.slice(2);
const document = PDFDocument.openDocument(readFileSync(input), "application/pdf");
const numbers = new Map();
for (let index = 0; index < document.countPages(); index++)
  numbers.set(document.findPage(index).asIndirect(), index + 1);

const found = new Map();
const add = (target, name) => {
  const array = target.isDictionary() ? target.get("D") : target;
  if (!array.isArray()) return;
  const number = numbers.get(array.get(0).asIndirect());
  if (number !== undefined) found.set(name, number);
};

const root = document.getTrailer().get("Root");
const dests = root.get("Dests");
if (dests.isDictionary()) dests.forEach(add);
writeFileSync(output, JSON.stringify(Object.fromEntries(found)));
