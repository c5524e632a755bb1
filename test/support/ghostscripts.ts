// Opens Ghostscript for the tests of one file, as a zygote and as the plain program. Inspects the PDFs that they make.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Ghostscript, startGhostscript } from "../../container/engines/ghostscript/ghostscript.ts";
import type { PostscriptToPdfOptions } from "../../container/engines/ghostscript/job.ts";
import type { FontSubstitutions } from "../../container/fonts/substitutions.ts";
import { Scratch } from "../../container/scratch/scratch.ts";
import { rejectScratchPaths } from "./scratch-paths.ts";

/** A folder for programs and outputs. Set by {@link openGhostscripts}, like the variables below. */
export let documents: string;
export let scratch: Scratch;
export let zygote: Ghostscript;
export let plain: Ghostscript;
export const logged: { message: string; details: Record<string, unknown> | undefined }[] = [];

export type Mode = "zygote" | "plain";
export const by = (mode: Mode) => (mode === "zygote" ? zygote : plain);

/** Registers the hooks. Must be called once, at the top of a test file. */
export function openGhostscripts(): void {
  beforeAll(async () => {
    documents = await mkdtemp(join(tmpdir(), "ghostscript-test-"));
    // All users can read and write here, so that file permissions are not the reason why a hostile program fails.
    await chmod(documents, 0o777);
    scratch = await Scratch.open();
    const log = (message: string, details?: Record<string, unknown>) => logged.push({ message, details });
    zygote = await startGhostscript({ scratch, log });
    plain = await startGhostscript({ scratch, log, dist: documents });
  });
  afterAll(async () => {
    await zygote?.close();
    await plain?.close();
    await scratch?.[Symbol.asyncDispose]();
    await rm(documents, { recursive: true });
  });
}

let made = 0;

export interface Converted {
  readonly pages: number;
  readonly text: string;
  /** Output of pdfinfo(1). */
  readonly info: Readonly<Record<string, string>>;
  readonly path: string;
  readonly substitutions: FontSubstitutions;
  /** Returns every object as text (qpdf's QDF form). */
  objects(): string;
}

/** @param program the text of a PostScript program, or the path of a file */
export async function convert(
  ghostscript: Ghostscript,
  program: string | Buffer | { readonly path: string },
  { name = "a.ps", ...options }: Partial<PostscriptToPdfOptions> & { readonly name?: string } = {},
  signal?: AbortSignal,
): Promise<Converted> {
  const number = made++;
  let input = { name, path: join(documents, `program${number}`) };
  if (typeof program === "string") await writeFile(input.path, program, "latin1");
  else if (Buffer.isBuffer(program)) await writeFile(input.path, program);
  else input = { name: basename(program.path), path: program.path };
  const path = join(documents, `output${number}.pdf`);
  const substitutions = await ghostscript.convertToPdf(input, path, { lossless: false, ...options }, signal);
  rejectScratchPaths(readFileSync(path));
  const tool = (tool: string, ...args: string[]) => execFileSync(tool, args, { encoding: "utf8", maxBuffer: 2 ** 28 });
  const info = Object.fromEntries(
    [...tool("pdfinfo", path).matchAll(/^([^:]+):\s*(.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  return {
    info,
    path,
    substitutions,
    pages: Number(info.Pages),
    text: tool("pdftotext", path, "-"),
    objects: () =>
      execFileSync("qpdf", ["--qdf", "--object-streams=disable", path, "-"], { maxBuffer: 2 ** 28 }).toString("latin1"),
  };
}

/** Returns the width, color, encoding and resolution of each image, read with pdfimages(1). */
export function picturesIn({ path }: Converted) {
  const lines = execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }).trim().split("\n").slice(2);
  return lines.map((line) => {
    const cells = line.trim().split(/\s+/);
    return { color: cells[5]!, encoding: cells[8]!, dpi: Number(cells[12]) };
  });
}
