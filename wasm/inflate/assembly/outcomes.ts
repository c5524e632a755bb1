// What the reader stops for; formats/deflate/inflate-kernel.ts has the same numbers.

export const NEEDS_INPUT: i32 = 0;
export const OUTPUT_IS_FULL: i32 = 1;
export const ENDED: i32 = 2;
export const DAMAGED: i32 = 3;
/** The end is there, and the checksum is another. */
export const CHECKSUM_DIFFERS: i32 = 4;
