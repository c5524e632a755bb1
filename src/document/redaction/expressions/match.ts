// Terms that the expressions share.

/** Range of UTF-16 code units in a text. */
export interface Match {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Returns the matches in a text that {@link fold} returned, in their order. */
export type Find = (text: string) => Match[];

/** @param isValid checks what a pattern cannot express; @default every match is valid */
export const matching =
  (pattern: RegExp, isValid: (found: RegExpExecArray, text: string) => boolean = () => true): Find =>
  (text) =>
    [...text.matchAll(pattern)].flatMap((found) =>
      isValid(found, text) ? [{ start: found.index, end: found.index + found[0].length }] : [],
    );

/**
 * Finds numbers whose groups of digits can stand beside those of other numbers, as in tables. From each group on, the
 * longest valid text counts.
 * @param first pattern of the first group
 * @param next sticky pattern of each other group, with what separates it
 * @param end sticky pattern at the end of a number
 * @param size maximum number of groups
 */
export const amongGroups =
  (
    [first, next, end]: readonly [first: RegExp, next: RegExp, end: RegExp],
    size: number,
    isValid: (found: string, start: number, text: string) => boolean,
  ): Find =>
  (text) =>
    [...text.matchAll(first)].flatMap(({ index: start, 0: head }) => {
      const ends: number[] = [];
      for (let at = start + head.length, groups = 1; groups <= size; groups++) {
        end.lastIndex = at;
        if (end.test(text)) ends.unshift(at);
        next.lastIndex = at;
        const group = next.exec(text);
        if (!group) break;
        at += group[0].length;
      }
      const longest = ends.find((at) => isValid(text.slice(start, at), start, text));
      return longest === undefined ? [] : [{ start, end: longest }];
    });

/** Reports whether other digits stand beside a range of a text. */
export const isAmongDigits = (text: string, start: number, end: number): boolean =>
  /\p{N} $/u.test(text.slice(Math.max(0, start - 3), start)) || /^ \p{N}/u.test(text.slice(end, end + 3));

/** Reports whether one of the words precedes a position, at a distance of a few words. */
export const follows = (words: RegExp, text: string, at: number): boolean =>
  words.test(text.slice(Math.max(0, at - 40), at));
