// Interprets the names of fields and files in the body of a POST, in all spellings that clients use.

/** Name of a field or file as it was sent: `pages[2]` is `{ name: "pages", index: 2 }`. */
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
  return { name: match[1], index: match[2] === "" ? Number.POSITIVE_INFINITY : Number(match[2]) };
}

/** Returns values by name, in the order of their index, or else of their arrival. */
export function grouped<T>(entries: readonly FormEntry<T>[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  // The sort is stable: entries without an index keep their order of arrival, after those that have one.
  for (const { name, value } of entries.toSorted((a, b) => (a.index === b.index ? 0 : a.index - b.index))) {
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/** Decodes RFC 2047 encoded words, which some clients use for file names. */
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
