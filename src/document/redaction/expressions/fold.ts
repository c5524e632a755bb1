// Folds spellings of the same text: ligatures, widths, composed accents, hyphens and white space (Unicode, UAX 15).
import { PlacedText } from "./placed-text.ts";

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
const CLUSTER = /\P{M}\p{M}{0,32}|\p{M}/suy;
/** Code units of texts that need no folding, but for repeated spaces; no mark (UAX 44) is below the second limit. */
const [FIRST_PLAIN, LAST_PLAIN, FIRST_MARK] = [0x20, 0x7e, 0x300];
const BLANK = 0x20;

export function fold(original: string): Folded {
  const folded = new PlacedText(original.length);
  let plainFrom = 0;
  let isSpace = false;
  for (let at = 0; at < original.length; ) {
    const code = original.charCodeAt(at);
    const isPlain = code >= FIRST_PLAIN && code <= LAST_PLAIN && !(original.charCodeAt(at + 1) >= FIRST_MARK);
    if (isPlain && !(isSpace && code === BLANK)) {
      isSpace = code === BLANK;
      at++;
      continue;
    }
    folded.addRun(original.slice(plainFrom, at), plainFrom);
    CLUSTER.lastIndex = at;
    const cluster = CLUSTER.exec(original)![0];
    if (SPACE.test(cluster)) {
      if (!isSpace) folded.add(" ", at);
    } else folded.add(foldedCluster(cluster), at);
    isSpace = SPACE.test(cluster);
    at += cluster.length;
    plainFrom = at;
  }
  folded.addRun(original.slice(plainFrom), plainFrom);
  const { text } = folded;
  folded.add("\0", original.length);
  return { text, places: folded.places };
}

const foldedCluster = (cluster: string): string =>
  HYPHEN.test(cluster) ? "-" : [...cluster.normalize("NFKC")].filter((one) => !IGNORED.test(one)).join("");
