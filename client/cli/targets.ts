// Chooses the output paths of a command before the first job runs, so that two jobs never write to the same file.
import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { type Operand, stemOf } from "./operands.ts";
import type { OperationSchema } from "./operation-types.ts";
import { UsageError } from "./usage-error.ts";

/** The output paths of one job. */
export interface Target {
  /** Path of the output, path of the folder for several outputs, or `-` for standard output. */
  readonly path: string;
  /** Name of the output without extension, or prefix of the names of several outputs. */
  readonly stem: string;
  /** Extension of the output, with a dot; empty if it depends on a parameter. */
  readonly extension: string;
  /** True if the path lacks the extension, which the name of the output has at the service. @default false */
  readonly isOpen?: boolean;
  /** Path to use instead if an operation that can have several outputs has only one. */
  readonly only?: string;
  /** True if the output is an archive of several outputs. @default false */
  readonly isArchive?: boolean;
}

export interface TargetOptions {
  readonly out?: string;
  readonly dir?: string;
}

/**
 * @param jobs the inputs of each job
 * @param extension extension of the outputs, with a dot
 * @throws UsageError if the options do not match the inputs, for example `--out` with several jobs
 */
export function targetsOf(
  operation: OperationSchema,
  jobs: readonly (readonly Operand[])[],
  { out, dir }: TargetOptions,
  extension: string,
): readonly Target[] {
  if (out !== undefined && dir !== undefined) throw new UsageError("Use --out or --dir, not both.");
  if (out !== undefined && jobs.length > 1) throw new UsageError("--out is for one input: use --dir for several.");
  if (operation.output.isData && out === undefined && dir === undefined) {
    return jobs.map(() => ({ path: "-", stem: "", extension }));
  }
  if (out === "-" || (out === undefined && dir === undefined && jobs[0]?.[0]?.kind === "stdin")) {
    return [{ path: "-", stem: "stdin", extension }];
  }
  if (out !== undefined && !isFolder(out)) {
    const stem = basename(out, extname(out));
    if (operation.output.archives && /\.zip$/i.test(out)) return [{ path: out, stem, extension, isArchive: true }];
    return [
      operation.output.archives
        ? { path: `${dirname(out)}/`, stem, extension, only: out }
        : { path: out, stem, extension },
    ];
  }
  const folder = out ?? dir ?? ".";
  const inputs = new Set(jobs.flat().map(({ kind, value }) => (kind === "path" ? resolve(value) : "")));
  const taken = new Set<string>();
  return jobs.map((operands) => {
    const [only] = operation.input.kind === "several" ? [] : operands;
    const plain = only ? stemOf(only) : (operation.output.joinedName ?? operation.name);
    const { archives, hasNames = false } = operation.output;
    const isTaken = isInput(inputs, resolve(folder, plain), extension, archives && !hasNames);
    const own = isTaken ? `${plain}_${operation.name}` : plain;
    let stem = own;
    for (let count = 2; taken.has(stem.toLowerCase()); count++) stem = `${own} (${count})`;
    taken.add(stem.toLowerCase());
    if (operation.output.archives) return { path: `${folder}/`, stem, extension };
    return { path: join(folder, `${stem}${extension}`), stem, extension, isOpen: extension === "" };
  });
}

/** Reports whether an output would replace an input. */
function isInput(inputs: ReadonlySet<string>, path: string, extension: string, isNumbered: boolean): boolean {
  if (!isNumbered) return inputs.has(`${path}${extension}`);
  return [...inputs].some(
    (input) =>
      input.startsWith(`${path}_`) &&
      input.endsWith(extension) &&
      /^\d+$/.test(input.slice(path.length + 1, -extension.length)),
  );
}

const isFolder = (path: string) => /[/\\]$/.test(path) || (existsSync(path) && statSync(path).isDirectory());
