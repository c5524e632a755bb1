// Tests the detection of encodings.
import { expect, test } from "vitest";
import { decodeText, encodingOf } from "../../../../../src/document/formats/text/decode.ts";

const RUSSIAN = "Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства.";

/** Encodes a text of the Cyrillic block in windows-1251, which Node decodes, but does not encode. */
const cyrillic = (text: string) =>
  Uint8Array.from(text, (letter) => {
    const code = letter.codePointAt(0)!;
    if (code < 0x80) return code;
    return letter === "ё" ? 0xb8 : code - 0x410 + 0xc0;
  });

test.each([
  ["UTF-8", Buffer.from("Grüße, 世界"), "Grüße, 世界"],
  ["UTF-8 with a byte order mark", Buffer.from("\ufeffGrüße"), "Grüße"],
  ["UTF-16 with a byte order mark", Buffer.from("\ufeffGrüße", "utf16le"), "Grüße"],
  ["UTF-16 without one", Buffer.from("Hello, world", "utf16le"), "Hello, world"],
  ["UTF-16BE without one", Buffer.from("Hello, world", "utf16le").swap16(), "Hello, world"],
  ["windows-1251", cyrillic(RUSSIAN), RUSSIAN],
  ["Shift_JIS", Buffer.from("82b182f182c982bf82cd90a28a458142".repeat(4), "hex"), "こんにちは世界。".repeat(4)],
  ["EUC-JP", Buffer.from("a4b3a4f3a4cba4c1a4cfc0a4b3a6a1a3".repeat(4), "hex"), "こんにちは世界。".repeat(4)],
  ["ISO-2022-JP", Buffer.from("\u001b$B$3$s$K$A$O\u001b(B\n", "latin1"), "こんにちは\n"],
  [
    "windows-1252",
    Buffer.from("Die Größe überrascht uns \x96 f\xfcr \x80 5", "latin1"),
    "Die Größe überrascht uns – für € 5",
  ],
])("%s", (_, bytes, text) => expect(decodeText(bytes)).toBe(text));

test("a declared encoding counts, unless a byte order mark contradicts", () => {
  expect(decodeText(Buffer.from("e4", "hex"), "koi8-r")).toBe("Д");
  expect(decodeText(Buffer.from("\ufeffä"), "koi8-r")).toBe("ä");
  expect(encodingOf(Buffer.from("a"), "no-encoding")).toBe("utf-8");
});
