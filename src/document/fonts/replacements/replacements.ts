// Declares which installed family replaces a font that documents name. Engines follow the list: LibreOffice and Chromium
// through fontconfig (container/fonts/fontconfig.ts), PostScript through Ghostscript's map (container/fonts/fontmap.ts),
// PDFs without embedded fonts through src/document/pdfa/fonts/face-choice.ts. container/fonts/widths.json has the widths
// that it relies on.
import { FAMILIES, type FamilyName } from "./families.ts";

/**
 * The widths of the replacement: `equal`, as its files have them; `fitted`, because container/fonts makes a font with
 * the widths and the line height; `similar`, by design, and perhaps by the line height.
 */
export type WidthRelation = "equal" | "fitted" | "similar";

export interface Replacement {
  /** Names of the family, the usual English one first, then native names and names in PostScript. */
  readonly names: readonly [string, ...string[]];
  readonly family: FamilyName;
  readonly widths: WidthRelation;
  /** Faces of the family to use. @default all */
  readonly faces?: readonly [string, ...string[]];
  /** Ascent and descent of a line of the replaced font, in thousandths of the font size. */
  readonly lines?: Lines;
  /** True if `lines` are those of the font itself, to whose height Word adds three tenths. */
  readonly isTallerInWord?: true;
  /** Styles of a fitted family for which the widths of all letters, digits, period and comma are recorded. */
  readonly compared?: readonly number[];
  /** Files with the widths of characters that are not recorded, by style. */
  readonly widthsFrom?: readonly string[];
}

type Lines = readonly [ascent: number, descent: number];
type Options = Pick<Replacement, "faces" | "lines" | "isTallerInWord" | "compared" | "widthsFrom">;
type Names = string | Replacement["names"];

const named =
  (widths: WidthRelation) =>
  (names: Names, family: FamilyName, options: Options = {}) => ({
    ...{ names: typeof names === "string" ? ([names] as const) : names, family, widths },
    ...options,
  });
const equal = named("equal");
const fitted = named("fitted");
const similar = named("similar");
/**
 * Word adds three tenths to the height of Asian fonts; that of these fonts is the font size. With Noto's 1.45, lines of
 * 12 points would skip every second line of the usual grid of 15.6 points.
 */
const lined = (names: Names, family: FamilyName) => similar(names, family, { lines: [1009, 291] });

const LATIN: readonly Replacement[] = [
  equal(["Arial", "ArialMT", "Arial Unicode MS"], "Liberation Sans"),
  equal(["Times New Roman", "TimesNewRomanPSMT", "TimesNewRomanPS"], "Liberation Serif"),
  equal(["Courier New", "CourierNewPSMT", "CourierNewPS"], "Liberation Mono"),
  equal("Helvetica", "Nimbus Sans"),
  equal("Times", "Nimbus Roman"),
  equal("Courier", "Nimbus Mono PS"),
  equal("Calibri", "Carlito"),
  equal("Cambria", "Caladea"),
  equal(["Century Gothic", "CenturyGothic", "ITC Avant Garde Gothic", "AvantGarde"], "URW Gothic"),
  equal(["Book Antiqua", "Palatino"], "P052"),
  equal(["Century Schoolbook", "Century", "New Century Schoolbook"], "C059"),
  equal("Lucida Console", "DejaVu Sans Mono"),
  equal("Arial Narrow", "Liberation Sans Narrow"),
  // Wine's Tahoma has other typographic metrics than Tahoma, and its bold style has thin strokes.
  fitted("Tahoma", "Tahoma", {
    ...{ faces: ["tahoma", "DejaVuSans-Bold"], widthsFrom: ["tahoma", "tahomabd"] },
    ...{ lines: [1000, 207], compared: [0] },
  }),
  fitted("Georgia", "Gelasio", { lines: [917, 219] }),
  fitted("Verdana", "DejaVu Sans", { lines: [1005, 210], compared: [0, 1] }),
  fitted("Consolas", "DejaVu Sans Mono", { lines: [920, 251] }),
  fitted("Calibri Light", "Carlito", { lines: [952, 269] }),
  fitted("Aptos", "Carlito", { lines: [939, 282] }),
  fitted("Aptos Display", "Carlito", { lines: [939, 282] }),
  fitted("Aptos Narrow", "Liberation Sans Narrow", { lines: [939, 282] }),
  fitted("Segoe UI", "Noto Sans", { lines: [1079, 251], compared: [0] }),
  fitted("Segoe UI Light", "Noto Sans", { lines: [1079, 251] }),
  fitted("Segoe UI Semibold", "Noto Sans", { faces: ["NotoSans-Bold"], lines: [1079, 251] }),
  fitted("Trebuchet MS", "Noto Sans", { lines: [939, 222], compared: [0] }),
  fitted("Garamond", "Liberation Serif", { lines: [862, 263] }),
  fitted("Arial Black", "DejaVu Sans", { faces: ["DejaVuSans-Bold"], lines: [1101, 310] }),
  // fontconfig's generic families follow the fonts that browsers use for them.
  fitted(["Impact", "fantasy"], "Anton", { lines: [1009, 210] }),
  similar(["Comic Sans MS", "cursive"], "Comic Relief"),
  similar("Cambria Math", "Caladea"),
  similar("Palatino Linotype", "P052"),
  similar(["Bookman Old Style", "Bookman", "ITC Bookman"], "URW Bookman"),
  similar("Lucida Sans Typewriter", "DejaVu Sans Mono"),
  similar(["Candara", "Corbel", "Gill Sans MT", "Segoe UI Historic"], "Carlito"),
  similar(["Lucida Sans", "Lucida Sans Unicode", "Lucida Grande"], "DejaVu Sans"),
  similar(["Perpetua", "Constantia", "Baskerville Old Face", "Goudy Old Style"], "Liberation Serif"),
  similar(["Franklin Gothic Medium", "Franklin Gothic Book", "Trebuchet"], "Noto Sans"),
  similar(["Monotype Corsiva", "ITC Zapf Chancery", "Zapf Chancery", "Apple Chancery"], "Z003"),
  similar(["Zapf Dingbats", "ITC Zapf Dingbats", "Dingbats"], "D050000L"),
];

