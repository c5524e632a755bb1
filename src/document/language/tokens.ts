// Estimates the tokens of a text, because each model counts in its own way.

/** A token of English has about 4 bytes, one of Chinese about 3: the estimate is rather too high. */
const TOKEN_BYTES = 3;

/** Returns the largest size of a text with so many tokens, in bytes of UTF-8. */
export const bytesOf = (tokens: number): number => TOKEN_BYTES * tokens;

/** Returns the estimated number of tokens of a text: a third of its bytes in UTF-8. */
export const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
