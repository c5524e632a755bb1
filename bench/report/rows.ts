// The rows of the report: each has the request to the service, and the same task for its peers.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { docx, paragraph } from "../../test/fixtures/office.ts";
import { textPdf } from "../../test/fixtures/pdfs.ts";
import type { ServiceAddress } from "../../test/support/service.ts";
import { book } from "../documents.ts";
import { runProgram } from "../measuring/competitors.ts";
import { exchange, type FilePart, multipart } from "../measuring/measure.ts";
import { JPEG_QUALITY, PAGE_DOCUMENTS, type PageJob, peers } from "../measuring/peers.ts";
import type { Kept } from "./kept-peers.ts";

/** @param folder with the files of the case, of one client */
export type Work = (folder: string) => Promise<unknown>;

export interface Case {
  readonly files: readonly FilePart[];
  send(service: ServiceAddress): Promise<void>;
  readonly peers: Readonly<Record<string, Work>>;
}

export interface Row {
  readonly name: string;
  /** The row has the medians of its cases. */
  readonly cases: readonly Case[];
  /** Number of clients that send at once. @default 1 */
  readonly clients?: number;
  /** Share of the rounds, for slow tasks. @default 1 */
  readonly share?: number;
  /** `alone`: the host without shared renderers. `new`: a host that starts for each request. @default what runs */
  readonly service?: "alone" | "new" | "new, and a new edge";
}

/** Peers that stay open. Each throws the reason if it is not available. */
export interface KeptPeers {
  readonly pdfium: Pick<Kept<(string | number)[]>, "work">;
  readonly unoserver: Pick<Kept<[file: string, pdf: string]>, "work">;
  readonly puppeteer: Pick<Kept<[html: string]>, "work">;
}

const BOOK = "pdf/pdf2image-memory-error-test-400p.pdf";
const EPS = ["1.eps", "cdw-logo.eps", "non_zero_bb.eps", "06_color_shading.ps", "document-a4.ps"];
const HTML = "<!doctype html><title>A</title><h1>Hello</h1><p>A short page of text.</p>";
const PDF = "application/pdf";
const BRACE = 0x7b;

const program =
  (...command: readonly string[]): Work =>
  (folder) =>
    runProgram(command, folder);

/** @param accept type of the response if it is the file itself; otherwise it tells the URLs of stored files */
function one(path: string, fields: Parameters<typeof multipart>[0], files: readonly FilePart[], accept?: string) {
  const body = multipart({ output: "a", ...fields }, files);
  return {
    files,
    async send({ url, key }: ServiceAddress) {
      const headers = { "Api-Key": key!, Accept: accept ?? "application/json" };
      const answer = await exchange(url + path, body, headers);
      const isFailed = accept === undefined ? "error" in JSON.parse(answer.toString()) : answer[0] === BRACE;
      if (isFailed) throw new Error(`${path}: ${answer.toString("utf8", 0, 300)}`);
    },
  };
}

/** @param corpus folder of the corpus */
export async function rowsOf(corpus: string, programs: Programs, kept: KeptPeers): Promise<readonly Row[]> {
  const fromCorpus = (path: string): FilePart => ({ name: basename(path), bytes: readFileSync(join(corpus, path)) });
  const page = (format: "png" | "jpg", documents = PAGE_DOCUMENTS): Row => ({
    name: `${format.toUpperCase()} of a page, 300 dpi`,
    cases: documents.map(([path, number]) =>
      onePage({ file: join(corpus, path), page: number, dpi: 300, format }, kept),
    ),
  });
  const [png, word, html, postscript] = [page("png"), wordRow(programs, kept), htmlRow(programs, kept), EPS.map(eps)];
  function eps(name: string): Case {
    const command = ["gs", "-q", "-dSAFER", "-dNOPAUSE", "-dBATCH", "-dEPSCrop", "-sDEVICE=pdfwrite", "-o", "out.pdf"];
    const peers = { Ghostscript: program(...command, name) };
    return { ...one("/pdf", {}, [fromCorpus(`postscript/${name}`)], PDF), peers };
  }
  const archived = await pdfaRow();
  const merges = [merge("merge of 10 x 20 pages", 10, 20, 50_000), merge("merge of 2 x 2 pages", 2, 2, 0)];
  const first = (name: string, { cases }: Row, service: Row["service"] = "new"): Row => ({
    ...{ name: `first ${name} after a start`, cases: cases.slice(-1), service, share: 0.45 },
  });
  return [
    ...[png, page("jpg"), manyPages(fromCorpus(BOOK), kept)],
    ...[word, { ...word, name: `${word.name}, two at a time`, clients: 2 }],
    ...[html, { ...html, name: `${html.name}, two at a time`, clients: 2 }],
    { ...html, name: `${html.name}, SHARED_RENDERERS=off`, service: "alone" },
    { ...html, name: `${html.name}, SHARED_RENDERERS=off, two at a time`, service: "alone", clients: 2 },
    { name: "EPS and PostScript to PDF", cases: postscript },
    ...[archived, ...merges, split(20), split(500), linearize(1), linearize(0.01)],
    ...[first("PNG", png, "new, and a new edge"), first("merge", merges[1]!, "new, and a new edge")],
    ...[first("docx", word), first("HTML", html), first("EPS", { name: "", cases: postscript.slice(0, 1) })],
    first("PDF/A", archived),
  ];
}