const JAPANESE: readonly Replacement[] = [
  lined(
    [
      ...(["MS Gothic", "ＭＳ ゴシック", "MS PGothic", "ＭＳ Ｐゴシック", "MS UI Gothic", "HGｺﾞｼｯｸM"] as const),
      ...["HGPｺﾞｼｯｸM", "HGSｺﾞｼｯｸM", "HG丸ｺﾞｼｯｸM-PRO", "HGｺﾞｼｯｸE", "HGPｺﾞｼｯｸE", "HGSｺﾞｼｯｸE"],
      ...["HG創英角ｺﾞｼｯｸUB", "HGP創英角ｺﾞｼｯｸUB", "HGS創英角ｺﾞｼｯｸUB"],
    ],
    "Noto Sans CJK JP",
  ),
  similar(
    [
      ...(["Meiryo", "メイリオ", "Meiryo UI", "Yu Gothic", "游ゴシック", "Yu Gothic Light"] as const),
      ...[
        "游ゴシック Light",
        "Yu Gothic Medium",
        "游ゴシック Medium",
        "Yu Gothic UI",
        "ヒラギノ角ゴ Pro W3",
        "ヒラギノ角ゴ ProN W3",
      ],
      ...["Hiragino Kaku Gothic Pro", "Hiragino Sans", "Osaka"],
    ],
    "Noto Sans CJK JP",
  ),
  lined(
    [
      ...(["MS Mincho", "ＭＳ 明朝", "MS PMincho", "ＭＳ Ｐ明朝", "HG明朝B", "HGP明朝B"] as const),
      ...["HGS明朝B", "HG明朝E", "HGP明朝E", "HGS明朝E", "HG教科書体", "HGP教科書体"],
      ...["HGS教科書体", "HG正楷書体-PRO"],
    ],
    "Noto Serif CJK JP",
  ),
  similar(
    [
      ...(["Yu Mincho", "游明朝", "Yu Mincho Light", "游明朝 Light", "Yu Mincho Demibold", "游明朝 Demibold"] as const),
      ...["ヒラギノ明朝 Pro W3", "ヒラギノ明朝 ProN W3", "Hiragino Mincho Pro", "Hiragino Mincho ProN"],
    ],
    "Noto Serif CJK JP",
  ),
];

