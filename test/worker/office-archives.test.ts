// Checks archives of Office documents inside workerd, whose zlib checks a size limit only in steps.
import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { soundnessOf } from "../../src/document/formats/zip/soundness.ts";

const SIZES = [1, 9000, 41_000, 52_767, 67_521, 77_036, 91_436, 168_468, 350_745, 700_000, 3_000_000];

/** Returns a document with a part of the given size, which is compressed to about a tenth. */
const archiveOf = (size: number): Uint8Array => {
  const text = Uint8Array.from({ length: size }, (_, at) => 97 + ((at * at) % 7) + (at % 97 === 0 ? at % 11 : 0));
  const types = new TextEncoder().encode("<Types/>");
  return zipSync({ "[Content_Types].xml": types, "word/document.xml": text }, { level: 6 });
};

test("a document is sound, whatever the sizes of its parts, and damaged if a part is larger than it says", () => {
  for (const size of SIZES) {
    const archive = archiveOf(size);
    expect([size, soundnessOf(archive)]).toEqual([size, "sound"]);
    const directory = Buffer.from(archive).lastIndexOf("PK\x01\x02", undefined, "latin1");
    new DataView(archive.buffer, archive.byteOffset).setUint32(directory + 24, size - 1, true);
    expect([size, soundnessOf(archive)]).toEqual([size, "damaged"]);
  }
});
