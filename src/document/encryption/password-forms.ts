// Prepares passwords for the standard security handler. Since revision 5, a password is UTF-8 after SASLprep (ISO
// 32000-2, 7.6.4.3.3; RFC 4013); earlier revisions use PDFDocEncoding (ISO 32000-1, 7.6.3.3).

/** The revision of the security handler from which passwords are UTF-8. */
const FIRST_UTF_8_REVISION = 5;
/** Characters that SASLprep removes (RFC 3454, table B.1). */
const REMOVED = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|[\u200b-\u200d]|\u2060|[\ufe00-\ufe0f]|\ufeff/g;
/** Spaces that SASLprep replaces (RFC 3454, table C.1.2). */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
/** Control characters, and halves of surrogate pairs, which no password can contain (RFC 3454, tables C.2 and C.5). */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029\u206a-\u206f\ufff9-\ufffd]/u;

/** Applies SASLprep. Characters that Unicode 3.2 lacks, such as most emoji, stay unchanged. */
export const prepared = (password: string): string =>
  password.replace(REMOVED, "").replace(SPACES, " ").normalize("NFKC");

/** Reports whether a document can get this password. */
export const isAllowed = (password: string): boolean => !FORBIDDEN.test(password);

/**
 * Returns the forms of a password that other programs might have used, best first, as text for the engine. The engine
 * encodes it in PDFDocEncoding before revision 5, and in UTF-8 from then on.
 */
export function formsOf(password: string, revision: number): readonly string[] {
  // The engine reads a text up to the first NUL.
  if (password.includes("\0")) return [];
  const texts = [...new Set([prepared(password), password])];
  if (revision >= FIRST_UTF_8_REVISION) return texts;
  return [...new Set([...texts.filter(isInPdfDocEncoding), ...texts.map(spelledBytes)])];
}

/** The characters of PDFDocEncoding whose codes differ from Latin-1, by code (ISO 32000-1, annex D.3). */
const SPECIAL: ReadonlyMap<number, string> = new Map([
  ...[..."\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc"].map((text, index) => [0x18 + index, text] as const),
  ...[
    ...("\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d\u2018\u2019\u201a" +
      "\u2122\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161\u017e"),
  ].map((text, index) => [0x80 + index, text] as const),
  [0xa0, "\u20ac"],
]);
const SPECIAL_TEXTS: ReadonlySet<string> = new Set(SPECIAL.values());

/** The engine's PDFDocEncoding contains Latin-1 characters for the three codes without a character, too. */
const isLatin = (code: number): boolean => code <= 0xff && !SPECIAL.has(code);

const isInPdfDocEncoding = (text: string): boolean =>
  [...text].every((character) => SPECIAL_TEXTS.has(character) || isLatin(character.codePointAt(0)!));

/** Returns the text whose PDFDocEncoding equals the UTF-8 bytes of a password: many programs use UTF-8 in all revisions. */
const spelledBytes = (password: string): string =>
  [...new TextEncoder().encode(password)].map((byte) => SPECIAL.get(byte) ?? String.fromCharCode(byte)).join("");
