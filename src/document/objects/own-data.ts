// The service's own part of the private data in a catalog (PieceInfo; ISO 32000-1, 14.5): the records of previews of
// redactions. Operations that leave out the data of other programs carry it.
import type { PdfFile } from "./pdf-file.ts";
import { Dictionary, type Value } from "./values.ts";

/** The key of the first record. Those of further documents in a merge have a number behind it. */
export const OWN_DATA = "Pagewright";

export const isOwnData = (key: string): boolean => /^Pagewright\d*$/.test(key);

/** Returns the entries of private data that are ours. */
export function ownDataOf(file: PdfFile, data: Value | undefined): Dictionary {
  const own = new Dictionary();
  for (const [key, value] of file.dictionary(data) ?? []) if (isOwnData(key)) own.set(key, value);
  return own;
}
