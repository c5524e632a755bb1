// Tells whether an Office document is locked by a password, from its bytes alone: for LibreOffices that do not say.

import { readFile } from "node:fs/promises";

// [MS-CFB] 2.2: the signature of a compound file, and the size of its sectors in version 3.
const compoundFile = Buffer.from("d0cf11e0a1b11ae1", "hex");
const sectorBytes = 512;

/** A locked Office Open XML package is a compound file with a stream of this name ([MS-OFFCRYPTO] 2.3.4.4). */
const encryptedPackage = Buffer.from("EncryptedPackage", "utf16le");

/** [MS-PPT] 2.3.2, CurrentUserAtom: its size and the token that says the document is encrypted. */
const encryptedPresentation = Buffer.from("14000000dfc4d1f3", "hex");

/** [MS-XLS] 2.4.21, 2.4.117: the stream begins with BOF, in BIFF8 of 16 bytes; FilePass follows it or WriteProtect. */
const workbookBegin = Buffer.from("09081000", "hex");
const bofBytes = 20;
const writeProtect = 0x86;
const filePass = 0x2f;

/** [MS-DOC] 2.5.2: FibBase begins with wIdent; fEncrypted is bit 8 of the flags at offset 10. */
const wordIdentifier = 0xa5ec;

/** @param path of a whole document; formats other than those of Microsoft Office give `false` */
export async function isPasswordProtected(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  if (!bytes.subarray(0, compoundFile.length).equals(compoundFile)) return false;
  if (bytes.includes(encryptedPackage) || bytes.includes(encryptedPresentation)) return true;
  // Streams of 4096 bytes and more begin at a sector's start, and these two are never shorter.
  for (let at = sectorBytes; at + 32 <= bytes.length; at += sectorBytes) {
    if (isLockedWorkbook(bytes, at) || isLockedText(bytes, at)) return true;
  }
  return false;
}

function isLockedWorkbook(bytes: Buffer, at: number): boolean {
  if (!bytes.subarray(at, at + workbookBegin.length).equals(workbookBegin)) return false;
  const second = at + bofBytes;
  const record = bytes.readUInt16LE(second);
  if (record !== writeProtect) return record === filePass;
  return bytes.readUInt16LE(second + 4) === filePass;
}

function isLockedText(bytes: Buffer, at: number): boolean {
  return bytes.readUInt16LE(at) === wordIdentifier && (bytes.readUInt16LE(at + 10) & 0x100) !== 0;
}
