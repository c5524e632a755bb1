// Finds the installed font for the name that a client sends, such as `Arial`, `timesnewromanbold` or `SimSun`.
// cspell:ignore lato notoserif opensans robotomono sansserif sylfaen
import { FAMILIES, type FamilyName } from "../fonts/replacements/families.ts";
import { replacementOf, symbolFontOf } from "../fonts/replacements/font-names.ts";
import { filesOf } from "../fonts/replacements/replacements.ts";
import { symbolFileOf } from "../fonts/replacements/symbols.ts";
import { ASIAN_MEMBERS, type AsianLanguage, type FaceFile, type FaceStyle } from "./scripts.ts";

export interface RequestedFont extends FaceStyle {
  readonly file: FaceFile;
  /** Name of the family that replaces the named one, with its style. @default the named one is installed */
  readonly replacedBy?: string;
}

/** Further names of the service's font list, of generic families, and of fonts that clients often name. */
const FURTHER_NAMES: ReadonlyMap<string, FamilyName | "Courier" | "Comic Sans MS" | "Trebuchet MS"> = new Map([
  ["andalemono", "DejaVu Sans Mono"],
  ["cantarell", "Noto Sans"],
  ["comicsans", "Comic Sans MS"],
  ["courierstd", "Courier"],
  ["dejavu", "DejaVu Sans Mono"],
  ["lato", "Carlito"],
  ["monospace", "Liberation Mono"],
  ["notoserif", "DejaVu Serif"],
  ["opensans", "Noto Sans"],
  ["roboto", "Noto Sans"],
  ["robotomono", "DejaVu Sans Mono"],
  ["sansserif", "Liberation Sans"],
  ["serif", "Liberation Serif"],
  // It has Armenian and Georgian letters, too.
  ["sylfaen", "DejaVu Serif"],
  ["trebuchet", "Trebuchet MS"],
]);
/** Matches styles at the end of a name. */
const STYLE = /(?:[\s,_-]*(?:regular|normal|roman|bold|italic|oblique|mt))+$/i;
/** Names of styles after a family, by `BOLD` and `ITALIC`. */
const STYLE_SUFFIXES = ["", " Bold", " Italic", " Bold Italic"];
const BOLD = 1;
const ITALIC = 2;

const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, "");
const familiesByName = new Map(Object.keys(FAMILIES).map((name) => [plain(name), name as FamilyName]));

/** @returns undefined for an unknown name */
export function requestedFont(name: string): RequestedFont | undefined {
  const [suffix = ""] = STYLE.exec(name) ?? [];
  const stem = plain(name.slice(0, name.length - suffix.length));
  const style = (/bold/i.test(suffix) ? BOLD : 0) + (/italic|oblique/i.test(suffix) ? ITALIC : 0);
  const symbols = symbolFontOf(name);
  if (symbols) return { file: { face: symbolFileOf(symbols) }, isBold: false, isSerif: false };
  const listed = FURTHER_NAMES.get(stem) ?? name;
  const replacement = replacementOf(listed);
  if (replacement) return fontOf(filesOf(replacement), replacement.family, style, stem);
  const family = familiesByName.get(plain(listed)) ?? familiesByName.get(stem);
  return family && fontOf(FAMILIES[family].faces, family, style, stem);
}

function fontOf(faces: readonly string[], family: FamilyName, style: number, stem: string): RequestedFont {
  const found = [style, style & BOLD].find((one) => faces[one] !== undefined) ?? 0;
  const language = /CJK (JP|KR|SC|TC)$/.exec(family)?.[1] as AsianLanguage | undefined;
  return {
    file: { face: faces[found]!, ...(language ? { member: ASIAN_MEMBERS[language] } : {}) },
    isBold: (style & BOLD) !== 0,
    isSerif: FAMILIES[family].kind === "serif",
    ...(plain(family).startsWith(stem) ? {} : { replacedBy: family + STYLE_SUFFIXES[found] }),
  };
}
