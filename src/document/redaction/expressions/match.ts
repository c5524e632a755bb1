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

/** Reports whether one of the words precedes a position, at a distance of a few words. */
export const follows = (words: RegExp, text: string, at: number): boolean =>
  words.test(text.slice(Math.max(0, at - 40), at));
