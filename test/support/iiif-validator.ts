// The official validator of the IIIF Image API. The first call installs it in a separate Python environment.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { PDFDocument, rgb } from "pdf-lib";

const run = promisify(execFile);
const folder = join(import.meta.dirname, "../dist/iiif-validator");
const python = join(folder, "bin/python3");
const complete = join(folder, "complete");

/** The validator and its dependencies. */
const PACKAGES = ["iiif-validator==1.0.5", "bottle==0.13.4", "lxml==6.1.3", "Pillow==13.0.0", "python-magic==0.4.27"];
const INSTALLED_WITHIN_MS = 240_000;
const CHECKED_WITHIN_MS = 120_000;

/** Installs the validator. @returns undefined, or the reason if it could not be installed */
export async function missingValidator(): Promise<string | undefined> {
  if (existsSync(complete)) return undefined;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    await run("python3", ["-m", "venv", folder], { timeout: INSTALLED_WITHIN_MS });
    const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES];
    await run(python, args, { timeout: INSTALLED_WITHIN_MS });
    await writeFile(complete, "");
    return undefined;
  } catch (error) {
    return `The IIIF validator cannot be installed from PyPI: ${String(error).slice(0, 500)}`;
  }
}

type Color = readonly [red: number, green: number, blue: number];

/** Returns a PDF that looks like the validator's reference image: 10 x 10 squares, at 300 dpi 1000 x 1000 pixels. */
export async function referencePdf(): Promise<Uint8Array> {
  const code =
    "import json; from iiif_validator.validator import ValidationInfo; print(json.dumps(ValidationInfo().colorInfo))";
  const { stdout } = await run(python, ["-c", code]);
  // The validator's package first prints a line, which is ignored.
  const columns = JSON.parse(stdout.trim().split("\n").at(-1)!) as readonly (readonly Color[])[];
  const document = await PDFDocument.create();
  const page = document.addPage([240, 240]);
  for (const [column, colors] of columns.entries()) {
    for (const [row, [red, green, blue]] of colors.entries()) {
      const place = { x: column * 24, y: 240 - (row + 1) * 24, width: 24, height: 24 };
      page.drawRectangle({ ...place, color: rgb(red / 255, green / 255, blue / 255) });
    }
  }
  return document.save();
}

export interface Verdict {
  /** Number of tests that the validator ran. */
  readonly count: number;
  /** Names of the failed tests. */
  readonly failed: readonly string[];
  readonly output: string;
}

/** Runs the tests of the Image API 3.0 up to a level. @param image URL of an image, without a final slash */
export async function validate(image: string, level: number): Promise<Verdict> {
  const { host, pathname } = new URL(image);
  const [, prefix, identifier] = pathname.split("/");
  const script = join(folder, "bin/iiif-validate.py");
  const args = ["-s", host, "-p", prefix!, "-i", identifier!, "--version=3.0", "--level", String(level)];
  // The validator's exit code is the number of failures.
  const { stdout, stderr } = await run(python, [script, ...args], { timeout: CHECKED_WITHIN_MS }).catch((error) => {
    if (typeof error.stderr !== "string") throw error;
    return error as { stdout: string; stderr: string };
  });
  const output = `${stdout}${stderr}`;
  const failed = [...output.matchAll(/^\[\d+\] test (\w+) FAIL$/gm)].map(([, name]) => name!);
  return { count: Number(/^Done \((\d+) tests/m.exec(output)?.[1]), failed, output };
}
