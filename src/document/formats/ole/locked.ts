// Detects password-protected Office documents from their bytes.

/** [MS-CFB] 2.2: the signature of a compound file, and the sector size of version 3. */
const COMPOUND_FILE = Buffer.from("d0cf11e0a1b11ae1", "hex");
const SECTOR_BYTES = 512;

/** Name of the stream in which a password-protected Office Open XML package is stored ([MS-OFFCRYPTO] 2.3.4.4). */
const ENCRYPTED_PACKAGE = Buffer.from("EncryptedPackage", "utf16le");

/** [MS-PPT] 2.3.2, CurrentUserAtom: its size, and the token for an encrypted document. */
const ENCRYPTED_PRESENTATION = Buffer.from("14000000dfc4d1f3", "hex");

/**
 * [MS-XLS] 2.4.21, 2.4.117: the stream starts with BOF, 16 bytes in BIFF8, then FilePass, possibly after WriteProtect.
 */
const WORKBOOK_BEGIN = Buffer.from("09081000", "hex");
const BOF_BYTES = 20;
const WRITE_PROTECT = 0x86;
const FILE_PASS = 0x2f;

/** [MS-DOC] 2.5.2: FibBase starts with wIdent; fEncrypted is bit 8 of the flags at offset 10. */
const WORD_IDENTIFIER = 0xa5ec;

/**
 * @param document in chunks of any size
 * @returns false for formats other than Microsoft Office
 */
export async function isPasswordProtected(document: AsyncIterable<Uint8Array>): Promise<boolean> {
  // The last bytes of the previous chunk, from the start of a sector, which are checked again with the next chunk.
  let last: Uint8Array | undefined;
  for await (const piece of document) {
    const bytes = last ? Buffer.concat([last, piece]) : Buffer.from(piece);
    if (!last && !bytes.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)) return false;
    if (bytes.includes(ENCRYPTED_PACKAGE) || bytes.includes(ENCRYPTED_PRESENTATION)) return true;
    // Streams of at least 4096 bytes start at a sector boundary. The streams of workbooks and of Word text are always
    // that long.
    for (let at = 0; at + 32 <= bytes.length; at += SECTOR_BYTES) {
      if (isLockedWorkbook(bytes, at) || isLockedText(bytes, at)) return true;
    }
    last = bytes.subarray(Math.max(0, Math.floor(bytes.length / SECTOR_BYTES) - 1) * SECTOR_BYTES);
  }
  return false;
}

function isLockedWorkbook(bytes: Buffer, at: number): boolean {
  if (!bytes.subarray(at, at + WORKBOOK_BEGIN.length).equals(WORKBOOK_BEGIN)) return false;
  const second = at + BOF_BYTES;
  const record = bytes.readUInt16LE(second);
  if (record !== WRITE_PROTECT) return record === FILE_PASS;
  return bytes.readUInt16LE(second + 4) === FILE_PASS;
}

function isLockedText(bytes: Buffer, at: number): boolean {
  return bytes.readUInt16LE(at) === WORD_IDENTIFIER && (bytes.readUInt16LE(at + 10) & 0x100) !== 0;
}
