// Divides a paragraph into items: stretches with one font, one script and one direction.
import bidiFactory from "bidi-js";
import { type Choice, clustersOf, type EmojiPicture, type FontShelf, type ShelfFont } from "./font-shelf.ts";
import type { RequestedFont } from "./requested-font.ts";
import { scriptOf } from "./scripts.ts";

/** Indices are UTF-16 units of the paragraph. */
export interface Item {
  readonly start: number;
  end: number;
  readonly content: { readonly font: ShelfFont } | { readonly picture: EmojiPicture };
  /** Embedding level; odd for text from right to left (Unicode Standard Annex 9). */
  readonly level: number;
}

export interface Paragraph {
  readonly text: string;
  /** Level of the whole paragraph: 1 if it runs from right to left. */
  readonly level: number;
  readonly items: readonly Item[];
  /** Start of each grapheme cluster. */
  readonly clusters: readonly number[];
  /** False if no font has all characters of a cluster. */
  readonly isComplete: boolean;
}

let bidi: ReturnType<typeof bidiFactory> | undefined;
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * @param isRightToLeft direction of the paragraph. @default the direction of its first letter
 * @returns undefined if no font is installed
 */
export async function itemize(
  text: string,
  shelf: FontShelf,
  font: RequestedFont,
  isRightToLeft?: boolean,
): Promise<Paragraph | undefined> {
  const clusters = clustersOf(text);
  const choices = await shelf.choose(clusters, font);
  if (!choices) return undefined;
  const { levels, base } = levelsOf(text, isRightToLeft);
  const items: Item[] = [];
  const starts: number[] = [];
  let [at, script]: [number, string | undefined] = [0, undefined];
  clusters.forEach((cluster, index) => {
    const choice = choices[index]!;
    const own = scriptOf(cluster);
    const last = items.at(-1);
    const isSame = last && "font" in choice && "font" in last.content && last.content.font === choice.font;
    if (isSame && last.level === levels(at) && (!own || !script || own === script)) last.end = at + cluster.length;
    else {
      items.push({ start: at, end: at + cluster.length, content: contentOf(choice), level: levels(at) });
      script = undefined;
    }
    script ??= own;
    starts.push(at);
    at += cluster.length;
  });
  const isComplete = choices.every((choice) => "picture" in choice || choice.isComplete);
  return { text, level: base, items, clusters: starts, isComplete };
}

const contentOf = (choice: Choice): Item["content"] =>
  "font" in choice ? { font: choice.font } : { picture: choice.picture };

function levelsOf(text: string, isRightToLeft: boolean | undefined) {
  if (!isRightToLeft && !RIGHT_TO_LEFT.test(text)) return { levels: () => 0, base: 0 };
  const direction = isRightToLeft === undefined ? undefined : isRightToLeft ? "rtl" : "ltr";
  bidi ??= bidiFactory();
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, direction);
  return { levels: (at: number) => levels[at]!, base: paragraphs[0]?.level ?? 0 };
}
