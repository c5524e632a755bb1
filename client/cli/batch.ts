// Runs the jobs of one command concurrently, and shows their progress and results.
import { PagewrightError } from "../core/error.ts";
import type { Pagewright } from "../core/pagewright.ts";
import type { Progress } from "../core/progress.ts";
import { type ConversionResult, type ConversionTask, convert, jsonText } from "./convert.ts";
import { complaintOf } from "./terminal/complaint.ts";
import { Display, printable } from "./terminal/display.ts";

/** The streams, environment variables and abort signal of a command. Tests replace them. */
export interface CliContext {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the program is interrupted. */
  readonly signal: AbortSignal;
}

export interface BatchOptions {
  /** Maximum number of concurrent jobs. */
  readonly jobs: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** @returns the number of failed jobs */
export async function runBatch(
  pw: Pagewright,
  works: readonly ConversionTask[],
  { jobs, json = false, quiet = false }: BatchOptions,
  context: CliContext,
): Promise<number> {
  const display = new Display(context.stderr, works.length, quiet);
  const writesData = works.some(({ target, operation }) => target.path === "-" && !operation.output.isData);
  const tell = (text: string) => display.aside(() => (writesData ? context.stderr : context.stdout).write(`${text}\n`));
  const complain = (text: string) => display.aside(() => context.stderr.write(`${printable(text)}\n`));
  let failed = 0;
  const runOne = async (work: ConversionTask) => {
    const name = work.operands.map(({ shown }) => shown).join(", ") || work.operation.name;
    display.update(name);
    try {
      const onProgress = context.stderr.isTTY
        ? { onProgress: (progress: Progress) => display.update(name, progress) }
        : {};
      const done = await convert(pw, work, context, { signal: context.signal, ...onProgress });
      if (json) tell(JSON.stringify(recordOf(name, done)));
      else {
        if (done.result.data && done.paths.length === 0) tell(jsonText(done.result.data));
        if (!quiet) reportDone(name, done, tell, complain);
      }
    } catch (error) {
      if (context.signal.aborted) return;
      failed++;
      if (json) tell(JSON.stringify({ input: name, error: describe(error) }));
      else complain(complaintOf(name, error));
    } finally {
      display.finish(name);
    }
  };
  const waiting = works[Symbol.iterator]();
  const worker = async () => {
    for (const work of waiting) {
      if (context.signal.aborted) return;
      await runOne(work);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(jobs, works.length) }, worker));
  } finally {
    display.close();
  }
  return failed;
}

function reportDone(
  name: string,
  { result, paths }: ConversionResult,
  tell: (text: string) => void,
  complain: (text: string) => void,
): void {
  for (const path of paths) tell(path);
  for (const notice of result.notices) complain(`pagewright: ${name}: ${notice}`);
}

function recordOf(input: string, { result, paths }: ConversionResult) {
  const { files, inputIds, notices, data } = result;
  return { input, outputs: paths, ids: files.map(({ id }) => id), inputIds, notices, ...(data ? { data } : {}) };
}

function describe(error: unknown) {
  const { message } = error as Error;
  if (!(error instanceof PagewrightError)) return { message };
  const { status, parameter, requestId } = error;
  return { status, message, parameter, requestId };
}
