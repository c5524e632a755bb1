// Skips documents that need no conversion.
import type { CliContext } from "./batch.ts";
import { isPdf } from "./convert.ts";
import type { Operand } from "./operands.ts";
import { printable } from "./terminal/display.ts";

/**
 * Skips files that are PDFs already, and prints a line for each. A single file is not skipped: the service rejects it
 * with the reason.
 */
export async function withoutPdfs(
  operands: readonly Operand[],
  isQuiet: boolean,
  { stderr }: Pick<CliContext, "stderr">,
): Promise<readonly Operand[]> {
  if (operands.length === 1) return operands;
  const others: Operand[] = [];
  for (const operand of operands) {
    const { kind, value, shown } = operand;
    // An unreadable file fails later, in its own job.
    const skips = kind === "path" && (await isPdf(value).catch(() => false));
    if (!skips) others.push(operand);
    else if (!isQuiet) stderr.write(`pagewright: ${printable(shown)}: skipped, it is a PDF already.\n`);
  }
  return others;
}
