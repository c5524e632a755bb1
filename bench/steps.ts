// `npm run bench:steps`: runs random lists of up to eight steps on documents of the corpus, once by POST /steps and once
// as a chain of single requests, and compares the results: text, page boxes, pixels, pictures and errors. Prints every
// difference, then the ratio of the times and of the bytes between client and service. `-- --lists 1000 --seed 7`
// chooses the lists; `--quick` runs 20.

import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { startContainer } from "../scripts/services/container-process.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { withFile } from "../test/support/pdf-readers.ts";
import { randomOf } from "../test/support/random.ts";
import { startService } from "../test/support/service.ts";
import { openStoredFiles } from "../test/support/stored-files.ts";
import { agent, median } from "./measuring/measure.ts";

if (corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR.`);
  process.exit(1);
}
const option = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const LISTS = process.argv.includes("--quick") ? 20 : option("lists", 200);
const MOST_STEPS = 8;
const MAX_FILE_BYTES = 300_000;
/** The readers report each fault of a damaged document. */
const QUIET = { maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "ignore"] } satisfies ExecFileSyncOptions;
const random = randomOf(option("seed", 1));
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

type Step = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Steps that make PDFs of PDFs. */
const ON_PDFS: readonly (() => Step)[] = [
  () => ({ "rotated-pdf": { angle: pick([90, 180, 270]) } }),
  () => ({ "watermarked-pdf": { watermark_text: "Draft", opacity: pick([0.2, 0.9]) } }),
  () => ({ "compressed-pdf": { compression_level: pick(["low", "medium", "high"]) } }),
  () => ({ "pdf-with-page-numbers": {} }),
  () => ({ "flattened-annotations-pdf": {} }),
  () => ({ "flattened-layers-pdf": {} }),
  () => ({ "split-pdf": { pages: pick([["1"], ["1", "last"], ["last-1"]]) } }),
  () => ({ "merged-pdf": {} }),
  () => ({ "imposed-pdf": { layout: "2-up" } }),
  () => ({ pdfa: { output_type: pick(["PDF/A-2b", "PDF/A-3u"]) } }),
];
/** Steps that end a list. */
const ENDS: readonly (() => Step)[] = [
  () => ({ png: { resolution: 40 } }),
  () => ({ jpg: { resolution: 30, pages: "1" } }),
  () => ({ "extracted-text": { full_text: "document" } }),
  () => ({ zip: {} }),
];

const folder = mkdtempSync(join(tmpdir(), "bench-steps-"));
const container = await startContainer({ logFile: join(folder, "container.log") });
const service = await startService({ target: "host", variant: "private", container });
const moved = { chain: 0, steps: 0 };
try {
  await compareAll();
} finally {
  agent.destroy();
  await Promise.all([service, container].map((each) => each.stop()));
  rmSync(folder, { recursive: true });
}

interface Outcome {
  /** The error of the last request. @default there are outputs */
  readonly error?: string;
  readonly files: readonly Buffer[];
}

async function compareAll(): Promise<void> {
  const documents = ["pdf", "office"].flatMap((kind) =>
    readdirSync(join(corpusDir!, kind)).map((name) => ({
      kind,
      name,
      bytes: readFileSync(join(corpusDir!, kind, name)),
    })),
  );
  const small = documents.filter(({ bytes }) => bytes.length <= MAX_FILE_BYTES);
  const ratios: number[] = [];
  let [differences, failures, kept] = [0, 0, 0];
  await using stored = await openStoredFiles(service);
  for (let list = 0; list < LISTS; list++) {
    const { kind, name, bytes } = pick(small);
    const steps = stepsFor(kind);
    const before = await stored.count();
    const startedSteps = performance.now();
    const one = await asSteps(name, bytes, steps);
    const stepsMs = performance.now() - startedSteps;
    // The upload is one stored object, and all outputs together are another.
    const left = (await stored.count()) - before;
    if (left !== (one.error === undefined ? 2 : 0)) {
      kept++;
      console.log(`${name} ${JSON.stringify(steps)}: ${left} stored objects, error ${one.error}`);
    }
    const startedChain = performance.now();
    const chain = await asChain(name, bytes, steps);
    ratios.push(stepsMs / (performance.now() - startedChain));
    failures += Number(chain.error !== undefined);
    const difference = differenceOf(one, chain);
    if (difference === undefined) continue;
    differences++;
    console.log(`${name} ${JSON.stringify(steps)}: ${difference}`);
  }
  console.log(
    `${LISTS} lists, ${failures} of them end in an error: ${differences} differ; ${kept} left files in storage.`,
    `Time of /steps: ${median(ratios).toFixed(2)} of the chain (median). ` +
      `Bytes: ${(moved.steps / 2 ** 20).toFixed(1)} MiB, chain ${(moved.chain / 2 ** 20).toFixed(1)} MiB.`,
  );
}

function stepsFor(kind: string): readonly Step[] {
  const count = Math.floor(random() * MOST_STEPS);
  const middle = Array.from({ length: count }, () => pick(ON_PDFS)());
  const isEnded = count === 0 || random() < 0.6;
  return [...(kind === "office" ? [{ pdf: {} }] : []), ...middle, ...(isEnded ? [pick(ENDS)()] : [])];
}

async function send(path: string, body: FormData | object, by: keyof typeof moved): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers = { Accept: "application/json", ...(isForm ? {} : { "Content-Type": "application/json" }) };
  return fetch(service.url + path, { method: "POST", headers, body: isForm ? body : JSON.stringify(body) }).then(
    (response) => {
      moved[by] += Number(response.headers.get("Content-Length") ?? 0);
      return response;
    },
  );
}

function formOf(
  name: string,
  bytes: Buffer,
  fields: Readonly<Record<string, string>>,
  by: keyof typeof moved,
): FormData {
  const form = new FormData();
  form.append("file", new File([new Uint8Array(bytes)], name));
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  moved[by] += bytes.length;
  return form;
}

async function asSteps(name: string, bytes: Buffer, steps: readonly Step[]): Promise<Outcome> {
  const fields = { steps: JSON.stringify(steps), output: "made" };
  return outcomeOf(await send("/steps", formOf(name, bytes, fields, "steps"), "steps"), "steps");
}

/** Sends each step as requests of its own, with the ids of the outputs before. */
async function asChain(name: string, bytes: Buffer, steps: readonly Step[]): Promise<Outcome> {
  const uploaded = await send("/upload", formOf(name, bytes, {}, "chain"), "chain");
  let ids = ((await uploaded.json()) as { files: { id: string }[] }).files.map(({ id }) => id);
  for (const step of steps) {
    const [[endpoint, fields] = ["", {}]] = Object.entries(step);
    const isJoined = ["merged-pdf", "zip"].includes(endpoint);
    const bodies = isJoined ? [joinedBody(endpoint, ids, fields)] : ids.map((id) => ({ id, ...fields }));
    const made: string[] = [];
    for (const body of bodies) {
      const response = await send(`/${endpoint}`, { ...body, ...fileOutput(endpoint) }, "chain");
      if (!response.ok) return { error: `${response.status} ${await sentenceOf(response)}`, files: [] };
      made.push(...[((await response.json()) as { outputId: string | string[] }).outputId].flat());
    }
    ids = made;
  }
  return { files: await Promise.all(ids.map((id) => download(`${service.url}/resource/${id}?format=file`, "chain"))) };
}

function fileOutput(endpoint: string): object {
  return endpoint === "extracted-text" ? { output_type: "file" } : {};
}

function joinedBody(endpoint: string, id: readonly string[], fields: object): object {
  if (endpoint === "zip") return { id, ...fields };
  return { id, type: id.map(() => "id"), pages: id.map(() => "all"), ...fields };
}

async function outcomeOf(response: Response, by: keyof typeof moved): Promise<Outcome> {
  if (!response.ok) return { error: `${response.status} ${await sentenceOf(response)}`, files: [] };
  const { outputUrl } = (await response.json()) as { outputUrl: string | string[] };
  return { files: await Promise.all([outputUrl].flat().map((url) => download(url, by))) };
}

async function sentenceOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: string };
  return error.replace(/ The error is in step .*$/, "");
}

async function download(url: string, by: keyof typeof moved): Promise<Buffer> {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  moved[by] += bytes.length;
  return bytes;
}

/** Returns a description of the first difference; undefined if there is none. */
function differenceOf(one: Outcome, other: Outcome): string | undefined {
  if (one.error !== other.error) return `error "${one.error}", chain "${other.error}"`;
  if (one.files.length !== other.files.length) return `${one.files.length} files, chain ${other.files.length}`;
  for (const [at, file] of one.files.entries()) {
    const [mine, theirs] = [looksOf(file), looksOf(other.files[at]!)];
    const name = Object.keys(mine).find((aspect) => mine[aspect] !== theirs[aspect]);
    if (name !== undefined) return `file ${at + 1} differs in ${name}`;
  }
  return undefined;
}

/** Returns the aspects of a file that must be equal. */
function looksOf(file: Buffer): Readonly<Record<string, string>> {
  if (file.subarray(0, 2).toString() === "PK") {
    const entries = Object.values(unzipSync(file)).map((bytes) => JSON.stringify(looksOf(Buffer.from(bytes))));
    return { entries: entries.join("\n") };
  }
  if (file.subarray(0, 5).toString() !== "%PDF-") return { bytes: createHash("sha256").update(file).digest("hex") };
  return withFile(file, (path) => {
    const run = (program: string, args: readonly string[]) =>
      createHash("sha256")
        .update(execFileSync(program, args, QUIET))
        .digest("hex");
    return {
      text: run("pdftotext", ["-layout", path, "-"]),
      boxes: execFileSync("pdfinfo", ["-box", "-l", "1000", path], { ...QUIET, encoding: "utf8" })
        .split("\n")
        .filter((line) => /Box:|^Pages:/.test(line))
        .join("\n"),
      pixels: run("pdftoppm", ["-r", "20", path]),
    };
  });
}
