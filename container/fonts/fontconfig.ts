// Writes fontconfig's configurations, one for Chromium and one for other engines: the folders of fonts, the
// replacements, and Debian's rules, except those that replace unknown fonts by dingbats or by chancery letters.
import { readdirSync } from "node:fs";
import { spellingsOf } from "../../src/document/fonts/replacements/font-names.ts";
import {
  familyOf,
  OF_APPLE,
  REPLACEMENTS,
  type Replacement,
} from "../../src/document/fonts/replacements/replacements.ts";
import { SYMBOL_FONTS } from "../../src/document/fonts/replacements/symbols.ts";
import { OFFICE_RULES, SYSTEM_FONTS, WEB_CACHE, WEB_RULES } from "./system-fonts.ts";

const RULES = "/etc/fonts/conf.d";
/**
 * Rules that are left out: those of users and of the machine; those that replace every decorative font by D050000L or
 * Z003; OpenSymbol as Symbol.
 */
const LEFT_OUT = /^(50-user|51-local|61-urw-d050000l|61-urw-z003|30-opensymbol)\.conf$/;
/** Debian's replacements of fonts, which come first: rules that follow have precedence over them. */
const DEBIAN_REPLACEMENTS = "30-metric-aliases.conf";
/** Type 1 fonts, which LibreOffice and Chromium no longer draw, and which hide the OpenType fonts of the same names. */
const TYPE_1 =
  '<selectfont><rejectfont><pattern><patelt name="fontformat"><string>Type 1</string></patelt></pattern></rejectfont></selectfont>';
/** Fonts of the deployment (deployed-fonts.ts), and of a request, in the home of its process (added-fonts.ts). */
const ADDED = ['<dir prefix="xdg">fonts</dir>', "<dir>~/.fonts</dir>"];
const CACHES = ["<cachedir>/var/cache/fontconfig</cachedir>", '<cachedir prefix="xdg">fontconfig</cachedir>'];
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

/** Properties of fontconfig by the bits of a style: bold is 1, italic is 2. */
const STYLE_EDITS = [[], ["weight", "bold"], ["slant", "italic"]] as const;

/** Configuration of one kind of engine. Its file is in the folder of the made fonts. */
export interface FontRules {
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the configurations. Most engines follow the aliases. Chromium rejects an alias, unless it knows the fonts as
 * metric-compatible: it requires the requested name to be one of the found font's. For Chromium, the fonts therefore
 * have the names of the fonts that they replace, too, and a cache of their own, because caches contain names.
 */
export const fontconfigRules = (): readonly FontRules[] => [
  { file: OFFICE_RULES, text: rulesWith(CACHES, officeRules()) },
  { file: WEB_RULES, text: rulesWith([`<cachedir>${WEB_CACHE}</cachedir>`], renamed()) },
];

const officeRules = (): string[] => [
  ...KINDS.flatMap(([kind, words]) => words.map((word) => kindRule(word, kind))),
  ...REPLACEMENTS.flatMap(spellings),
  ...REPLACEMENTS.flatMap(aliases),
  ...SYMBOL_FONTS.flatMap(({ names: [family, ...others] }) => others.map((name) => alias(name, family))),
];

function rulesWith(caches: readonly string[], replacements: readonly string[]): string {
  const rules = readdirSync(RULES)
    .filter((name) => /^\d.*\.conf$/.test(name) && !LEFT_OUT.test(name))
    .sort();
  const include = (names: readonly string[]) =>
    names.map((name) => `<include ignore_missing="yes">${RULES}/${name}</include>`);
  const lines = [
    ...[`<dir>${SYSTEM_FONTS}</dir>`, "<dir>/usr/local/share/fonts</dir>", '<dir prefix="relative">.</dir>'],
    ...ADDED,
    ...caches,
    ...REJECTED.map((glob) => `<selectfont><rejectfont><glob>${glob}</glob></rejectfont></selectfont>`),
    TYPE_1,
    ...include(rules.filter((name) => name <= DEBIAN_REPLACEMENTS)),
    ...replacements,
    ...include(rules.filter((name) => name > DEBIAN_REPLACEMENTS)),
  ];
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    "<fontconfig>",
    ...lines.map((line) => `  ${line}`),
    "</fontconfig>",
    "",
  ].join("\n");
}

/** A font of the requested name has precedence, for example one that a document embeds. */
function aliases(replacement: Replacement): string[] {
  const family = familyOf(replacement);
  return replacement.names.filter((name) => name !== family).map((name) => alias(name, family));
}

const alias = (name: string, family: string): string =>
  `<alias binding="same"><family>${name}</family><accept><family>${family}</family></accept></alias>`;

/** Names the kind of font directly behind the name. Rules that follow have precedence. */
const kindRule = (word: string, kind: string): string =>
  `<match><test name="family" qual="first" compare="contains"><string>${word}</string></test><edit name="family" mode="append" binding="same"><string>${kind}</string></edit></match>`;

/** Other spellings of a name lead to the name, whose alias follows, and to the style that they contain. */
const spellings = ({ names }: Replacement): string[] => {
  const known = new Set(names.map(folded));
  return names.flatMap((name) =>
    spellingsOf(name)
      .filter((one) => !known.has(folded(one.name)))
      .map((one) => {
        known.add(folded(one.name));
        return styledAlias(one, name);
      }),
  );
};

/** fontconfig ignores case. */
const folded = (name: string): string => name.toLowerCase();

function styledAlias({ name, style }: { readonly name: string; readonly style: number }, family: string): string {
  if (style === 0) return alias(name, family);
  const edits = [1, 2].filter((bit) => (style & bit) !== 0).map((bit) => STYLE_EDITS[bit]!);
  const styled = edits.map(([property, value]) => `<edit name="${property}"><const>${value}</const></edit>`).join("");
  const added = `<edit name="family" mode="append" binding="same"><string>${family}</string></edit>`;
  return `<match><test name="family"><string>${name}</string></test>${added}${styled}</match>`;
}

/**
 * Adds the names of replaced fonts to the replacing ones. Their version 0 puts them behind an installed font of the same
 * name.
 */
function renamed(): string[] {
  const names = new Map<string, Set<string>>();
  for (const replacement of REPLACEMENTS) {
    const family = familyOf(replacement);
    const all = replacement.names
      .filter((name) => !OF_APPLE.test(name))
      .flatMap((name) => [name, name.normalize("NFKC")]);
    names.set(family, new Set([...(names.get(family) ?? []), ...all.filter((name) => name !== family)]));
  }
  return [...names].map(([family, others]) => {
    const added = [...others].map((name) => `<edit name="family" mode="append_last"><string>${name}</string></edit>`);
    const version = '<edit name="fontversion"><int>0</int></edit>';
    return `<match target="scan"><test name="family"><string>${family}</string></test>${added.join("")}${version}</match>`;
  });
}
