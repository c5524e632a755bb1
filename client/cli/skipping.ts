// Skips documents that are PDFs in a conversion to PDF.
import type { CliContext } from "./batch.ts";
import { isPdf } from "./convert.ts";
import type { Operand } from "./operands.ts";
import { printable } from "./terminal/display.ts";

/**
 * Skips files that are already PDFs, and prints a line for each. Does not skip a single file: the service rejects it
 * with a message.
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
    // Keeps an unreadable file, whose job then fails.
    const skips = kind === "path" && (await isPdf(value).catch(() => false));
    if (!skips) others.push(operand);
    else if (!isQuiet) stderr.write(`pagewright: ${printable(shown)}: skipped, it is a PDF already.\n`);
  }
  return others;
}
