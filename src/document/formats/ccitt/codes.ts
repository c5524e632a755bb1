// The codes of ITU-T T.4 (tables 2 and 3) and T.6 (table 1): white and black runs, and modes.

/** Terminating codes for runs of 0 to 63, then make-up codes for 64 to 1728 in steps of 64, as binary digits. */
const WHITE =
  "00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 " +
  "0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 " +
  "00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 " +
  "00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 " +
  "01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 " +
  "00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 011010100 " +
  "011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 " +
  "010011011";
const BLACK =
  "0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 " +
  "0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 " +
  "00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 " +
  "000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 " +
  "000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 " +
  "000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 " +
  "000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 0000001111 " +
  "000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 " +
  "0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 " +
  "0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 " +
  "0000001100100 0000001100101";
/** Make-up codes for 1792 to 2560 in steps of 64, for both colors. */
const LONG =
  "00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 " +
  "000000010111 000000011100 000000011101 000000011110 000000011111";
/** Mode codes of T.6, table 1. */
const PASS_CODE = "0001";
const HORIZONTAL_CODE = "001";
const VERTICAL_CODES: Readonly<Record<number, string>> = {
  [-3]: "0000010",
  [-2]: "000010",
  [-1]: "010",
  0: "1",
  1: "011",
  2: "000011",
  3: "0000011",
};

/** Length of the longest run code, in bits. */
export const RUN_BITS = 13;
export const MODE_BITS = 7;

/** A code to write. */
export interface Code {
  readonly value: number;
  readonly bits: number;
}

const codeOf = (text: string): Code => ({ value: Number.parseInt(text, 2), bits: text.length });
const listOf = (text: string) => text.split(" ").map(codeOf);

/** Codes by color, 0 white and 1 black: terminating codes for 0 to 63, and make-up codes for 64, 128 ... 2560. */
export const TERMINATING: readonly (readonly Code[])[] = [WHITE, BLACK].map((text) => listOf(text).slice(0, 64));
export const MAKE_UP: readonly (readonly Code[])[] = [WHITE, BLACK].map((text) => [
  ...listOf(text).slice(64),
  ...listOf(LONG),
]);
export const PASS: Code = codeOf(PASS_CODE);
export const HORIZONTAL: Code = codeOf(HORIZONTAL_CODE);
/** Codes of vertical modes, by distance + 3 (distances -3 to 3). */
export const VERTICAL: readonly Code[] = [-3, -2, -1, 0, 1, 2, 3].map((distance) => codeOf(VERTICAL_CODES[distance]!));

/** Numbers of the other modes. The number of a vertical mode is its distance + 3. */
export const PASS_MODE = 7;
export const HORIZONTAL_MODE = 8;

/** Indexed by color and by the next {@link RUN_BITS} bits: run << 4 | code length; 0 for an invalid code. */
export const RUN_TABLES: readonly Uint16Array[] = [0, 1].map((color) => {
  const table = new Uint16Array(2 ** RUN_BITS);
  TERMINATING[color]!.forEach((code, run) => {
    enter(table, RUN_BITS, code, run);
  });
  MAKE_UP[color]!.forEach((code, index) => {
    enter(table, RUN_BITS, code, (index + 1) * 64);
  });
  return table;
});

/** Indexed by the next {@link MODE_BITS} bits: mode << 4 | code length; 0 for an invalid code. */
export const MODE_TABLE: Uint16Array = (() => {
  const table = new Uint16Array(2 ** MODE_BITS);
  VERTICAL.forEach((code, mode) => {
    enter(table, MODE_BITS, code, mode);
  });
  enter(table, MODE_BITS, PASS, PASS_MODE);
  enter(table, MODE_BITS, HORIZONTAL, HORIZONTAL_MODE);
  return table;
})();

function enter(table: Uint16Array, tableBits: number, { value, bits }: Code, meaning: number): void {
  const first = value << (tableBits - bits);
  table.fill((meaning << 4) | bits, first, first + (1 << (tableBits - bits)));
}
