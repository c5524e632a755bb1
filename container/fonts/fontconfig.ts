// Writes fontconfig's configuration for all engines: the folders of fonts, the replacements, and Debian's rules, except
// those that replace unknown fonts by dingbats or by chancery letters.
import { readdirSync } from "node:fs";
import { familyOf, REPLACEMENTS, type Replacement } from "../../src/document/fonts/replacements/replacements.ts";
import { SYSTEM_FONTS } from "./system-fonts.ts";

const RULES = "/etc/fonts/conf.d";
/**
 * Rules that are left out: those of users and of the machine; those that replace every decorative font by D050000L or
 * Z003; OpenSymbol as Symbol.
 */
const LEFT_OUT = /^(50-user|51-local|61-urw-d050000l|61-urw-z003|30-opensymbol)\.conf$/;
/** Debian's replacements of fonts, which come first: rules that follow have precedence over them. */
const DEBIAN_REPLACEMENTS = "30-metric-aliases.conf";
/** Debian's Caladea, which lacks the widths of Cambria, and the collections that make-fonts.ts has copied. */
const REJECTED = [`${SYSTEM_FONTS}/truetype/crosextra/Caladea*`, `${SYSTEM_FONTS}/opentype/noto/Noto*CJK-*.ttc`];

/**
 * Words in names of fonts that are neither installed nor replaced, and the kind of font that they mean. LibreOffice
 * calls every font of a text document a serif font unless the document calls it a sans-serif one.
 */
const KINDS: readonly (readonly [string, readonly string[]])[] = [
  ["sans-serif", ["Sans", "Gothic", "Grotesk", "Grotesque"]],
  ["monospace", [" Mono", " Code", "Console", "Courier", "Typewriter"]],
];

export function fontconfigRules(): string {
  const rules = readdirSync(RULES)
    .filter((name) => /^\d.*\.conf$/.test(name) && !LEFT_OUT.test(name))
    .sort();
  const include = (names: readonly string[]) =>
    names.map((name) => `  <include ignore_missing="yes">${RULES}/${name}</include>`);
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    "<fontconfig>",
    ...[`  <dir>${SYSTEM_FONTS}</dir>`, "  <dir>/usr/local/share/fonts</dir>", '  <dir prefix="relative">.</dir>'],
    ...["  <cachedir>/var/cache/fontconfig</cachedir>", '  <cachedir prefix="xdg">fontconfig</cachedir>'],
    ...REJECTED.map((glob) => `  <selectfont><rejectfont><glob>${glob}</glob></rejectfont></selectfont>`),
    ...include(rules.filter((name) => name <= DEBIAN_REPLACEMENTS)),
    ...KINDS.flatMap(([kind, words]) => words.map((word) => kindRule(word, kind))),
    ...REPLACEMENTS.flatMap(alias),
    ...include(rules.filter((name) => name > DEBIAN_REPLACEMENTS)),
    "</fontconfig>",
    "",
  ].join("\n");
}

/** A font of the requested name has precedence, for example one that a document embeds. */
function alias(replacement: Replacement): string[] {
  const family = familyOf(replacement);
  return replacement.names
    .filter((name) => name !== family)
    .map(
      (name) => `  <alias binding="same"><family>${name}</family><accept><family>${family}</family></accept></alias>`,
    );
}

/** A rule that names the kind of font directly behind the name; a rule that follows has precedence. */
const kindRule = (word: string, kind: string) =>
  `  <match><test name="family" qual="first" compare="contains"><string>${word}</string></test><edit name="family" mode="append" binding="same"><string>${kind}</string></edit></match>`;
