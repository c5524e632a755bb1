// `npm run bench:word`: makes Word documents of PDFs of Word documents (bench/reading/documents.tsv), which LibreOffice
// printed without tags, beside pdf2docx and LibreOffice's own import. Pandoc reads them as Markdown, which
// bench/reading/scores.py scores with the text, tables and headings of the source; LibreOffice prints them again, which
// shows the number of pages and their similarity. `-- --every=5` takes every fifth document. TEXT_BENCH_DIR names the
// folder that keeps the printed documents.
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { SOFFICE } from "../container/engines/libreoffice/profile.ts";
import { startService } from "../test/support/service.ts";
import { agent, exchange, multipart, row } from "./measuring/measure.ts";
import { type ReadDocument, readDocuments } from "./reading/documents.ts";

type Scores = Partial<Record<"nid" | "teds" | "mhs", number>>;
/** Converts PDFs in turn. Yields the milliseconds of each; NaN if it failed. */
type Engine = (jobs: readonly (readonly [pdf: string, docx: string])[]) => AsyncIterable<number>;

/** The distribution's LibreOffice: the one of the service has no import of PDFs. */
const IMPORTER = "/usr/lib/libreoffice/program/soffice";
const LONGEST_MS = 300_000;
const every = Number(process.argv.find((argument) => argument.startsWith("--every="))?.slice("--every=".length) ?? 1);
const run = promisify(execFile);
const folder = process.env.TEXT_BENCH_DIR ?? join(tmpdir(), "pagewright-bench-text");
mkdirSync(folder, { recursive: true });
const python = await installPeers();
const pandoc = execFileSync(python, ["-c", "import pypandoc; print(pypandoc.get_pandoc_path())"]).toString().trim();
const documents = (await readDocuments(folder, pandoc, { kinds: ["docx"], lists: ["documents", "tables"] })).filter(
  (_, index) => index % every === 0,
);
const scratch = mkdtempSync(join(tmpdir(), "bench-word-"));
// Pandoc takes the title out of the text.
const template = join(scratch, "template.md");
writeFileSync(template, "$if(title)$# $title$\n\n$endif$$body$\n");
const service = await startService({ target: "host", variant: "private" });
try {
  const engines: Record<string, Engine> = { "/word": own, pdf2docx, "LibreOffice's import": imported };
  console.log(row(["engine", "documents", "nid", "teds", "mhs", "text boxes", "equal pages", "ssim", "ms/page"]));
  for (const [name, engine] of Object.entries(engines)) console.log(row([name, ...(await judged(name, engine))]));
} finally {
  agent.destroy();
  await service.stop();
  rmSync(scratch, { recursive: true });
}

/** Returns the path of a Python with the peers. */
async function installPeers(): Promise<string> {
  const program = join(folder, "word-peers/bin/python");
  if (!existsSync(program)) await run("python3", ["-m", "venv", join(folder, "word-peers")]);
  const requirements = join(import.meta.dirname, "reading/word-requirements.txt");
  await run(program, ["-m", "pip", "install", "-q", "-r", requirements], { maxBuffer: 2 ** 24 });
  return program;
}

async function* own(jobs: Parameters<Engine>[0]): AsyncGenerator<number> {
  for (const [pdf, docx] of jobs) {
    const body = multipart({}, [{ name: basename(pdf), bytes: readFileSync(pdf) }]);
    const started = performance.now();
    const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const made = await exchange(`${service.url}/word`, body, { Accept: type });
    const milliseconds = performance.now() - started;
    writeFileSync(docx, made);
    yield milliseconds;
  }
}

async function* pdf2docx(jobs: Parameters<Engine>[0]): AsyncGenerator<number> {
  for await (const line of linesOf("convert", jobs)) yield Number(line);
}

async function* imported(jobs: Parameters<Engine>[0]): AsyncGenerator<number> {
  for (const [pdf, docx] of jobs) {
    const started = performance.now();
    const made = await office(pdf, "docx", { program: IMPORTER, options: ["--infilter=writer_pdf_import"] });
    const milliseconds = performance.now() - started;
    if (made !== undefined) renameSync(made, docx);
    yield made === undefined ? Number.NaN : milliseconds;
  }
}

