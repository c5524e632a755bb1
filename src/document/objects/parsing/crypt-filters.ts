// Chooses the decryption of a stream that is encrypted differently from most others (ISO 32000-1, 7.4.10 and 7.6.5): a
// stream with its own crypt filter, an embedded file, or unencrypted metadata.

import type { PdfFile } from "../pdf-file.ts";
import { Dictionary, Name, type PdfObject, Reference, type Value } from "../values.ts";
import { isBoundary } from "./lexer.ts";

/** The first version of encryption with crypt filters. */
const FILTERS_VERSION = 4;
/** The filter name that marks a stream with its own crypt filter. */
const FILTER = "/Crypt";
/** The methods of crypt filters. */
const METHODS: ReadonlySet<string | undefined> = new Set(["V2", "AESV2", "AESV3"]);
/** The crypt filter that leaves data unchanged. */
export const IDENTITY = "Identity";

export interface CryptFilters {
  /** Name of the crypt filter of embedded files. @default the crypt filter of other streams */
  readonly embedded?: string;
  /** Object numbers of embedded files: many lack the Type that would identify them. */
  readonly embeddedNumbers: ReadonlySet<number>;
  readonly hasClearMetadata: boolean;
}

/** A decryption that MuPDF would not choose. */
export interface Decryption {
  /** The crypt filter to apply first. @default the one among the stream's own filters */
  readonly name?: string;
  /** Number of the stream's own filters to apply, up to and including the crypt filter. */
  readonly ownFilters: number;
}

/**
 * @param encrypt the encryption dictionary
 * @param size upper bound of object numbers, exclusive
 * @param load reads an object; called only if embedded files are encrypted differently from other streams
 * @returns undefined if the document has no crypt filters
 */
export function cryptFiltersOf(
  encrypt: Dictionary,
  size: number,
  load: (number: number) => PdfObject,
): CryptFilters | undefined {
  const version = encrypt.get("V");
  if (typeof version !== "number" || version < FILTERS_VERSION) return undefined;
  const [embedded, other] = [encrypt.get("EFF"), encrypt.get("StmF")].map((value) =>
    value instanceof Name ? value.text : undefined,
  );
  const hasClearMetadata = encrypt.get("EncryptMetadata") === false;
  if (embedded === undefined || embedded === (other ?? IDENTITY))
    return { embeddedNumbers: new Set(), hasClearMetadata };
  return { embedded, embeddedNumbers: embeddedFiles(size, load), hasClearMetadata };
}

/**
 * Reports whether an encryption dictionary names only algorithms that the engine knows (ISO 32000-2, tables 20 and 25).
 * The engine returns data with an unknown algorithm as they are.
 */
export function hasKnownAlgorithms(
  encrypt: Dictionary,
  file: Pick<PdfFile, "number" | "name" | "dictionary">,
): boolean {
  const { V = 0, R = 0 } = { V: file.number(encrypt.get("V")), R: file.number(encrypt.get("R")) };
  if (V < FILTERS_VERSION) return (V === 1 || V === 2) && R < FILTERS_VERSION;
  const filters = file.dictionary(encrypt.get("CF"));
  const isKnown = (key: string) => {
    const name = encrypt.has(key) ? file.name(encrypt.get(key)) : IDENTITY;
    if (name === undefined || name === IDENTITY) return name !== undefined;
    return METHODS.has(file.name(file.dictionary(filters?.get(name))?.get("CFM")));
  };
  return R >= FILTERS_VERSION && ["StmF", "StrF", "EFF"].every(isKnown);
}

/** Returns the object numbers of the streams in file specifications (7.11.4). */
function embeddedFiles(size: number, load: (number: number) => PdfObject): Set<number> {
  const numbers = new Set<number>();
  for (let number = 1; number < size; number++) {
    const open: (PdfObject | undefined)[] = [load(number)];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (Array.isArray(one)) for (const element of one) open.push(element);
      if (!(one instanceof Dictionary)) continue;
      const files = one.get("EF");
      for (const file of files instanceof Dictionary ? files.values() : []) {
        if (file instanceof Reference) numbers.add(file.number);
      }
      for (const value of one.values()) open.push(value);
    }
  }
  return numbers;
}

/** @returns undefined if MuPDF chooses the right decryption */
export function decryptionOf(number: number, dictionary: Dictionary, filters: CryptFilters): Decryption | undefined {
  const own = cryptIndex(dictionary);
  if (own >= 0) return { ownFilters: own + 1 };
  if (filters.hasClearMetadata && isMetadata(dictionary)) return { name: IDENTITY, ownFilters: 0 };
  const type = dictionary.get("Type");
  const isEmbedded = (type instanceof Name && type.text === "EmbeddedFile") || filters.embeddedNumbers.has(number);
  return isEmbedded && filters.embedded !== undefined ? { name: filters.embedded, ownFilters: 0 } : undefined;
}

/** Returns the name of the crypt filter that a decryption uses. */
export function filterNameOf(dictionary: Dictionary, { name, ownFilters }: Decryption): string {
  if (name !== undefined) return name;
  const params = dictionary.get("DecodeParms");
  const parameters = Array.isArray(params) ? params[ownFilters - 1] : params;
  const own = parameters instanceof Dictionary ? parameters.get("Name") : undefined;
  return own instanceof Name ? own.text : IDENTITY;
}

export function isMetadata(dictionary: Dictionary): boolean {
  const type = dictionary.get("Type");
  return type instanceof Name && type.text === "Metadata";
}

/**
 * Removes from the dictionary the filters that the decryption applies. Without a decryption, removes only the crypt
 * filter.
 */
export function withoutApplied(dictionary: Dictionary, decryption: Decryption | undefined): void {
  const index = cryptIndex(dictionary);
  if (index < 0) return;
  const isKept = (position: number) => (decryption ? position >= decryption.ownFilters : position !== index);
  for (const key of ["Filter", "DecodeParms"]) {
    const value = dictionary.get(key);
    if (Array.isArray(value))
      dictionary.set(
        key,
        value.filter((_, position) => isKept(position)),
      );
    else dictionary.delete(key);
  }
}

/** @returns -1 without a crypt filter */
function cryptIndex(dictionary: Dictionary): number {
  const filter: Value = dictionary.get("Filter") ?? null;
  return (Array.isArray(filter) ? filter : [filter]).findIndex((one) => one instanceof Name && one.text === "Crypt");
}

/**
 * Reports whether a stream of the file might have a crypt filter. A search of the bytes suffices, because stream
 * dictionaries are never compressed.
 */
export function namesCryptFilter(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = file.indexOf(FILTER); at >= 0; at = file.indexOf(FILTER, at + FILTER.length)) {
    if (isBoundary(file[at + FILTER.length])) return true;
  }
  return false;
}
