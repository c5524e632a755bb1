// Huffman tables of a baseline JPEG (ITU-T T.81 annex C). Knows neither pixels nor markers.

/** A Huffman table as the marker DHT carries it. */
export interface HuffmanTable {
  /** How many codes there are of each length from 1 to 16 (BITS). */
  readonly lengths: Uint8Array;
  /** Symbols by growing code (HUFFVAL). */
  readonly symbols: Uint8Array;
}

/** DC and AC for luminance, then DC and AC for chrominance. */
export type HuffmanTables = readonly [HuffmanTable, HuffmanTable, HuffmanTable, HuffmanTable];

const hex = (digits: string) => Uint8Array.from(digits.match(/../g)!, (byte) => Number.parseInt(byte, 16));

/** In hexadecimal digits. */
function table(lengths: string, ...symbols: readonly string[]): HuffmanTable {
  return { lengths: hex(lengths), symbols: hex(symbols.join("")) };
}

// Not the tables of T.81 annex K, which were made for photographs of 1990: these are optimal for a mixture of rendered pages,
// photographs, scans and, lest grain costs much, noise, each picture weighing the same. Text becomes 8 to 15 % smaller,
// photographs 3 to 12 %, noise at most 3 % larger. All symbols of baseline JPEG have codes, so any picture can be coded.

/** Made at the qualities 50 to 85, with 4:2:0. */
const COARSE: HuffmanTables = [
  table("01000105010101010100000000000000", "000301020405060708090a0b"),
  table(
    "000103030203040307090e0c0907064f",
    "01000203040511122106133107224151143261152342718191f00816527292a1b1d1d2173336535455566273829394b2c12434353743",
    "747595a2b3d3e1185796a3a4b4c2e2f1093863657683d425266684a5f20a191a2728292a393a4445464748494a58595a646768696a77",
    "78797a85868788898a9798999aa6a7a8a9aab5b6b7b8b9bac3c4c5c6c7c8c9cad5d6d7d8d9dae3e4e5e6e7e8e9eaf3f4f5f6f7f8f9fa",
  ),
  table("01000301010101010101010000000000", "000102030405060708090a0b"),
  table(
    "00020201020304070406040604030171",
    "00010211210331124151046171f00513228191a1b132c1d1e11433344252f1061535720716235362b25473829217a2c2d208090a1819",
    "1a2425262728292a363738393a434445464748494a55565758595a636465666768696a7475767778797a838485868788898a93949596",
    "9798999aa3a4a5a6a7a8a9aab3b4b5b6b7b8b9bac3c4c5c6c7c8c9cad3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
];

/** Made at the qualities 92 to 98, with 4:4:4. */
const FINE: HuffmanTables = [
  table("01000007010101010000000000000000", "000203040506070809010a0b"),
  table(
    "00000503020203040a0e1e110b06082f",
    "00010203040506070811121309142115222331162432333441435161f00a171825424452535463718191d31935385556575862647273",
    "747682929394959697a1b1b3b4b5c1d1d2d4d51a3637394559757778838498a2a3b2b6e126658599a4a5b7c2d6d7e33a79a7c3c5e227",
    "6886c4e4e5f1f228292a464748494a5a6667696a7a8788898a9aa6a8a9aab8b9bac6c7c8c9cad8d9dae6e7e8e9eaf3f4f5f6f7f8f9fa",
  ),
  table("01000105010101010100000000000000", "000401020305060708090a0b"),
  table(
    "0100020103010403050b120f03070355",
    "000102030405111206132131074151142261719108151632527281a1b1d1f009182333343536385354739293b2b3b4c1d21719374255",
    "5662747594a2a3d3d4e12482a443636483c2e2f12595b50a1a262728292a393a4445464748494a5758595a65666768696a767778797a",
    "8485868788898a969798999aa5a6a7a8a9aab6b7b8b9bac3c4c5c6c7c8c9cad5d6d7d8d9dae3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
];

/** From here on the other tables fit better: quantisers are fine, and colour is usually not subsampled. */
const FINE_QUALITY = 90;

/** @param quality 1 to 100 */
export const huffmanTablesOf = (quality: number): HuffmanTables => (quality < FINE_QUALITY ? COARSE : FINE);