const CHINESE: readonly Replacement[] = [
  lined(
    [
      ...(["SimSun", "宋体", "NSimSun", "新宋体", "SimSun-ExtB", "FangSong"] as const),
      ...["仿宋", "FangSong_GB2312", "仿宋_GB2312", "KaiTi", "楷体", "KaiTi_GB2312"],
      ...["楷体_GB2312", "STSong", "华文宋体", "STZhongsong", "华文中宋", "STFangsong"],
      ...["华文仿宋", "STKaiti", "华文楷体", "方正小标宋简体", "方正小标宋_GBK", "方正仿宋_GBK"],
      ...["方正书宋简体", "FZXiaoBiaoSong-B05S"],
    ],
    "Noto Serif CJK SC",
  ),
  similar(["Songti SC"], "Noto Serif CJK SC"),
  lined(
    [
      ...(["SimHei", "黑体", "DengXian", "等线", "DengXian Light", "等线 Light"] as const),
      ...["STXihei", "华文细黑", "STHeiti", "华文黑体", "YouYuan", "幼圆"],
      ...["LiSu", "隶书", "方正黑体_GBK", "方正黑体简体"],
    ],
    "Noto Sans CJK SC",
  ),
  similar(
    ["Microsoft YaHei", "微软雅黑", "Microsoft YaHei UI", "Microsoft YaHei Light", "微软雅黑 Light"],
    "Noto Sans CJK SC",
    { lines: [1058, 262], isTallerInWord: true },
  ),
  similar(["Heiti SC", "PingFang SC"], "Noto Sans CJK SC"),
  lined(
    [
      ...(["MingLiU", "細明體", "PMingLiU", "新細明體", "MingLiU_HKSCS", "細明體_HKSCS"] as const),
      ...["MingLiU-ExtB", "細明體-ExtB", "PMingLiU-ExtB", "新細明體-ExtB", "DFKai-SB", "標楷體"],
      ...["BiauKai"],
    ],
    "Noto Serif CJK TC",
  ),
  similar(["Songti TC"], "Noto Serif CJK TC"),
  similar(
    [
      ...([
        "Microsoft JhengHei",
        "微軟正黑體",
        "Microsoft JhengHei UI",
        "Microsoft JhengHei Light",
        "微軟正黑體 Light",
        "Heiti TC",
      ] as const),
      ...["PingFang TC", "PingFang HK"],
    ],
    "Noto Sans CJK TC",
  ),
];

const KOREAN: readonly Replacement[] = [
  lined(
    [
      ...(["Batang", "바탕", "BatangChe", "바탕체", "Gungsuh", "궁서"] as const),
      ...["GungsuhChe", "궁서체", "HYMyeongJo", "HY신명조", "HY견명조"],
    ],
    "Noto Serif CJK KR",
  ),
  similar(
    [...(["HCR Batang", "함초롬바탕", "Nanum Myeongjo", "나눔명조", "AppleMyungjo"] as const)],
    "Noto Serif CJK KR",
  ),
  lined(
    [
      ...(["Gulim", "굴림", "GulimChe", "굴림체", "Dotum", "돋움"] as const),
      ...["DotumChe", "돋움체", "New Gulim", "새굴림", "HY견고딕", "HY중고딕"],
      ...["HY헤드라인M"],
    ],
    "Noto Sans CJK KR",
  ),
  similar(["Malgun Gothic", "맑은 고딕", "Malgun Gothic Semilight", "맑은 고딕 Semilight"], "Noto Sans CJK KR", {
    lines: [1088, 242],
    isTallerInWord: true,
  }),
  similar(
    [...(["HCR Dotum", "함초롬돋움"] as const), ...["NanumGothic", "나눔고딕", "Apple SD Gothic Neo"]],
    "Noto Sans CJK KR",
  ),
];

export const REPLACEMENTS: readonly Replacement[] = [...LATIN, ...JAPANESE, ...CHINESE, ...KOREAN];

/** Fonts of Apple's systems, which pages name before those of Windows, and which browsers on Windows lack. */
export const OF_APPLE = /^(?:Lucida Grande|Osaka|Hiragino|ヒラギノ|PingFang|Heiti|Songti|Apple)/;

/** Styles in the order of a family's faces. */
export const STYLES = ["Regular", "Bold", "Italic", "Bold Italic"] as const;

/** Returns the name of the family that replaces the font: an installed one, or the one that container/fonts makes. */
export const familyOf = ({ names: [name], family, widths, lines }: Replacement): string =>
  widths === "fitted" || lines ? `Fit ${name}` : family;

/** Returns the name of the family that replaces the font in Asian text of Word documents. */
export const wordFamilyOf = (replacement: Replacement): string => `${familyOf(replacement)} Word`;

/** Returns the lines of Asian text in Word, which adds half of the three tenths above and half below. */
export function wordLinesOf({ lines }: Replacement): Lines {
  const [ascent, descent] = lines!;
  const half = 0.15 * (ascent + descent);
  return [Math.round(ascent + half), Math.round(descent + half)];
}

/** Returns the names of the installed files without extension, from which a fitted family is made, by style. */
export const sourcesOf = ({ faces, family }: Replacement): readonly string[] => faces ?? FAMILIES[family].faces;

/** Returns the names of the files without extension, by style. */
export function filesOf(replacement: Replacement): readonly string[] {
  const sources = sourcesOf(replacement);
  if (replacement.widths !== "fitted") return sources;
  return sources.map((_, style) => `${familyOf(replacement)}-${STYLES[style]}`.replaceAll(" ", ""));
}
