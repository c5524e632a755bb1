// `npm run bench -- edge-steps`: under wrangler, sends three operations of the Worker as one POST /steps and as three
// single requests, and prints the time of the steps as a ratio to the two slowest single requests together.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startContainer } from "../scripts/services/container-process.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { startService } from "../test/support/service.ts";
import { median } from "./measuring/measure.ts";

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}
const DOCUMENTS = ["hello-world", "minimal-signed-twice-both-created", "amt_handbook_sample"];
const STEPS: readonly (readonly [endpoint: string, fields: Readonly<Record<string, string>>])[] = [
  ["rotated-pdf", { angle: "90" }],
  ["watermarked-pdf", { watermark_text: "Draft" }],
  ["pdf-with-page-numbers", {}],
];
const LIST = JSON.stringify(STEPS.map(([endpoint, fields]) => ({ [endpoint]: fields })));
const [WARMUPS, ROUNDS] = [3, 20];

const folder = mkdtempSync(join(tmpdir(), "bench-edge-steps-"));
const container = await startContainer({ logFile: join(folder, "container.log") });
const service = await startService({ target: "wrangler", variant: "private", container });
try {
  for (const name of DOCUMENTS) await compare(name, readFileSync(join(corpusDir, "pdf", `${name}.pdf`)));
} finally {
  await Promise.all([service, container].map((each) => each.stop()));
  rmSync(folder, { recursive: true });
}

async function compare(name: string, bytes: Buffer): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < WARMUPS + ROUNDS; round++) {
    const together = await timeOf("steps", bytes, { steps: LIST });
    const single: number[] = [];
    for (const [endpoint, fields] of STEPS) single.push(await timeOf(endpoint, bytes, fields));
    const [slowest = 0, second = 0] = single.sort((one, other) => other - one);
    if (round >= WARMUPS) ratios.push(together / (slowest + second));
  }
  console.log(`${name}, ${bytes.length} bytes: ${median(ratios).toFixed(2)} of the two slowest requests (median)`);
}

async function timeOf(endpoint: string, bytes: Buffer, fields: Readonly<Record<string, string>>): Promise<number> {
  const form = new FormData();
  form.append("file", new File([new Uint8Array(bytes)], "document.pdf"));
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  const started = performance.now();
  const response = await fetch(`${service.url}/${endpoint}`, { method: "POST", body: form });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST /${endpoint}: ${response.status} ${text}`);
  return performance.now() - started;
}
