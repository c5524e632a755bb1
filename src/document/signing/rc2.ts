// Decrypts RC2 (RFC 2268), with which old PKCS #12 files encrypt certificates, and which cryptographic libraries no
// longer contain.

const TABLE = Buffer.from(
  "d978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0b" +
    "f09521225c6b4e8254d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb6266fbf0eda4669075727f21d9bbc944303" +
    "f811c7f690ef3ee706c3d52fc8661ed708e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ecc2e0416e0f51cbcc" +
    "2491af50a1f47039997c3a8523b8b47afc02365b255597312d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9" +
    "0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad",
  "hex",
);
const BLOCK_BYTES = 8;
const KEY_BYTES = 128;
/** The number of bits by which each word of a block is rotated. */
const ROTATIONS = [1, 2, 3, 5] as const;
/** Rounds before, between and after those that mash the block. */
const ROUNDS = [5, 6, 5] as const;

/** Decrypts with the effective key length of the key, in the mode CBC. Keeps the padding. */
export function decryptRc2(key: Uint8Array, vector: Uint8Array, bytes: Uint8Array): Uint8Array {
  const words = expanded(key);
  const plain = Buffer.from(bytes);
  for (let at = 0; at + BLOCK_BYTES <= plain.length; at += BLOCK_BYTES) {
    decryptBlock(words, plain, at);
    const before = at === 0 ? vector : bytes.subarray(at - BLOCK_BYTES, at);
    for (let index = 0; index < BLOCK_BYTES; index++) plain[at + index]! ^= before[index]!;
  }
  return plain;
}

function expanded(key: Uint8Array): Uint16Array {
  const bytes = new Uint8Array(KEY_BYTES);
  bytes.set(key);
  for (let at = key.length; at < KEY_BYTES; at++) bytes[at] = TABLE[(bytes[at - 1]! + bytes[at - key.length]!) & 255]!;
  const last = KEY_BYTES - key.length;
  bytes[last] = TABLE[bytes[last]!]!;
  for (let at = last - 1; at >= 0; at--) bytes[at] = TABLE[bytes[at + 1]! ^ bytes[at + key.length]!]!;
  return Uint16Array.from({ length: KEY_BYTES / 2 }, (_, at) => bytes[2 * at]! + 256 * bytes[2 * at + 1]!);
}

function decryptBlock(key: Uint16Array, block: Buffer, at: number): void {
  const words = Uint16Array.from([0, 2, 4, 6], (offset) => block.readUInt16LE(at + offset));
  let next = key.length - 1;
  for (const [index, rounds] of ROUNDS.entries()) {
    for (let round = 0; round < rounds; round++) {
      for (let word = 3; word >= 0; word--) {
        const [one, two, three] = [words[(word + 3) & 3]!, words[(word + 2) & 3]!, words[(word + 1) & 3]!];
        const turned = (words[word]! >> ROTATIONS[word]!) | (words[word]! << (16 - ROTATIONS[word]!));
        words[word] = turned - key[next--]! - (one & two) - (~one & three);
      }
    }
    if (index === ROUNDS.length - 1) break;
    for (let word = 3; word >= 0; word--) words[word]! -= key[words[(word + 3) & 3]! & 63]!;
  }
  for (const [index, word] of words.entries()) block.writeUInt16LE(word, at + 2 * index);
}