/** Paths of programs. */
export interface Programs {
  readonly soffice: string;
  readonly chromium: string;
}

function onePage(job: PageJob, { pdfium }: KeptPeers): Case {
  const { page, dpi, format } = job;
  const file = { name: basename(job.file), bytes: readFileSync(job.file) };
  const kind = format === "jpg" ? "jpeg" : format;
  const fields = { pages: page, resolution: dpi, ...(format === "jpg" ? { jpeg_quality: JPEG_QUALITY } : {}) };
  const drawing = peers.flatMap(({ name, command }): [string, Work][] =>
    command(job, "") === undefined ? [] : [[name, (folder) => runProgram(command(job, folder)!, folder)]],
  );
  const library: Work = (folder) => pdfium.work(job.file, page, page, dpi, kind, join(folder, "%d.out"));
  return {
    ...one(`/${format}`, fields, [file], `image/${kind}`),
    peers: { ...Object.fromEntries(drawing), "pdfium (pypdfium2, kept open)": library },
  };
}

function manyPages(file: FilePart, { pdfium }: KeptPeers): Row {
  const { name } = file;
  const drawn = program("mutool", "draw", "-q", "-r", "150", "-c", "rgb", "-o", "m%d.png", name, "1-100");
  const library: Work = (folder) => pdfium.work(join(folder, name), 1, 100, 150, "png", join(folder, "%d.out"));
  const poppler = program("pdftoppm", "-png", "-r", "150", "-cropbox", "-l", "100", name, "p");
  return {
    ...{ name: "PNG of 100 pages, 150 dpi", share: 0.45 },
    cases: [
      {
        ...one("/png", { pages: "1-100", resolution: 150 }, [file]),
        peers: { "mutool draw": drawn, pdftoppm: poppler, "pdfium (pypdfium2, kept open)": library },
      },
    ],
  };
}

function wordRow({ soffice }: Programs, { unoserver }: KeptPeers): Row {
  const file = { name: "letter.docx", bytes: docx({ body: paragraph("A letter of one page.") }) };
  const cold: Work = (folder) => {
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    return runProgram([soffice, profile, "--headless", "--convert-to", "pdf", file.name], folder);
  };
  const warm: Work = (folder) => unoserver.work(join(folder, file.name), join(folder, "warm.pdf"));
  const peers = { "soffice, cold": cold, unoserver: warm };
  return { name: "docx to PDF", cases: [{ ...one("/pdf", {}, [file], PDF), peers }] };
}

function htmlRow({ chromium }: Programs, { puppeteer }: KeptPeers): Row {
  const file = { name: "page.html", bytes: Buffer.from(HTML) };
  const cold: Work = (folder) => {
    const args = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}/profile`];
    return runProgram([chromium, ...args, "--print-to-pdf=page.pdf", `file://${folder}/${file.name}`], folder);
  };
  const peers = { "Chromium, cold": cold, "page of puppeteer, kept open": () => puppeteer.work(HTML) };
  return { name: "HTML to PDF", cases: [{ ...one("/pdf", {}, [file], PDF), peers }] };
}

async function pdfaRow(): Promise<Row> {
  const file = { name: "two.pdf", bytes: await textPdf(2) };
  const options = ["-q", "-dNOPAUSE", "-dBATCH", "-dPDFA=2", "-dPDFACompatibilityPolicy=1", "-sDEVICE=pdfwrite"];
  const gs = program("gs", ...options, "-sColorConversionStrategy=RGB", "-o", "out.pdf", file.name);
  const peers = { "Ghostscript, which does not validate": gs };
  return { name: "PDF/A of two pages", cases: [{ ...one("/pdfa", { output_type: "PDF/A-2b" }, [file], PDF), peers }] };
}

function merge(name: string, count: number, pages: number, pictureBytes: number): Row {
  const files = Array.from({ length: count }, (_, at) => ({ name: `${at}.pdf`, bytes: book(pages, pictureBytes) }));
  const fields = { "pages[]": files.map(() => "1-last"), "type[]": files.map(() => "file") };
  const qpdf = program("qpdf", "--empty", "--pages", ...files.map((file) => file.name), "--", "out.pdf");
  return { name, cases: [{ ...one("/merged-pdf", fields, files, PDF), peers: { qpdf } }] };
}

function split(pages: number): Row {
  const qpdf = program("qpdf", "--split-pages", "in.pdf", "out.pdf");
  const files = [{ name: "in.pdf", bytes: book(pages, pages * 10_000) }];
  return { name: `split of ${pages} pages`, cases: [{ ...one("/split-pdf", {}, files), peers: { qpdf } }] };
}

function linearize(megabytes: number): Row {
  const qpdf = program("qpdf", "--linearize", "in.pdf", "out.pdf");
  const files = [{ name: "in.pdf", bytes: book(megabytes < 1 ? 2 : 20, megabytes * 1e6) }];
  const name = `linearize ${megabytes < 1 ? `${megabytes * 1e3} KB` : `${megabytes} MB`}`;
  return { name, cases: [{ ...one("/linearized-pdf", {}, files, PDF), peers: { qpdf } }] };
}
