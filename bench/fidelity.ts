// `npm run bench:fidelity -- <folder> …`: compares converted Office documents with Office itself: page counts with the
// counts that Word and PowerPoint wrote into the documents, and positions of words with PDFs that Office exported.
// A reference PDF lies next to its document under the same name. Without a folder, the corpus is measured.
// Peers of the same run: each `soffice` of the variable SOFFICE (paths, separated by commas), and office2pdf if it is
// installed (`cargo install office2pdf-cli`). `--quick` runs no peers. Scores of each document go to fidelity-scores.tsv.

import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, parse } from "node:path";
import { promisify } from "node:util";
import { strFromU8, unzipSync } from "fflate";
import { SOFFICE } from "../container/engines/libreoffice/profile.ts";
import { corpusDir, corpusPlace } from "../test/support/corpus.ts";
import { startService } from "../test/support/service.ts";
import { agent, exchange, multipart, post, row } from "./measuring/measure.ts";
import { type PlacedWord, readWords, similarity } from "./measuring/word-positions.ts";

interface Document {
  readonly file: string;
  /** Pages or slides of the PDF that Office exported, or else those that it counted. */
  readonly pages?: number;
  /** Words of each page of the PDF that Office exported. */
  readonly reference?: readonly PlacedWord[][];
}

interface Score {
  /** Zero if the document was not converted. */
  readonly pages: number;
  readonly similarity?: number;
}

interface Engine {
  readonly name: string;
  /** Writes a PDF. Fails if it cannot. */
  convert(file: string, pdf: string, worker: number): Promise<void>;
}

const OFFICE_FILE = /\.(docx?|pptx?|xlsx?)$/i;
const WORKERS = 2;
const LONGEST_MS = 180_000;
const WORST = 20;
/** Share by which the text and Word's count of its characters can differ, because Word counts notes and boxes apart. */
const MAX_STALE = 0.2;
const SCORES_FILE = "fidelity-scores.tsv";

const run = promisify(execFile);
const quick = process.argv.includes("--quick");
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (named.length === 0 && corpusDir === undefined) {
  console.error(`The corpus of real documents is not at ${corpusPlace}: set CORPUS_DIR, or name a folder.`);
  process.exit(1);
}
const folders = named.length > 0 ? named : [join(corpusDir!, "office")];
const scratch = mkdtempSync(join(tmpdir(), "bench-fidelity-"));
const service = await startService({ target: "host", variant: "private", container: true });
try {
  const documents: Document[] = [];
  for (const file of folders.flatMap(officeFiles)) documents.push(await readDocument(file));
  const engines: Engine[] = [{ name: "ours", convert: convertByService }, ...(quick ? [] : await peers())];
  const scores = new Map<string, Score[]>();
  for (const engine of engines) {
    scores.set(engine.name, await scoresOf(engine, documents));
    writeScores(documents, scores);
  }
  print(documents, scores);
} finally {
  agent.destroy();
  await service.stop();
  rmSync(scratch, { recursive: true });
}

function officeFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => OFFICE_FILE.test(name))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .toSorted();
}

async function readDocument(file: string): Promise<Document> {
  const pdf = join(parse(file).dir, `${parse(file).name}.pdf`);
  const reference = existsSync(pdf) ? await readWords(pdf) : undefined;
  const pages = reference?.length ?? countedPages(file);
  return { file, ...(pages ? { pages } : {}), ...(reference ? { reference } : {}) };
}

/**
 * Returns the count in the document's properties, if Office laid out the document as it is. A program that edits a
 * document leaves the properties of its template, so Word's count of characters must fit the text, and a count above one
 * page needs a page break that Word recorded.
 */
function countedPages(file: string): number | undefined {
  try {
    const parts = unzipSync(readFileSync(file), {
      filter: ({ name }) => name === "docProps/app.xml" || name === "word/document.xml",
    });
    const properties = strFromU8(parts["docProps/app.xml"]!);
    if (!/<Application>Microsoft (Office |Macintosh )?(Word|PowerPoint)/.test(properties)) return undefined;
    const property = (name: string) => Number(new RegExp(`<${name}>(\\d+)</`).exec(properties)?.[1] ?? 0);
    if (parts["word/document.xml"] === undefined) return property("Slides") || undefined;
    const body = strFromU8(parts["word/document.xml"]);
    const letters = [...body.matchAll(/<w:t(?: [^>]*)?>([^<]*)/g)].map(([, text]) => text!.replace(/\s|&\w+;/g, ""));
    const characters = letters.join("").length;
    const isCurrent = Math.abs(characters - property("Characters")) <= MAX_STALE * Math.max(characters, 10);
    const isConfirmed = property("Pages") === 1 || body.includes("lastRenderedPageBreak");
    return isCurrent && isConfirmed ? property("Pages") || undefined : undefined;
  } catch {
    return undefined;
  }
}

