// Names the installed fonts that have the characters of each script (Unicode Standard Annex 24). A font that lacks a
// character of a text leaves it to them.

/** Scripts of Noto Sans fonts, which are named after them. A star marks fonts that also have a bold style. */
const NOTO_SCRIPTS =
  "Adlam* Anatolian_Hieroglyphs Arabic* Armenian* Avestan Balinese* Bamum* Bassa_Vah Batak Bengali* Bhaiksuki Brahmi " +
  "Buginese Buhid Canadian_Aboriginal* Carian Caucasian_Albanian Chakma Cham* Cherokee* Coptic Cuneiform Cypriot " +
  "Deseret Devanagari* Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic* Georgian* Glagolitic Gothic Grantha " +
  "Gujarati* Gunjala_Gondi Gurmukhi* Hanifi_Rohingya* Hanunoo Hatran Hebrew* Imperial_Aramaic Inscriptional_Pahlavi " +
  "Inscriptional_Parthian Javanese* Kaithi Kannada* Kayah_Li* Kharoshthi Khmer* Khojki Khudawadi Lao* Lepcha Limbu " +
  "Linear_A Linear_B Lisu* Lycian Lydian Mahajani Malayalam* Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin* " +
  "Meetei_Mayek* Mende_Kikakui Miao Modi Mongolian Mro Multani Myanmar* Nabataean New_Tai_Lue Newa Nushu Ogham " +
  "Ol_Chiki* Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian " +
  "Old_Turkic Oriya* Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang " +
  "Runic Samaritan Saurashtra Sharada Shavian Siddham Sinhala* Sogdian Sora_Sompeng* Soyombo Sundanese* " +
  "Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham* Tai_Viet Takri Tamil* Telugu* Thaana* Thai* Tifinagh " +
  "Tirhuta Ugaritic Vai Wancho Warang_Citi Yi Zanabazar_Square";

/** Fonts of other names, regular and bold. */
const OTHER_FONTS: Readonly<Record<string, readonly string[]>> = {
  Nko: ["NotoSansNKo-Regular"],
  Ahom: ["NotoSerifAhom-Regular"],
  Dogra: ["NotoSerifDogra-Regular"],
  Tangut: ["NotoSerifTangut-Regular"],
  Tibetan: ["NotoSerifTibetan-Regular", "NotoSerifTibetan-Bold"],
  Latin: ["NotoSans-Regular", "NotoSans-Bold"],
  Greek: ["NotoSans-Regular", "NotoSans-Bold"],
  Cyrillic: ["NotoSans-Regular", "NotoSans-Bold"],
};
/** Fonts for text with serifs, if they differ. */
const SERIF_FONTS: Readonly<Record<string, readonly string[]>> = {
  Arabic: ["NotoNaskhArabic-Regular", "NotoNaskhArabic-Bold"],
  Latin: ["NotoSerif-Regular", "NotoSerif-Bold"],
  Greek: ["NotoSerif-Regular", "NotoSerif-Bold"],
  Cyrillic: ["NotoSerif-Regular", "NotoSerif-Bold"],
};
/** Scripts of the Noto CJK fonts. */
const ASIAN_SCRIPTS = ["Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"];
/** Symbols of no script, in the order of preference. */
const SYMBOL_FONTS = ["DejaVuSans", "NotoSansSymbols2-Regular", "NotoSansSymbols-Regular", "NotoSansMath-Regular"];

interface ScriptFonts {
  readonly name: string;
  readonly matches: RegExp;
  /** A regular and a bold font; none for the scripts of Noto CJK. */
  readonly files: readonly string[];
}

/** Created for the first text beyond ASCII, because so many expressions slow down the start of a process. */
const createScripts = (): readonly ScriptFonts[] =>
  [
    ...Object.entries(OTHER_FONTS).map(([name, files]) => ({ name, files })),
    ...NOTO_SCRIPTS.split(" ").map((entry) => {
      const name = entry.replace("*", "");
      const family = `NotoSans${name.replaceAll("_", "")}`;
      return { name, files: [`${family}-Regular`, ...(entry === name ? [] : [`${family}-Bold`])] };
    }),
    ...ASIAN_SCRIPTS.map((name) => ({ name, files: [] })),
  ].map((one) => ({ ...one, matches: new RegExp(`\\p{Script=${one.name}}`, "u") }));

let scripts: readonly ScriptFonts[] | undefined;

const scriptByCharacter = new Map<string, ScriptFonts | undefined>();
const KEPT_CHARACTERS = 10_000;

function scriptFontsOf(character: string): ScriptFonts | undefined {
  if (!scriptByCharacter.has(character)) {
    scripts ??= createScripts();
    if (scriptByCharacter.size >= KEPT_CHARACTERS) scriptByCharacter.clear();
    scriptByCharacter.set(
      character,
      scripts.find(({ matches }) => matches.test(character)),
    );
  }
  return scriptByCharacter.get(character);
}

/** Returns the script of the first character that has one, for example `Arabic`; undefined for spaces and symbols. */
export function scriptOf(text: string): string | undefined {
  for (const character of text) {
    const script = scriptFontsOf(character);
    if (script) return script.name;
  }
  return undefined;
}

/** A font file, or a member of a collection. */
export interface FaceFile {
  readonly face: string;
  readonly member?: number;
}

export interface FaceStyle {
  readonly isBold: boolean;
  readonly isSerif: boolean;
}

export interface FallbackStyle extends FaceStyle {
  /** Language of Han characters. */
  readonly language: AsianLanguage;
}

export type AsianLanguage = keyof typeof ASIAN_MEMBERS;

/** Returns fonts for a grapheme cluster, best first. */
export function fallbackFaces(cluster: string, style: FallbackStyle): readonly FaceFile[] {
  const script = scriptOf(cluster);
  const serif = style.isSerif && script ? SERIF_FONTS[script] : undefined;
  const [regular, bold] = serif ?? (script ? scriptFontsOf([...cluster].find((one) => scriptOf(one))!)!.files : []);
  const asian = asianFace(style);
  if (script && ASIAN_SCRIPTS.includes(script)) return [asian];
  const named = regular ? [{ face: style.isBold && bold ? bold : regular }] : [];
  // Full-width forms and brackets have no script.
  const isAsian = /[\u2e80-\u303f\u31c0-\u31ef\u3200-\u33ff\ufe30-\ufe4f\uff00-\uffef]/.test(cluster);
  return [
    ...named,
    ...(isAsian ? [asian] : []),
    ...SYMBOL_FONTS.map((face) => ({ face })),
    ...(isAsian ? [] : [asian]),
  ];
}

/** Members of the collections of Noto CJK. */
export const ASIAN_MEMBERS = { JP: 0, KR: 1, SC: 2, TC: 3 } as const;

function asianFace({ language, isBold, isSerif }: FallbackStyle): FaceFile {
  const face = `Noto${isSerif ? "Serif" : "Sans"}CJK-${isBold ? "Bold" : "Regular"}`;
  return { face, member: ASIAN_MEMBERS[language] };
}

/** Returns the language of the Han characters of a text. */
export function languageOf(text: string): AsianLanguage {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "JP";
  if (/\p{Script=Hangul}/u.test(text)) return "KR";
  return /\p{Script=Bopomofo}/u.test(text) ? "TC" : "SC";
}
