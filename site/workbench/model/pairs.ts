// Pairs the pages of what was made with the pages that they come from. Knows nothing about pictures.
import { selectedPages } from "./checks.ts";
import type { Operation } from "./operations.ts";
import type { Output, Result } from "./state.ts";

/** One page of a stored file; a picture has one. */
export interface Side {
  readonly id: string;
  readonly type: string;
  readonly page: number;
}

export interface Pair {
  readonly before?: Side;
  readonly after?: Side;
}

/** Media types of pictures that every browser shows, and that can run nothing. */
const SHOWN_PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/bmp"]);

const isPdf = (type: string | undefined): boolean => type?.split(";")[0] === "application/pdf";
export const isPicture = (type: string | undefined): boolean => SHOWN_PICTURES.has(type?.split(";")[0] ?? "");

export function sideOf(file: Output | undefined, page: number): Side | undefined {
  const type = file?.info?.type;
  if (!file || file.isDeleted || type === undefined) return undefined;
  if (isPdf(type)) return { id: file.id, type, page };
  return isPicture(type) && page === 1 ? { id: file.id, type, page } : undefined;
}

/** Returns the number of pairs, or undefined if the service does not tell the number of pages. */
export function pairCount({ outputs }: Result): number | undefined {
  const [first] = outputs;
  if (outputs.length !== 1 || !first) return outputs.length;
  return isPdf(first.info?.type) ? first.info?.pages : 1;
}

/**
 * @param index from 0
 * @param operation that made the result; undefined if it is not known
 */
export function pairAt(result: Result, index: number, operation: Operation | undefined): Pair {
  const { outputs, input } = result;
  const single = outputs.length === 1 && isPdf(outputs[0]?.info?.type);
  const after = single ? sideOf(outputs[0], index + 1) : sideOf(outputs[index], 1);
  const isSplit = operation?.output.naming === "list";
  const hasSource = !single || isSplit || operation?.output.keeps !== undefined;
  const page = hasSource ? sourcePage(result, index, isSplit) : undefined;
  const before = page === undefined ? undefined : sideOf(input, page);
  return { ...(before ? { before } : {}), ...(after ? { after } : {}) };
}

/** Returns the page of the input that a pair shows: of several outputs, the one with which each begins. */
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
