// Pairs the pages of a result with the input pages from which they were created.
import { selectedPages } from "./checks.ts";
import type { Operation } from "./operations.ts";
import type { Output, Result } from "./state.ts";

/** One page of a stored file; an image has one page. */
export interface Side {
  readonly id: string;
  readonly type: string;
  readonly page: number;
}

export interface Pair {
  readonly before?: Side;
  readonly after?: Side;
}

/** Media types of images that all browsers display, and that cannot contain scripts. */
const SHOWN_PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/bmp", "image/webp", "image/avif"]);

const isPdf = (type: string | undefined): boolean => type?.split(";")[0] === "application/pdf";
export const isPicture = (type: string | undefined): boolean => SHOWN_PICTURES.has(type?.split(";")[0] ?? "");

/** @returns undefined if there is nothing to show, for example of a PDF that needs a password */
export function sideOf(file: Output | undefined, page: number): Side | undefined {
  const { type, problem } = file?.info ?? {};
  if (!file || file.isDeleted || type === undefined || problem !== undefined) return undefined;
  if (isPdf(type)) return { id: file.id, type, page };
  return isPicture(type) && page === 1 ? { id: file.id, type, page } : undefined;
}

/** Returns the number of pairs; undefined if the number of pages is unknown. */
export function pairCount({ outputs }: Result): number | undefined {
  const [first] = outputs;
  if (outputs.length !== 1 || !first) return outputs.length;
  return isPdf(first.info?.type) ? first.info?.pages : 1;
}

/**
 * @param index number of the pair, from 0
 * @param operation the operation that created the result; undefined if unknown
 */
export function pairAt(result: Result, index: number, operation: Operation | undefined): Pair {
  const { outputs, input, keeps = operation?.output.keeps } = result;
  const single = outputs.length === 1 && isPdf(outputs[0]?.info?.type);
  const after = single ? sideOf(outputs[0], index + 1) : sideOf(outputs[index], 1);
  const isSplit = operation?.output.naming === "list";
  const hasSource = !single || isSplit || keeps !== undefined;
  const page = hasSource ? sourcePage(result, index, isSplit) : undefined;
  const before = page === undefined ? undefined : sideOf(input, page);
  return { ...(before ? { before } : {}), ...(after ? { after } : {}) };
}

/**
 * Returns the input page of a pair. If there are several outputs, it is the page from which the first page of an output
 * was created.
 */
function sourcePage({ values, input, outputs }: Result, index: number, isSplit: boolean): number | undefined {
  const pageCount = input?.info?.pages;
  if (isSplit) {
    const list = [values["pages[]"] ?? []].flat();
    if (list.length === 0) return index + 1;
    const [part, page] = outputs.length === 1 ? [0, index] : [index, 0];
    return pageCount === undefined ? undefined : selectedPages(list[part] ?? "", pageCount, true)?.[page];
  }
  if (values.pages === undefined) return index + 1;
  return pageCount === undefined ? undefined : selectedPages(String(values.pages), pageCount)?.[index];
}