/** @returns the path of the file that LibreOffice makes; undefined if it makes none */
async function office(
  file: string,
  format: string,
  { program = SOFFICE, options = [] }: { program?: string; options?: readonly string[] } = {},
): Promise<string | undefined> {
  const profile = `-env:UserInstallation=file://${join(scratch, program === SOFFICE ? "profile" : "importer")}`;
  const made = join(scratch, `${basename(file).replace(/\.\w+$/, "")}.${format}`);
  rmSync(made, { force: true });
  await run(program, [profile, "--headless", ...options, "--convert-to", format, "--outdir", scratch, file], {
    ...{ timeout: LONGEST_MS, killSignal: "SIGKILL" },
  }).catch(() => {});
  return existsSync(made) ? made : undefined;
}

async function* linesOf(command: "convert" | "compare", jobs: readonly (readonly string[])[]): AsyncGenerator<string> {
  const child = spawn(python, [join(import.meta.dirname, "reading/word.py"), command], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(jobs.map((job) => `${JSON.stringify(job)}\n`).join(""));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("read ")) yield line.slice("read ".length);
  }
}

async function judged(name: string, engine: Engine): Promise<string[]> {
  const at = mkdtempSync(join(scratch, "made-"));
  const jobs = documents.map(({ pdf }, index) => [pdf, join(at, `${index}.docx`)] as const);
  const times = await collected(engine([...jobs.slice(0, 2), ...jobs]));
  const [markdowns, printed]: [string[], (readonly [string, string])[]] = [[], []];
  let boxes = 0;
  for (const [pdf, docx] of jobs) {
    const markdown = `${docx}.md`;
    await run(pandoc, [
      "-f",
      "docx",
      "-t",
      "gfm-pipe_tables",
      "--template",
      template,
      "--wrap=none",
      "-o",
      markdown,
      docx,
    ]).catch(() => {});
    if (!existsSync(markdown)) writeFileSync(markdown, "");
    markdowns.push(markdown);
    boxes += existsSync(docx) ? textBoxesIn(readFileSync(docx)) : 0;
    const again = existsSync(docx) ? await office(docx, "pdf") : undefined;
    if (again !== undefined) printed.push([pdf, again.replace(/\.pdf$/, "-kept.pdf")]);
    if (again !== undefined) renameSync(again, printed.at(-1)![1]);
  }
  const compared = (await collected(linesOf("compare", printed))).map((line) => line.split(" ").map(Number));
  const scores = Object.values(await scored(markdowns));
  if (process.argv.includes("--each")) writeEach(name, scores, compared);
  const mean = (values: readonly (number | undefined)[]) => {
    const known = values.filter((one): one is number => one !== undefined && !Number.isNaN(one));
    return known.reduce((sum, one) => sum + one, 0) / known.length;
  };
  const pages = documents.reduce((sum, one, index) => sum + (Number.isNaN(times[index + 2]!) ? 0 : one.pages), 0);
  const sum = times.slice(2).reduce((all, one) => all + (Number.isNaN(one) ? 0 : one), 0);
  return [
    String(printed.length),
    ...(["nid", "teds", "mhs"] as const).map((measure) => mean(scores.map((one) => one[measure])).toFixed(3)),
    ...[String(boxes), `${Math.round(100 * mean(compared.map(([one, other]) => (one === other ? 1 : 0))))} %`],
    ...[mean(compared.map(([, , similarity]) => similarity)).toFixed(3), (sum / pages).toFixed(1)],
  ];
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function writeEach(name: string, scores: readonly Scores[], compared: readonly (readonly number[])[]): void {
  for (const [index, { name: document, pdf }] of documents.entries()) {
    console.log(name, document, pdf, JSON.stringify(scores[index]), compared[index]?.join(" "));
  }
}

function textBoxesIn(docx: Uint8Array): number {
  const xml = Buffer.from(unzipSync(docx)["word/document.xml"] ?? []).toString();
  return xml.match(/<(?:wps:txbx|v:textbox)\b/g)?.length ?? 0;
}

async function scored(markdowns: readonly string[]): Promise<Record<string, Scores>> {
  const child = spawn(python, [join(import.meta.dirname, "reading/scores.py")], { stdio: ["pipe", "pipe", "inherit"] });
  const input = documents.map(({ name, truth }: ReadDocument, index) => ({
    ...{ name, truth, texts: {}, markdowns: { word: markdowns[index] } },
  }));
  child.stdin.end(JSON.stringify({ documents: input }));
  const all = JSON.parse(await text(child.stdout)) as Record<string, { word: Scores }>;
  return Object.fromEntries(Object.entries(all).map(([name, { word }]) => [name, word]));
}
