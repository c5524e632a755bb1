// Reads PDFs with pikepdf and pypdf (test/clients/read_pdfs.py, test/clients/pdf_facts.py).
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "vitest";
import type { Restriction } from "../../src/document/encryption/permissions.ts";
import { clientSources, pythonTools } from "./client-tools.ts";

const MAX_BUFFER = 2 ** 28;

export interface PythonFacts {
  /** True if the password does not open the document; all other members are then absent. */
  readonly locked?: boolean;
  /** Why pikepdf cannot read the document; all other members are then absent. */
  readonly error?: string;
  /** True if pikepdf repaired the document in memory. */
  readonly damaged: boolean;
  /** Digest of the decoded contents of each page. */
  readonly pages: readonly (string | null)[];
  readonly annotations: readonly number[];
  readonly attachments: readonly string[];
  /** Keys of the catalog without Extensions and Version. */
  readonly catalog: readonly string[];
  readonly title: string;
  readonly encryption: { readonly R: number; readonly bits: number } | null;
  /** What the document forbids, as each reader understands it. */
  readonly pikepdf?: readonly Restriction[];
  readonly pypdf?: readonly Restriction[];
}

/** Returns a function that reads files with a password. Skips the test if the packages are unreachable. */
export async function pythonReaders(test: TestContext) {
  const run = await pythonScript<PythonFacts>(test, "read_pdfs.py");
  return (paths: readonly string[], password = "") => run([password, ...paths]);
}

/** Returns a function that answers questions of `/pdf-info`. Skips the test if the packages are unreachable. */
export const pythonAnswers = (test: TestContext) =>
  pythonScript<Readonly<Record<string, unknown>>>(test, "pdf_facts.py");

/** A text to be shaped with the font at a path. */
export interface ShapingTask {
  readonly path: string;
  readonly text: string;
  readonly direction: "ltr" | "rtl";
}

/**
 * Returns a function that shapes texts with uharfbuzz. Each glyph has its number, its cluster, its advance and its
 * offsets. Skips the test if the package is unreachable.
 */
export async function pythonShaper(test: TestContext) {
  const run = await pythonScript<{ readonly glyphs: readonly (readonly number[])[] }>(
    test,
    "shape_text.py",
    "typesetting.txt",
  );
  return (tasks: readonly ShapingTask[]) => run(tasks.map((task) => JSON.stringify(task)));
}

/** Colors of a document to be judged; see test/clients/color_spaces.py. */
export interface ColorTask {
  readonly path: string;
  /** Channels of the only color space; 0 for Lab. */
  readonly channels: number;
  readonly patches?: readonly (readonly [rgb: readonly number[], made: readonly number[]])[];
}

/** Returns a function that judges converted colors. Skips the test if the packages are unreachable. */
export async function colorJudge(test: TestContext) {
  const run = await pythonScript<{ readonly others: readonly string[]; readonly largest?: number }>(
    test,
    "color_spaces.py",
  );
  return (task: ColorTask) => run([JSON.stringify(task)])[0]!;
}

/** Returns a function that runs a script, which prints an object in JSON for each argument, one per line. */
async function pythonScript<T>(test: TestContext, script: string, packages = "readers.txt") {
  const bin = await pythonTools(test, packages);
  return (args: readonly string[]): T[] =>
    execFileSync(join(bin, "python3"), [join(clientSources, script), ...args], {
      ...{ encoding: "utf8", maxBuffer: MAX_BUFFER },
      stdio: ["ignore", "pipe", "ignore"],
    })
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as T);
}

/** Returns a function that reads the values of form fields by name. Skips the test if the packages are unreachable. */
export const formValues = (test: TestContext) =>
  pythonScript<Readonly<Record<"pikepdf" | "pypdf", Readonly<Record<string, unknown>>>>>(test, "form_values.py");

/** A signature as pyHanko sees it. */
export interface PyhankoSignature {
  readonly field: string;
  readonly valid: boolean;
  readonly intact: boolean;
  readonly coverage: string;
  readonly changes: string | null;
  readonly permitted: boolean;
  /** Whether the time stamp is valid and trusted; null without one. */
  readonly stamped: boolean | null;
  readonly level: number | null;
}

/**
 * Returns a function that verifies the signatures of files.
 * @param authority path of the only trusted certificate
 */
export async function pythonVerifier(test: TestContext, authority: string) {
  const run = await pythonScript<readonly PyhankoSignature[]>(test, "verify_signatures.py", "signing.txt");
  return (paths: readonly string[]) => run([authority, ...paths]);
}
