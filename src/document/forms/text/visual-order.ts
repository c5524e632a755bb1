// Sorts the characters of a line into visual order, from left to right: a subset of the bidirectional algorithm
// (Unicode Standard Annex 9) without embeddings, which field values do not contain.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const LEFT_TO_RIGHT = /\p{L}/u;
const DIGIT = /\p{Nd}/u;
const MIRRORED = new Map([..."()[]{}<>«»"].map((one, index, all) => [one, all[index ^ 1]!]));

type Direction = "right" | "left" | undefined;

/** @param characters code points or grapheme clusters of a line. @returns them, reordered */
export function visualOrder(characters: readonly string[]): readonly string[] {
  if (!characters.some((character) => RIGHT_TO_LEFT.test(character))) return characters;
  const strong = characters.map(directionOf);
  const base = strong.find((direction) => direction !== undefined) ?? "left";
  const directions = resolveDirections(characters, strong, base);
  const runs: { readonly direction: Direction; readonly characters: string[] }[] = [];
  characters.forEach((character, index) => {
    const last = runs.at(-1);
    if (last?.direction === directions[index]) last!.characters.push(character);
    else runs.push({ direction: directions[index], characters: [character] });
  });
  const ordered = runs.map(({ direction, characters }) =>
    direction === "right" ? characters.reverse().map((one) => MIRRORED.get(one) ?? one) : characters,
  );
  return (base === "right" ? ordered.reverse() : ordered).flat();
}

function directionOf(character: string): Direction {
  if (DIGIT.test(character)) return undefined;
  if (RIGHT_TO_LEFT.test(character)) return "right";
  return LEFT_TO_RIGHT.test(character) ? "left" : undefined;
}

/**
 * Returns a direction for every character. Numbers run left to right; neutral characters have the direction of their
 * neighbors.
 */
function resolveDirections(
  characters: readonly string[],
  strong: readonly Direction[],
  base: "left" | "right",
): Direction[] {
  const directions = [...strong];
  for (let from = 0; from < characters.length; from++) {
    if (directions[from] !== undefined) continue;
    let to = from;
    while (to < characters.length && strong[to] === undefined) to++;
    const before = strong[from - 1] ?? base;
    const between = before === (strong[to] ?? base) ? before : base;
    for (let at = from; at < to; at++) {
      const isInNumber =
        DIGIT.test(characters[at]!) ||
        (/[.,:/]/.test(characters[at]!) &&
          DIGIT.test(characters[at - 1] ?? "") &&
          DIGIT.test(characters[at + 1] ?? ""));
      directions[at] = isInNumber ? "left" : between;
    }
    from = to - 1;
  }
  return directions;
}
