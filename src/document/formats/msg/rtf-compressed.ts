// Decompresses the RTF of Outlook items ([MS-OXRTFCP]).

import { LIMITS } from "../../contract/limits.ts";

const COMPRESSED = 0x75465a4c;
const STORED = 0x414c454d;
const HEADER_BYTES = 16;
const DICTIONARY_BYTES = 4096;
/** First bytes of the dictionary (2.1.2.1). */
const BEGIN =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript " +
  "\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par " +
  "\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/** Returns the RTF as bytes; undefined for damaged data, and for more than the limit. */
export function decompressRtf(data: Buffer): Buffer | undefined {
  if (data.length < HEADER_BYTES) return undefined;
  const rawBytes = data.readUInt32LE(4);
  const kind = data.readUInt32LE(8);
  if (kind === STORED) return data.subarray(HEADER_BYTES, HEADER_BYTES + rawBytes);
  if (kind !== COMPRESSED || rawBytes > LIMITS.mailRtfBytes) return undefined;
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  let writeAt = dictionary.write(BEGIN, "latin1");
  const out = Buffer.alloc(rawBytes);
  let length = 0;
  const put = (byte: number) => {
    if (length < rawBytes) out[length++] = byte;
    dictionary[writeAt] = byte;
    writeAt = (writeAt + 1) % DICTIONARY_BYTES;
  };
  let at = HEADER_BYTES;
  while (at < data.length && length < rawBytes) {
    const control = data[at++]!;
    for (let bit = 0; bit < 8 && at < data.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(data[at++]!);
        continue;
      }
      if (at + 1 >= data.length) return out.subarray(0, length);
      const token = data.readUInt16BE(at);
      at += 2;
      const from = token >> 4;
      // A reference to the place of writing is the end.
      if (from === writeAt) return out.subarray(0, length);
      for (let count = (token & 15) + 2, index = 0; index < count; index++) {
        put(dictionary[(from + index) % DICTIONARY_BYTES]!);
      }
    }
  }
  return out.subarray(0, length);
}
