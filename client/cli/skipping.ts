// Leaves out the documents that an operation need not convert.
import type { CliContext } from "./batch.ts";
import { isPdf } from "./convert.ts";
import type { Operand } from "./operands.ts";
import { printable } from "./terminal/display.ts";

/** Skips files that are PDFs already, each with a line. One that is alone is the service's to refuse. */
export async function withoutPdfs(
  operands: readonly Operand[],
  isQuiet: boolean,
  { stderr }: Pick<CliContext, "stderr">,
): Promise<readonly Operand[]> {
  if (operands.length === 1) return operands;
  const others: Operand[] = [];
  for (const operand of operands) {
    const { kind, value, shown } = operand;
    // A file that cannot be read fails when its turn comes.
    const skips = kind === "path" && (await isPdf(value).catch(() => false));
    if (!skips) others.push(operand);
    else if (!isQuiet) stderr.write(`pagewright: ${printable(shown)}: skipped, it is a PDF already.\n`);
  }
  return others;
}
