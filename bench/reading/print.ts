// Prints a source without tags: HTML by Chromium, LaTeX by pdfTeX, DOCX by LibreOffice. Returns its text as the source
// has it: of HTML from the page that Chromium prints, of LaTeX and DOCX from the page that pandoc makes of the source.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { SOFFICE } from "../../container/engines/libreoffice/profile.ts";
import { READ_BLOCKS, type TruthBlock } from "./truth.ts";

const CHROMIUM = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium-headless-shell";
const LONGEST_MS = 60_000;
/** Style sheets of which one is added to HTML, so that layouts differ. */
const STYLES = [
  "",
  "@media print { body { column-count: 2; column-gap: 8mm; font: 9pt/1.3 serif; } table, pre { font-size: 7pt; } }",
  "@media print { body { font: 11pt/1.4 serif; text-align: justify; hyphens: auto; margin: 0 15mm; } }",
  "",
];
/** Parts of LaTeX whose text pandoc does not know: numbers and the targets of references. */
const PREAMBLE = String.raw`\makeatletter\@ifundefined{c@secnumdepth}{}{\setcounter{secnumdepth}{-2}}\makeatother
\providecommand\includegraphics{}\renewcommand\includegraphics[2][]{}
\let\tableofcontents\relax\let\listoffigures\relax\let\listoftables\relax
\begin{document}`;
const REFERENCE =
  /~?\\(?:(?:eq|page|auto|name|c|C)?ref|(?:no|auto|text|paren)?cite(?:p|t|author)?)\*?(?:\[[^\]]*\])*\{[^}]*\}/g;

const run = promisify(execFile);

export type Kind = "html" | "latex" | "docx";
const EXTENSIONS = { latex: ".tex", docx: ".docx" };
/** Options of pandoc for LaTeX that it writes. */
const CLASSES = [
  ["-V", "documentclass=article", "-V", "classoption=twocolumn", "-V", "geometry=margin=18mm"],
  ["-V", "documentclass=article"],
  ["-V", "documentclass=scrartcl", "-V", "fontsize=10pt"],
];

export class Printer {
  readonly #pandoc: string;
  readonly #scratch = mkdtempSync(join(tmpdir(), "bench-reading-"));
  #browser: Promise<Browser> | undefined;

  /** @param pandoc path of the program */
  constructor(pandoc: string) {
    this.#pandoc = pandoc;
  }

  /**
   * Writes the PDF of a source, and returns its text. A source in another format than `kind` is converted first, and
   * the converted file is the truth. Fails if the source cannot be printed.
   */
  async print(source: string, kind: Kind, pdf: string): Promise<readonly TruthBlock[]> {
    mkdirSync(dirname(pdf), { recursive: true });
    if (kind === "html") return this.#visit(source, pdf);
    const made =
      extname(source) === EXTENSIONS[kind] ? source : await this.#convert(source, kind, hashOf(basename(pdf)));
    return kind === "latex" ? this.#printLatex(made, pdf) : this.#printDocx(made, pdf);
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  async #visit(file: string, pdf?: string): Promise<TruthBlock[]> {
    this.#browser ??= chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    const page = await (await this.#browser).newPage();
    try {
      page.setDefaultTimeout(LONGEST_MS);
      await page.route(/^https?:/, (route) => route.abort());
      await page.emulateMedia({ media: "print" });
      await page.goto(pathToFileURL(resolve(file)).href, { waitUntil: "load" });
      const style = pdf === undefined ? "" : STYLES[hashOf(basename(pdf)) % STYLES.length]!;
      if (style !== "") await page.addStyleTag({ content: style });
      const blocks = await page.evaluate<TruthBlock[]>(READ_BLOCKS);
      const margin = { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" };
      if (pdf !== undefined) await page.pdf({ path: pdf, format: "A4", tagged: false, outline: false, margin });
      return blocks;
    } finally {
      await page.close();
    }
  }

  async #printLatex(source: string, pdf: string): Promise<TruthBlock[]> {
    const folder = mkdtempSync(join(this.#scratch, "latex-"));
    const text = readFileSync(source, "latin1")
      .replace(REFERENCE, "")
      .replace("\\begin{document}", () => PREAMBLE);
    const file = join(folder, "document.tex");
    writeFileSync(file, text, "latin1");
    const env = { ...process.env, TEXINPUTS: `${folder}:${resolve(dirname(source))}:`, TEXMFVAR: this.#scratch };
    const options = ["-interaction=batchmode", "-no-shell-escape", "document.tex"];
    // Errors are not fatal: a document without the parts that failed does not agree with its truth.
    await run("pdflatex", options, { cwd: folder, env, timeout: LONGEST_MS, killSignal: "SIGKILL" }).catch(() => {});
    const blocks = await this.#blocksByPandoc(file, "latex", dirname(source));
    copyFileSync(join(folder, "document.pdf"), pdf);
    return blocks;
  }

  async #printDocx(source: string, pdf: string): Promise<TruthBlock[]> {
    const folder = mkdtempSync(join(this.#scratch, "docx-"));
    copyFileSync(source, join(folder, "document.docx"));
    const filter = 'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"false"}}';
    const profile = `-env:UserInstallation=file://${join(this.#scratch, "profile")}`;
    const options = [profile, "--headless", "--convert-to", filter, "--outdir", folder, join(folder, "document.docx")];
    await run(SOFFICE, options, { timeout: LONGEST_MS, killSignal: "SIGKILL" });
    const blocks = await this.#blocksByPandoc(source, "docx", folder);
    copyFileSync(join(folder, "document.pdf"), pdf);
    return blocks;
  }

  async #convert(source: string, kind: "latex" | "docx", hash: number): Promise<string> {
    const made = join(mkdtempSync(join(this.#scratch, "made-")), `document${EXTENSIONS[kind]}`);
    const format = extname(source) === ".html" ? "html" : "rst";
    const options = ["-f", format, "--standalone", ...(kind === "latex" ? CLASSES[hash % CLASSES.length]! : [])];
    await run(this.#pandoc, [...options, "-o", made, resolve(source)], {
      cwd: dirname(source),
      timeout: LONGEST_MS,
      killSignal: "SIGKILL",
    });
    return made;
  }

  async #blocksByPandoc(file: string, format: string, cwd: string): Promise<TruthBlock[]> {
    const page = join(mkdtempSync(join(this.#scratch, "page-")), "page.html");
    const options = [
      "-f",
      format,
      "-t",
      "html5",
      "--standalone",
      "--mathml",
      "-M",
      "lang=en",
      "-o",
      page,
      resolve(file),
    ];
    await run(this.#pandoc, options, { cwd, timeout: LONGEST_MS, killSignal: "SIGKILL" });
    return this.#visit(page);
  }
}

export const hashOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0);
