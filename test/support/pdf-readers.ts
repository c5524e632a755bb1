// Reads PDFs with other programs (qpdf, poppler).
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAX_BUFFER = 2 ** 30;

/** @param work receives the path of the file and its folder, which is deleted afterwards */
export function withFile<T>(pdf: Uint8Array, work: (path: string, folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "pdf-"));
  try {
    const path = join(folder, "in.pdf");
    writeFileSync(path, pdf);
    return work(path, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the errors and warnings of `qpdf --check`; an empty string if there are none */
export function qpdfComplaints(pdf: Uint8Array): string {
  return withFile(pdf, (path) => {
    const { status, stdout, stderr } = spawnSync("qpdf", ["--check", path], {
      encoding: "utf8",
      maxBuffer: MAX_BUFFER,
    });
    return status === 0 ? "" : `${stderr}${stdout}`;
  });
}

/** @returns the output of `qpdf --check-linearization` */
export function linearizationOf(pdf: Uint8Array): string {
  return withFile(pdf, (path) => {
    const { stdout, stderr } = spawnSync("qpdf", ["--check-linearization", path], { encoding: "utf8" });
    return `${stderr}${stdout}`.replaceAll(`${path}: `, "").trim();
  });
}

/** Returns the file as searchable text, without object streams, and with every stream decoded. */
export function uncompressed(pdf: Uint8Array): string {
  return withFile(pdf, (path, folder) => {
    const out = join(folder, "out.pdf");
    const options = ["--qdf", "--object-streams=disable", "--decode-level=generalized", "--no-original-object-ids"];
    const { status, stderr } = spawnSync("qpdf", [...options, path, out], { encoding: "utf8" });
    if (status !== 0 && status !== 3) throw new Error(stderr);
    return readFileSync(out, "latin1");
  });
}

/** Returns the text of each page. */
export function textOf(pdf: Uint8Array): string[] {
  return withFile(pdf, (path) => {
    const text = execFileSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8", maxBuffer: MAX_BUFFER });
    return text.split("\f").slice(0, -1);
  });
}

/** Returns the text of each page, without surrounding white space. */
export const pageTexts = (pdf: Uint8Array): string[] => textOf(pdf).map((text) => text.trim());

/** Returns the values that `pdfinfo` prints, by name. */
export function infoOf(pdf: Uint8Array): Record<string, string> {
  return withFile(pdf, (path) => {
    const lines = execFileSync("pdfinfo", [path], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split(
      "\n",
    );
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
    );
  });
}

/** Returns the text, and the values that `pdfinfo` prints. @param options of pdftotext */
export function textAndInfoOf(
  pdf: Uint8Array,
  ...options: string[]
): { readonly text: string; readonly info: Record<string, string> } {
  const text = withFile(pdf, (path) => execFileSync("pdftotext", [...options, path, "-"], { encoding: "utf8" }));
  return { text, info: infoOf(pdf) };
}

/**
 * Returns pages as PPM files, rendered by poppler at a low resolution. @param lastPage the last page. @default all
 * pages
 */
export function picturesOf(pdf: Uint8Array, dpi = 36, lastPage?: number): Buffer[] {
  const most = lastPage === undefined ? [] : ["-l", String(lastPage)];
  return withFile(pdf, (path, folder) => {
    execFileSync("pdftoppm", ["-r", String(dpi), ...most, path, join(folder, "page")], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    const names = readdirSync(folder).filter((name) => name.endsWith(".ppm"));
    return names.sort().map((name) => readFileSync(join(folder, name)));
  });
}