async function convertByService(file: string, pdf: string): Promise<void> {
  const form = multipart({ output: "made" }, [{ name: basename(file), bytes: readFileSync(file) }]);
  writeFileSync(pdf, await exchange(await post(`${service.url}/pdf`, form)));
}

async function peers(): Promise<Engine[]> {
  const programs = (process.env.SOFFICE ?? SOFFICE).split(",");
  const offices = programs.map(async (program, index): Promise<Engine> => {
    const { stdout } = await run(program, ["--version"]);
    return { name: stdout.split(" ").slice(0, 2).join(" "), convert: convertBySoffice(program, index) };
  });
  const hasOffice2pdf = await run("office2pdf", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!hasOffice2pdf) console.log("office2pdf is not installed, and not measured: cargo install office2pdf-cli");
  const office2pdf: Engine = {
    name: "office2pdf",
    convert: async (file, pdf) => void (await run("office2pdf", [file, "-o", pdf], { timeout: LONGEST_MS })),
  };
  return [...(await Promise.all(offices)), ...(hasOffice2pdf ? [office2pdf] : [])];
}

function convertBySoffice(program: string, index: number): Engine["convert"] {
  return async (file, pdf, worker) => {
    const profile = `-env:UserInstallation=file://${scratch}/profile-${index}-${worker}`;
    const options = [profile, "--headless", "--convert-to", "pdf", "--outdir", parse(pdf).dir, file];
    await run(program, options, { timeout: LONGEST_MS, killSignal: "SIGKILL" });
  };
}

async function scoresOf({ name, convert }: Engine, documents: readonly Document[]): Promise<Score[]> {
  const scores: Score[] = [];
  const queue = documents.entries();
  const work = async (worker: number) => {
    for (const [index, { file, reference }] of queue) {
      const folder = join(scratch, `${name}-${index}`.replaceAll(" ", "-"));
      mkdirSync(folder);
      const pdf = join(folder, `${parse(file).name}.pdf`);
      try {
        await convert(file, pdf, worker);
        const words = await readWords(pdf);
        scores[index] = {
          pages: words.length,
          ...(reference ? { similarity: similarity(reference, words) } : {}),
        };
      } catch {
        scores[index] = { pages: 0, ...(reference ? { similarity: 0 } : {}) };
      }
      rmSync(folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  return scores;
}

function print(documents: readonly Document[], scores: ReadonlyMap<string, readonly Score[]>): void {
  const isWord = ({ file }: Document) => /^\.docx?$/i.test(extname(file));
  console.log("Pages as Office counted them, and the similarity of word positions with Office's PDFs (1: the same)");
  console.log(row(["", "Word", "> 1 page", "slides", "similarity", "not made"]));
  for (const [name, own] of scores) {
    const right = (selects: (document: Document) => boolean) => {
      const selected = [...documents.entries()].filter(([, each]) => each.pages !== undefined && selects(each));
      return `${selected.filter(([index, { pages }]) => own[index]!.pages === pages).length}/${selected.length}`;
    };
    const similarities = own.flatMap((score) => score.similarity ?? []);
    const mean = similarities.reduce((sum, value) => sum + value, 0) / similarities.length;
    const cells = [right(isWord), right((each) => isWord(each) && each.pages! > 1), right((each) => !isWord(each))];
    console.log(row([name, ...cells, mean.toFixed(3), String(own.filter(({ pages }) => pages === 0).length)]));
  }
  const own = scores.get("ours")!;
  const measured = [...documents.entries()].filter(([index]) => own[index]!.similarity !== undefined);
  const worst = measured.toSorted(([a], [b]) => own[a]!.similarity! - own[b]!.similarity!).slice(0, WORST);
  console.log(`\nLeast similar of ${measured.length}; ${SCORES_FILE} has all`);
  for (const [index, { file }] of worst) console.log(`${own[index]!.similarity!.toFixed(3)}  ${basename(file)}`);
}

function writeScores(documents: readonly Document[], scores: ReadonlyMap<string, readonly Score[]>): void {
  const names = [...scores.keys()];
  const header = ["document", "Office", ...names.flatMap((name) => [`${name}: pages`, `${name}: similarity`])];
  const lines = documents.map(({ file, pages }, index) => {
    const cells = names.flatMap((name) => {
      const score = scores.get(name)![index]!;
      return [String(score.pages), score.similarity?.toFixed(3) ?? ""];
    });
    return [file, String(pages ?? ""), ...cells];
  });
  writeFileSync(SCORES_FILE, `${[header, ...lines].map((cells) => cells.join("\t")).join("\n")}\n`);
}
