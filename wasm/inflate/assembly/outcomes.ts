// Reasons why `run` returns. The numbers must match src/document/formats/deflate/inflate-kernel.ts.

export const NEEDS_INPUT: i32 = 0;
export const OUTPUT_IS_FULL: i32 = 1;
export const ENDED: i32 = 2;
export const DAMAGED: i32 = 3;
/** The stream is complete, but its checksum differs. */
export const CHECKSUM_DIFFERS: i32 = 4;
