// Numbers the outputs of an operation that makes several: a picture by its page, a part by its place.
import type { OperationSchema } from "./operation-types.ts";

/**
 * Returns a number for each output, with zeros before it, so that names sort as pages do.
 * @param selection of pages, such as `2-3,last`. @default one output for each page, or for each part
 * @param countPages returns how many pages the document has; undefined if nobody knows
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
  // A document that is gone meanwhile has no pages to count.
  const pages = await countPages().catch(() => undefined);
  const numbers = pages === undefined ? [] : pagesIn(String(selection), pages);
  return numbers.length === outputs ? padded(numbers, pages!) : inOrder;
}

/** Returns numbers as texts of one length. The second of two that are the same has a mark. */
function padded(numbers: readonly number[], highest: number): readonly string[] {
  const counts = new Map<number, number>();
  return numbers.map((number) => {
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    const text = String(number).padStart(String(highest).length, "0");
    return count === 1 ? text : `${text} (${count})`;
  });
}

/** Returns the pages of a selection that the service has carried out (docs/api.md#page-selections). */
function pagesIn(selection: string, last: number): readonly number[] {
  return selection.split(",").flatMap((item) => {
    const [from = 0, to = from] = item.split("-").map((text) => (/^\s*last\s*$/i.test(text) ? last : Number(text)));
    const step = from <= to ? 1 : -1;
    return Array.from({ length: Math.min(Math.abs(to - from), last) + 1 || 0 }, (_, index) => from + index * step);
  });
}
