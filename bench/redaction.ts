// `npm run bench:redaction`: compares the CPU time of the preview and of the redaction with that of mutool, which finds
// the same text and removes it from pages in a new process. It neither searches the rest of the file nor proves
// anything. The operations run warm in this process.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyRedactions } from "../src/operations/apply-redactions.ts";
import { type MarkRedactionsParams, markRedactions } from "../src/operations/mark-redactions.ts";
import { PdfBuilder } from "../test/fixtures/pdf-builder.ts";
import { row } from "./measuring/measure.ts";
import { ran } from "./measuring/operation-time.ts";
import { endedChildrenMs } from "./measuring/processor-time.ts";

const ROUNDS = process.argv.includes("--quick") ? 1 : 5;
const SECRET = "heron@example.org";
const LINES = 50;
const GIVEN: MarkRedactionsParams["redactions"] = [
  { type: "literal", value: SECRET },
  { type: "preset", value: "email" },
  { type: "regex", value: "[a-z]+@example[.]org" },
];
const SCRIPT = `
var document = new PDFDocument("in.pdf");
for (var index = 0; index < document.countPages(); index++) {
  var page = document.loadPage(index);
  var found = page.search("${SECRET}");
  for (var at = 0; at < found.length; at++) page.createAnnotation("Redact").setQuadPoints(found[at]);
  if (found.length > 0) page.applyRedactions(true, 2);
}
document.save("out.pdf", "garbage=4,compress");
`;

const folder = mkdtempSync(join(tmpdir(), "bench-redaction-"));
try {
  writeFileSync(join(folder, "redact.js"), SCRIPT);
  console.log(`Milliseconds of processor time, mean of ${ROUNDS} rounds.`);
  console.log(row(["pages", "preview", "applied", "mutool"]));
  for (const pages of [1, 10, 100, 1000]) {
    const bytes = letters(pages);
    writeFileSync(join(folder, "in.pdf"), bytes);
    const times = [0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const [marking, marked] = await ran(markRedactions, bytes, { redactions: GIVEN });
      const [applying] = await ran(applyRedactions, marked, { rgbColor: [0, 0, 0] });
      for (const [index, time] of [marking, applying, mutool()].entries()) times[index]! += time / ROUNDS;
    }
    console.log(row([String(pages), ...times.map((time) => time.toFixed(1))]));
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns pages of text with one secret in ten lines. */
function letters(pages: number): Uint8Array {
  const builder = new PdfBuilder();
  for (let page = 1; page <= pages; page++) {
    const lines = Array.from({ length: LINES }, (_, at) => {
      const end = at % 10 === 0 ? SECRET : `the line ${at} of page ${page}`;
      return `(Paragraphs of a letter with the usual number of words, and ${end}) '`;
    });
    builder.page(`BT /F 3 Tf 3.6 TL 20 190 Td ${lines.join(" ")} ET`, "", "");
  }
  return builder.bytes();
}

function mutool(): number {
  const before = endedChildrenMs();
  execFileSync("mutool", ["run", "redact.js"], { cwd: folder, stdio: "ignore" });
  return endedChildrenMs() - before;
}
