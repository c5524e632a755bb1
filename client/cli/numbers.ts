// Numbers the outputs of an operation. An image of a page gets the page number, any other output its position.
import type { OperationSchema } from "./operation-types.ts";

/**
 * Returns a number for each output, padded with zeros so that names sort in page order.
 * @param selection page selection, such as `2-3,last`. @default the outputs are numbered by position
 * @param countPages returns the number of pages of the document; undefined if it is unknown
 */
export async function numbersOf(
  { input }: Pick<OperationSchema, "input">,
  selection: unknown,
  outputs: number,
  countPages: () => Promise<number | undefined>,
): Promise<readonly string[]> {
  const inOrder = padded(
    Array.from({ length: outputs }, (_, index) => index + 1),
    outputs,
  );
  if (selection === undefined || input.kind !== "one") return inOrder;
  // The document might have been deleted in the meantime.
  const pages = await countPages().catch(() => undefined);
  const numbers = pages === undefined ? [] : pagesIn(String(selection), pages);
  return numbers.length === outputs ? padded(numbers, pages!) : inOrder;
}

/** Formats numbers with the same number of digits. A repeated number gets a suffix. */
function padded(numbers: readonly number[], highest: number): readonly string[] {
  const counts = new Map<number, number>();
  return numbers.map((number) => {
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    const text = String(number).padStart(String(highest).length, "0");
    return count === 1 ? text : `${text} (${count})`;
  });
}

/** Returns the page numbers of a valid selection (docs/api.md#page-selections). */
function pagesIn(selection: string, last: number): readonly number[] {
  return selection.split(",").flatMap((item) => {
    const [from = 0, to = from] = item.split("-").map((text) => (/^\s*last\s*$/i.test(text) ? last : Number(text)));
    const step = from <= to ? 1 : -1;
    return Array.from({ length: Math.min(Math.abs(to - from), last) + 1 || 0 }, (_, index) => from + index * step);
  });
}
