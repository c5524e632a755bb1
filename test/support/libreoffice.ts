// Opens LibreOffice for the tests of one file, as a zygote and as plain soffice. Inspects the PDFs that they make.

import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { OfficeToPdfOptions } from "../../container/engines/libreoffice/job.ts";
import { type LibreOffice, startLibreOffice } from "../../container/engines/libreoffice/libreoffice.ts";
import { Scratch } from "../../container/scratch/scratch.ts";
import { rejectScratchPaths } from "./scratch-paths.ts";

/**
 * A folder for documents and outputs. Set by the hooks of {@link openOffices}, like the variables below.
 */
export let documents: string;
export let scratch: Scratch;
export let zygote: LibreOffice;
export let soffice: LibreOffice;
export const logged: { message: string; details: Record<string, unknown> | undefined }[] = [];

/** Registers the hooks. Must be called once, at the top of a test file. */
export function openOffices(): void {
  beforeAll(async () => {
    documents = await mkdtemp(join(tmpdir(), "office-test-"));
    // All users can read here, so that only the sandbox, and no permission, protects these files from hostile
    // documents.
    await chmod(documents, 0o755);
    scratch = await Scratch.open(undefined, "/dev/shm");
    const log = (message: string, details?: Record<string, unknown>) => logged.push({ message, details });
    zygote = await startLibreOffice({ scratch, log });
    soffice = await startLibreOffice({ scratch, log, dist: documents });
  });
  afterAll(async () => {
    await zygote?.close();
    await soffice?.close();
    await scratch?.[Symbol.asyncDispose]();
    await rm(documents, { recursive: true });
  });
}

let made = 0;
export async function save(content: Uint8Array | string, extension: string): Promise<string> {
  const path = join(documents, `document${made++}.${extension}`);
  await writeFile(path, content);
  return path;
}

export interface Converted {
  readonly pages: number;
  readonly text: string;
  /** Output of pdfinfo(1). */
  readonly info: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Width and height of each image, for example "640 x 480". */
  readonly pictures: readonly string[];
}

export async function convert(
  office: LibreOffice,
  path: string,
  options: Partial<OfficeToPdfOptions> = {},
  signal?: AbortSignal,
): Promise<Converted> {
  const output = join(documents, `output${made++}.pdf`);
  {
    await using pdf = await office.convertToPdf(path, { tagged: false, lossless: false, ...options }, signal);
    await copyFile(pdf.path, output);
  }
  const tool = (name: string, ...args: string[]) => execFileSync(name, [...args], { encoding: "utf8" });
  const lines = [...tool("pdfinfo", output).matchAll(/^([^:]+):\s*(.*)$/gm)];
  const info = Object.fromEntries(lines.map(([, key, value]) => [key, value]));
  const bytes = await readFile(output);
  rejectScratchPaths(bytes);
  return {
    info,
    pages: Number(info.Pages),
    text: tool("pdftotext", output, "-"),
    bytes,
    pictures: picturesIn(output),
  };
}

/** Returns the size of each image, read with pdfimages(1). */
export const picturesIn = (path: string) =>
  [
    ...execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }).matchAll(/^ +\d+ +\d+ \w+ +(\d+) +(\d+) /gm),
  ].map(([, width, height]) => `${width} x ${height}`);

/** Converts a document, without inspecting the result. */
export async function attempt(
  office: LibreOffice,
  path: string,
  options: Partial<OfficeToPdfOptions> = {},
  signal?: AbortSignal,
): Promise<string> {
  await using _ = await office.convertToPdf(path, { tagged: false, lossless: false, ...options }, signal);
  return "converted";
}

export const failsWith = (reason: string) => expect.objectContaining({ name: "EngineFailure", reason });
