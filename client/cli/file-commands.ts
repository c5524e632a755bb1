// Commands for stored files: upload, download and delete. If one file fails, the command continues with the next.
import { type Command, Option } from "commander";
import type { CallOptions, Progress } from "../core/progress.ts";
import type { PagewrightClient } from "../node.ts";
import type { CliContext } from "./batch.ts";
import { type Operand, readOperands } from "./operands.ts";
import type { ServiceOptions } from "./settings.ts";
import { complaintOf } from "./terminal/complaint.ts";
import { Display, printable } from "./terminal/display.ts";

type Connect = (options: ServiceOptions, context: CliContext) => Promise<PagewrightClient>;

/** @param onEnd receives the number of failed files of a command */
export function addFileCommands(
  program: Command,
  context: CliContext,
  connect: Connect,
  onEnd: (failed: number) => void,
): void {
  const each = async (items: readonly Operand[], work: Work) => onEnd(await forEach(items, work, context));
  program
    .command("upload")
    .description("Stores files at the service, and prints their IDs.")
    .argument("<files...>", "files of any type")
    .action(async (files: readonly string[], options: ServiceOptions) => {
      const pw = await connect(options, context);
      await each(await readOperands(files), async ({ kind, value }, callOptions) => {
        const input = kind === "stdin" ? { stream: context.stdin as AsyncIterable<Uint8Array>, name: "stdin" } : value;
        return (await pw.upload(input, callOptions)).id;
      });
    });
  program
    .command("download")
    .description("Downloads stored files.")
    .argument("<ids...>", "IDs of stored files")
    .addOption(new Option("-o, --out <path>", "path for the file, or folder for several files").default("./"))
    .action(async (ids: readonly string[], options: ServiceOptions & { readonly out: string }) => {
      const pw = await connect(options, context);
      const out = ids.length > 1 ? `${options.out}/` : options.out;
      await each(ids.map(stored), ({ value }, callOptions) => pw.stored(value).save(out, callOptions));
    });
  program
    .command("delete")
    .description("Deletes stored files from the service.")
    .argument("<ids...>", "IDs of stored files")
    .action(async (ids: readonly string[], options: ServiceOptions) => {
      const pw = await connect(options, context);
      await each(ids.map(stored), async ({ value }, { signal }) => {
        await pw.stored(value).delete({ signal });
        return undefined;
      });
    });
}

const stored = (value: string): Operand => ({ kind: "stored", value, shown: value });

/** @returns the line to print for the file */
type Work = (operand: Operand, options: CallOptions) => Promise<string | undefined>;

/** @returns the number of failed files */
async function forEach(operands: readonly Operand[], work: Work, context: CliContext): Promise<number> {
  const { stdout, stderr, signal } = context;
  const display = new Display(stderr, operands.length, false);
  let failed = 0;
  for (const operand of operands) {
    if (signal.aborted) break;
    const { shown } = operand;
    display.update(shown);
    try {
      const line = await work(operand, { signal, onProgress: (progress: Progress) => display.update(shown, progress) });
      if (line !== undefined) display.aside(() => stdout.write(`${line}\n`));
    } catch (error) {
      if (signal.aborted) break;
      failed++;
      display.aside(() => stderr.write(`${printable(complaintOf(shown, error))}\n`));
    }
    display.finish(shown);
  }
  display.close();
  return failed;
}
