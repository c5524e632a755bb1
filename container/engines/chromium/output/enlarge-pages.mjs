// Enlarges every page of a PDF that Chromium made, with its links and their targets. Needed because Chromium's scale is
// at most 2. Usage: enlarge-pages.mjs input output factor width height, with the new pages' width and height in points.
import { readFileSync, writeFileSync } from "node:fs";
import { PDFDocument } from "mupdf";

const [input, output, ...numbers] = process.argv.slice(2);
const [factor, width, height] = numbers.map(Number);
const document = PDFDocument.openDocument(readFileSync(input), "application/pdf");
const root = document.getTrailer().get("Root");

const enlarge = (array) => {
  for (let index = 0; index < array.length; index++) {
    const number = array.get(index);
    if (number.isNumber()) array.put(index, number.asNumber() * factor);
  }
};

/** Destinations: [page /XYZ left top zoom] (ISO 32000-1, 12.3.2.2). Two links can share one array. */
const targets = new Set();
function enlargeTarget(target) {
  if (!target.isArray() || (target.isIndirect() && targets.has(target.asIndirect()))) return;
  if (target.isIndirect()) targets.add(target.asIndirect());
  for (const index of [2, 3]) {
    const number = target.get(index);
    if (number.isNumber()) target.put(index, number.asNumber() * factor);
  }
}

const matrix = document.addStream(`${factor} 0 0 ${factor} 0 0 cm\n`, {});
for (let index = 0; index < document.countPages(); index++) {
  const page = document.findPage(index);
  const contents = page.get("Contents");
  const streams = contents.isArray()
    ? Array.from({ length: contents.length }, (_, at) => contents.get(at))
    : [contents];
  page.put("Contents", [matrix, ...streams]);
  page.put("MediaBox", [0, 0, width, height]);
  const annotations = page.get("Annots");
  for (let at = 0; annotations.isArray() && at < annotations.length; at++) {
    enlarge(annotations.get(at).get("Rect"));
    enlargeTarget(annotations.get(at).get("Dest"));
  }
}
const named = root.get("Dests");
if (named.isDictionary()) named.forEach(enlargeTarget);
for (const left = [root.get("Outlines")]; left.length > 0; ) {
  const item = left.pop();
  if (!item.isDictionary()) continue;
  enlargeTarget(item.get("Dest"));
  for (const key of ["First", "Next"]) left.push(item.get(key));
}
writeFileSync(output, document.saveToBuffer("").asUint8Array());
