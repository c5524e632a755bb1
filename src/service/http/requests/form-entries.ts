// Parses the names of fields and files in the body of a POST. Supports all spellings that clients use, for example
// `pages[2]`.

/** Parsed name of a field or file: `pages[2]` becomes `{ name: "pages", index: 2 }`. */
export interface FormKey {
  readonly name: string;
  readonly index: number;
}

export interface FormEntry<T> extends FormKey {
  readonly value: T;
}

export function parseName(spelling: string): FormKey {
  const match = /^([^[\]]+)\[(\d{0,6})\]$/.exec(spelling);
  if (!match) return { name: spelling, index: Number.POSITIVE_INFINITY };
  return { name: match[1]!, index: match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]) };
}

/**
 * Groups values by name. The values with an index come first, in the order of the index; then other values in order of
 * arrival.
 */
export function grouped<T>(entries: readonly FormEntry<T>[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  // Entries without an index have an infinite index. They keep their order of arrival, because the sort is stable.
  for (const { name, value } of entries.toSorted((a, b) => (a.index === b.index ? 0 : a.index - b.index))) {
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** Decodes the encoded words of RFC 2047, in which some clients send file names. */
export function decodeEncodedWords(text: string): string {
  return text.replace(/=\?([\w-]+)\?([BQ])\?([^?]*)\?=/gi, (whole, charset: string, encoding: string, data: string) => {
    try {
      const binary =
        encoding.toUpperCase() === "B"
          ? atob(data)
          : data
              .replaceAll("_", " ")
              .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      return new TextDecoder(charset).decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
    } catch {
      return whole;
    }
  });
}

const PARAMETER = /;\s*([\w*-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g;
const EXTENDED = /^"?([\w-]+)'[^']*'((?:%[\da-f]{2}|[\w!#$&+.^`|~-])+)"?\s*$/i;

/**
 * Returns a Content-Disposition with a single file name: `filename*` (RFC 6266, 4.3), or `filename` if `filename*` is
 * missing or malformed (RFC 8187, 3.2.1). Some clients send both in a form, although RFC 7578, 4.2, forbids
 * `filename*`.
 */
export function withOneFileName(disposition: string): string {
  const parameters = [...disposition.matchAll(PARAMETER)].map(([whole, name = "", value = ""]) => ({
    whole,
    name,
    value,
  }));
  const called = (wanted: string) => parameters.find(({ name }) => name.toLowerCase() === wanted);
  const extended = decodeExtended(called("filename*")?.value ?? "");
  const plain = called("filename")?.whole;
  if (extended === undefined && plain === undefined) return disposition;
  const others = parameters.filter(({ name }) => !/^filename\*?$/i.test(name)).map(({ whole }) => whole);
  const name = extended === undefined ? plain : `; filename*=utf-8''${encodeURIComponent(extended)}`;
  return disposition.slice(0, disposition.indexOf(";")) + others.join("") + name;
}

/** @returns undefined if the value is malformed, or its character encoding is unknown */
function decodeExtended(value: string): string | undefined {
  const [, charset, text = ""] = EXTENDED.exec(value) ?? [];
  if (charset === undefined) return undefined;
  try {
    const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: false });
    return decoder.decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
