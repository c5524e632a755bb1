// Folds spellings of the same text: ligatures, widths, composed accents, hyphens and white space (Unicode, UAX 15).

/** A folded text, with the position in the original of each of its code units. */
export interface Folded {
  readonly text: string;
  /** Has one more element, the length of the original. */
  readonly places: Int32Array;
}

/** Zero-width characters, soft hyphens and characters that only direct the layout. */
const IGNORED =
  /\u034f|[\ufe00-\ufe0f]|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/u;
const SPACE = /[\s\p{Z}\p{Cc}]/u;
const HYPHEN = /[\u2010-\u2015\u2212\u2043\ufe58\ufe63\uff0d]/u;
const PLAIN = /^[\x21-\x7e]$/;

export function fold(original: string): Folded {
  const parts: string[] = [];
  const places: number[] = [];
  const add = (text: string, at: number) => {
    parts.push(text);
    for (let unit = 0; unit < text.length; unit++) places.push(at);
  };
  let isSpace = false;
  for (const { 0: cluster, index } of original.matchAll(/\P{M}\p{M}{0,32}|\p{M}/gsu)) {
    if (PLAIN.test(cluster)) add(cluster, index);
    else if (SPACE.test(cluster)) {
      if (!isSpace) add(" ", index);
    } else if (HYPHEN.test(cluster)) add("-", index);
    else add([...cluster.normalize("NFKC")].filter((one) => !IGNORED.test(one)).join(""), index);
    isSpace = SPACE.test(cluster);
  }
  places.push(original.length);
  return { text: parts.join(""), places: Int32Array.from(places) };
}
