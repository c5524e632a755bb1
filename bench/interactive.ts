// `npm run bench -- interactive`: compares the CPU time of `/flattened-forms-pdf`, `/flattened-annotations-pdf` and
// `/flattened-layers-pdf` with that of qpdf, which draws form fields and annotations, but has nothing for layers. The
// operations run warm in this process, as in a long-lived isolate or thread.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { flattenAnnotations } from "../src/operations/flatten-annotations.ts";
import { flattenForms } from "../src/operations/flatten-forms.ts";
import { flattenLayers } from "../src/operations/flatten-layers.ts";
import { formPdf } from "../test/fixtures/form-pdfs.ts";
import { corpusDir } from "../test/support/corpus.ts";
import { outputsOf } from "../test/support/operations.ts";
import { row } from "./measuring/measure.ts";
import { endedChildrenMs } from "./measuring/processor-time.ts";

const ROUNDS = process.argv.includes("--quick") ? 5 : 25;
const CORPUS_FILES = ["fancy_fields", "with_xfa_fields", "pdf2image-memory-error-test-400p"];
const FIELDS = 200;
const QPDF = ["--generate-appearances", "--flatten-annotations=all"];
const OPERATIONS = [flattenForms, flattenAnnotations, flattenLayers];

const folder = mkdtempSync(join(tmpdir(), "bench-interactive-"));
try {
  const made = join(folder, `${FIELDS}-fields.pdf`);
  const field = (_: unknown, index: number) =>
    `/FT/Tx/V(value ${index})/Rect[${20 + 60 * (index % 4)} ${4 * index} ${70 + 60 * (index % 4)} ${4 * index + 15}]`;
  writeFileSync(made, formPdf(Array.from({ length: FIELDS }, field)));
  const corpus = corpusDir ? CORPUS_FILES.map((name) => join(corpusDir!, "pdf", `${name}.pdf`)) : [];
  console.log(`Milliseconds of processor time, mean of ${ROUNDS} rounds.`);
  console.log(row(["", "forms", "annotations", "layers", "qpdf"]));
  for (const file of [made, ...corpus]) {
    const bytes = readFileSync(file);
    const ours: number[] = [];
    for (const operation of OPERATIONS) {
      await outputsOf(operation, [bytes], {});
      const { user, system } = process.cpuUsage();
      for (let round = 0; round < ROUNDS; round++) await outputsOf(operation, [bytes], {});
      const now = process.cpuUsage();
      ours.push((now.user - user + now.system - system) / 1000 / ROUNDS);
    }
    const before = endedChildrenMs();
    for (let round = 0; round < ROUNDS; round++) execFileSync("qpdf", [...QPDF, "--warning-exit-0", file, "/dev/null"]);
    const cells = [...ours, (endedChildrenMs() - before) / ROUNDS];
    console.log(row([basename(file), ...cells.map((one) => one.toFixed(1))]));
  }
} finally {
  rmSync(folder, { recursive: true });
}
