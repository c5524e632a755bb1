// Huffman tables of a baseline JPEG (ITU-T T.81 annex C).

/** A Huffman table as in the DHT marker. */
interface HuffmanTable {
  /** Number of codes of each length from 1 to 16 (BITS). */
  readonly lengths: Uint8Array;
  /** Symbols by ascending code (HUFFVAL). */
  readonly symbols: Uint8Array;
}

/** Tables of DC and AC luminance, then of DC and AC chrominance. */
export type HuffmanTables = readonly [HuffmanTable, HuffmanTable, HuffmanTable, HuffmanTable];

const hex = (digits: string) => Uint8Array.from(digits.match(/../g)!, (byte) => Number.parseInt(byte, 16));

/** Parses a table from hexadecimal digits. */
function table(lengths: string, ...symbols: readonly string[]): HuffmanTable {
  return { lengths: hex(lengths), symbols: hex(symbols.join("")) };
}

// The tables of T.81 annex K were derived from a few photographs. The tables below were derived from rendered pages,
// photographs and scans, with the constraint that no image, not even noise, grows by more than 4 % compared with annex
// K. Pages shrink by 3 to 24 %, photographs by up to 14 %. Every symbol of baseline JPEG has a code, so that any image
// can be coded. The code for a run of 16 zeros is short, because three such codes, a coefficient and the end of the
// block must fit in the kernel's 63 bits.

/** Tables for the qualities 50 to 85 with 4:2:0. */
const COARSE: HuffmanTables = [
  table("01000105010101010100000000000000", "000301020405060708090a0b"),
  table(
    "00010303020304040508100d0609064f",
    "010002030405111221061331072241511432617115238191f008164252a1b1d1d217333536535455567273929394b2b3c11824343757",
    "6274758295a2d3e14396a3b4d4f1093863657683a4c2e22526646684a50a191a2728292a393a4445464748494a58595a6768696a7778",
    "797a85868788898a9798999aa6a7a8a9aab5b6b7b8b9bac3c4c5c6c7c8c9cad5d6d7d8d9dae3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
  table("01000301010101010101010000000000", "000102030405060708090a0b"),
  table(
    "0002020102040205070707040501026f",
    "000102112103310412415122610513327181145291a1b1d1f00615333442c1e1071623356272f1538292b2175473a2c2d2244308090a",
    "18191a25262728292a363738393a4445464748494a55565758595a636465666768696a7475767778797a838485868788898a93949596",
    "9798999aa3a4a5a6a7a8a9aab3b4b5b6b7b8b9bac3c4c5c6c7c8c9cad3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
];

/** Tables for the qualities 92 to 100 with 4:4:4. */
const FINE: HuffmanTables = [
  table("01000103050101000000000000000000", "000301020405060708090a0b"),
  table(
    "0002010303020403030503071914064b",
    "01020300041105122106070813314109225114326115237181f00a42911617243352a1b118191a38395556575859627692959697b4b5",
    "c1d1d2d3d4d5e1253435374353547274757778939498b3b6b7d6f136738299b2d7262728292a3a4445464748494a5a63646566676869",
    "6a797a838485868788898a9aa2a3a4a5a6a7a8a9aab8b9bac2c3c4c5c6c7c8c9cad8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
  table("01000202030101010100000000000000", "000102030405060708090a0b"),
  table(
    "00020103020304030707110d0b09034d",
    "00010203112104310512410613516107227114328191a1b1f00815234252c1d1091618193536375354727392b2b3d2e1f11733343855",
    "62747593a2b4d3d424567677829495a3b5b6d64357638396a4c2d5e22544640a1a262728292a393a45464748494a58595a6566676869",
    "6a78797a8485868788898a9798999aa5a6a7a8a9aab7b8b9bac3c4c5c6c7c8c9cad7d8d9dae3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
];

/**
 * Quality from which the FINE tables give smaller files, because quantizers are small and chrominance is usually not
 * subsampled.
 */
const FINE_QUALITY = 90;

/** @param quality 1 to 100 */
export const huffmanTablesOf = (quality: number): HuffmanTables => (quality < FINE_QUALITY ? COARSE : FINE);
