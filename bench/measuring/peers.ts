// The programs that the service is compared with. Each runs as a new process that reads a file and writes files.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

export interface PageJob {
  readonly file: string;
  /** Page number, from 1. */
  readonly page: number;
  readonly dpi: number;
  readonly format: "png" | "jpg" | "tif";
}

export interface Peer {
  readonly name: string;
  /** @returns undefined if the program cannot produce this format */
  command(job: PageJob, folder: string): readonly string[] | undefined;
}

/** A page of text, a scan, a form, CMYK with overprint, a mixed page, a cover, a page of mixed scripts. */
export const PAGE_DOCUMENTS: readonly (readonly [file: string, page: number])[] = [
  ["pdf/pdf2image-memory-error-test-400p.pdf", 20],
  ["pdf/Seige_of_Vicksburg_Sample_OCR.pdf", 1],
  ["pdf/fancy_fields.pdf", 1],
  ["pdf/amt_handbook_sample.pdf", 1],
  ["pdf/validAvoir_FR_type380_BASICWL.pdf", 1],
  ["pdf/MEDRPT-2024-PAT-3847_medical_report_scan.pdf", 1],
  ["pdf/hello-world.pdf", 1],
];

/** JPEG quality of all programs. */
export const JPEG_QUALITY = 80;

export const peers: readonly Peer[] = [
  {
    name: "mutool draw",
    command: ({ file, page, dpi, format }, folder) =>
      format === "png"
        ? ["mutool", "draw", "-q", "-r", String(dpi), "-c", "rgb", "-o", join(folder, "page.png"), file, String(page)]
        : undefined,
  },
  {
    name: "pdftoppm",
    command({ file, page, dpi, format }, folder) {
      const options = {
        png: ["-png"],
        jpg: ["-jpeg", "-jpegopt", `quality=${JPEG_QUALITY}`],
        tif: ["-tiff", "-tiffcompression", "deflate"],
      }[format];
      const pages = ["-f", String(page), "-l", String(page)];
      return ["pdftoppm", ...options, "-r", String(dpi), "-cropbox", ...pages, file, join(folder, "page")];
    },
  },
  {
    name: "Ghostscript",
    command({ file, page, dpi, format }, folder) {
      const device = {
        png: ["-sDEVICE=png16m"],
        jpg: ["-sDEVICE=jpeg", `-dJPEGQ=${JPEG_QUALITY}`],
        tif: ["-sDEVICE=tiff24nc", "-sCompression=lzw"],
      }[format];
      const quality = ["-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", "-dUseCropBox"];
      const pages = [`-dFirstPage=${page}`, `-dLastPage=${page}`];
      return [
        "gs",
        "-q",
        "-dNOPAUSE",
        "-dBATCH",
        "-dSAFER",
        ...device,
        ...quality,
        `-r${dpi}`,
        ...pages,
        "-o",
        join(folder, `page.${format}`),
        file,
      ];
    },
  },
];

export interface Run {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** Runs a command in an empty folder. */
export function runPeer(peer: Peer, job: PageJob, folder: string): Run | undefined {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const command = peer.command(job, folder);
  if (!command) return undefined;
  const started = performance.now();
  execFileSync(command[0]!, command.slice(1), { stdio: ["ignore", "ignore", "pipe"] });
  const milliseconds = performance.now() - started;
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return { milliseconds, bytes };
}
