// Tables of glyphs of Helvetica. cspell:disable
/** Widths of Helvetica, for glyphs that are placed one by one. */
export const ADVANCE: Readonly<Record<string, number>> = Object.fromEntries([
  ...[..."0123456789#$_"].map((char) => [char, 556] as const),
  ...[..." .,:;/\\ftI!|'"].map((char) => [char, 278] as const),
  ...[..."rj()-"].map((char) => [char, char === "j" ? 222 : 333] as const),
  ...[..."il"].map((char) => [char, 222] as const),
  ...[..."ckszvxyJ"].map((char) => [char, 500] as const),
  ...[..."mM"].map((char) => [char, 833] as const),
]);
export const GLYPH_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "zero one two three four five six seven eight nine".split(" ").map((glyph, digit) => [String(digit), glyph]),
  ),
  ...{ " ": "space", ".": "period", "-": "hyphen", "@": "at", "+": "plus", "(": "parenleft", ")": "parenright" },
  ...{ ":": "colon", "/": "slash", "\\": "backslash", "?": "question", "=": "equal", ü: "udieresis", ö: "odieresis" },
  ß: "germandbls",
};
