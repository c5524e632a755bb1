// Declares the installed font families that replace others: their files, where they come from, and their licenses.

export interface FontFamily {
  /** Names of the files without extension: regular, bold, italic, bold italic; or only the first ones. */
  readonly faces: readonly [string, ...string[]];
  readonly kind: "sans" | "serif" | "fixed" | "symbols";
  readonly source: string;
  /** SPDX expression. */
  readonly license: string;
  /** Height of a line with its gap, in thousandths of the font size; for families that replace others as they are. */
  readonly lineHeight?: number;
}

const styled = (name: string, regular = "Regular", italic = "Italic"): FontFamily["faces"] => [
  `${name}${regular && `-${regular}`}`,
  `${name}-Bold`,
  `${name}-${italic}`,
  `${name}-Bold${italic}`,
];
const urw = (kind: FontFamily["kind"], ...faces: FontFamily["faces"]): FontFamily => ({
  ...{ faces, kind },
  ...{ source: "Debian fonts-urw-base35", license: "AGPL-3.0-only", lineHeight: 1200 },
});
const dejavu = (kind: FontFamily["kind"], ...faces: FontFamily["faces"]): FontFamily => ({
  ...{ faces, kind },
  ...{ source: "Debian fonts-dejavu-core, fonts-dejavu-extra", license: "Bitstream-Vera", lineHeight: 1164 },
});
const liberation = (kind: FontFamily["kind"], name: string, lineHeight: number): FontFamily => ({
  ...{ faces: styled(name), kind, lineHeight },
  ...{ source: "Debian fonts-liberation2", license: "OFL-1.1" },
});
const cjk = (kind: "sans" | "serif"): FontFamily => {
  const name = kind === "sans" ? "NotoSansCJK" : "NotoSerifCJK";
  const lineHeight = kind === "sans" ? 1448 : 1437;
  return {
    faces: [`${name}-Regular`, `${name}-Bold`],
    kind,
    lineHeight,
    source: "Debian fonts-noto-cjk",
    license: "OFL-1.1",
  };
};

/** Families by the name that fontconfig knows. */
export const FAMILIES = {
  "Nimbus Sans": urw("sans", ...styled("NimbusSans")),
  "Nimbus Roman": urw("serif", ...styled("NimbusRoman")),
  "Nimbus Mono PS": urw("fixed", ...styled("NimbusMonoPS")),
  P052: urw("serif", ...styled("P052", "Roman")),
  "URW Bookman": urw(
    "serif",
    ...(["URWBookman-Light", "URWBookman-Demi", "URWBookman-LightItalic", "URWBookman-DemiItalic"] as const),
  ),
  C059: urw("serif", "C059-Roman", "C059-Bold", "C059-Italic", "C059-BdIta"),
  "URW Gothic": urw(
    "sans",
    ...(["URWGothic-Book", "URWGothic-Demi", "URWGothic-BookOblique", "URWGothic-DemiOblique"] as const),
  ),
  Z003: urw("serif", "Z003-MediumItalic"),
  D050000L: { ...urw("symbols", "D050000L"), lineHeight: 1350 },
  "Standard Symbols PS": { ...urw("symbols", "StandardSymbolsPS"), lineHeight: 1000 },
  "Liberation Sans": liberation("sans", "LiberationSans", 1150),
  "Liberation Serif": liberation("serif", "LiberationSerif", 1149),
  "Liberation Mono": liberation("fixed", "LiberationMono", 1133),
  "Liberation Sans Narrow": {
    ...liberation("sans", "LiberationSansNarrow", 1148),
    ...{ source: "Debian fonts-liberation", license: "GPL-2.0-only WITH Font-exception-2.0" },
  },
  "DejaVu Sans": dejavu("sans", ...styled("DejaVuSans", "", "Oblique")),
  "DejaVu Serif": dejavu("serif", ...styled("DejaVuSerif", "")),
  "DejaVu Sans Mono": dejavu("fixed", ...styled("DejaVuSansMono", "", "Oblique")),
  "Noto Sans": {
    faces: styled("NotoSans"),
    kind: "sans",
    lineHeight: 1362,
    source: "Debian fonts-noto-core",
    license: "OFL-1.1",
  },
  "Noto Sans CJK JP": cjk("sans"),
  "Noto Sans CJK KR": cjk("sans"),
  "Noto Sans CJK SC": cjk("sans"),
  "Noto Sans CJK TC": cjk("sans"),
  "Noto Serif CJK JP": cjk("serif"),
  "Noto Serif CJK KR": cjk("serif"),
  "Noto Serif CJK SC": cjk("serif"),
  "Noto Serif CJK TC": cjk("serif"),
  Carlito: {
    faces: styled("Carlito"),
    kind: "sans",
    lineHeight: 1221,
    source: "Debian fonts-crosextra-carlito",
    license: "OFL-1.1",
  },
  // Debian's newer Caladea has other widths than Cambria.
  Caladea: {
    faces: styled("Caladea"),
    kind: "serif",
    lineHeight: 1172,
    source: "PyPI font-caladea",
    license: "Apache-2.0",
  },
  Tahoma: { faces: ["tahoma", "tahomabd"], kind: "sans", source: "Debian fonts-wine", license: "LGPL-2.1-or-later" },
  Gelasio: {
    faces: ["Gelasio_400Regular", "Gelasio_700Bold", "Gelasio_400Regular_Italic", "Gelasio_700Bold_Italic"],
    kind: "serif",
    source: "npm @expo-google-fonts/gelasio",
    license: "OFL-1.1",
  },
  "Comic Relief": {
    faces: ["ComicRelief_400Regular", "ComicRelief_700Bold"],
    lineHeight: 1395,
    kind: "sans",
    source: "npm @expo-google-fonts/comic-relief",
    license: "OFL-1.1",
  },
  Anton: {
    faces: ["Anton_400Regular"],
    kind: "sans",
    source: "npm @expo-google-fonts/anton",
    license: "OFL-1.1",
  },
} as const satisfies Readonly<Record<string, FontFamily>>;

export type FamilyName = keyof typeof FAMILIES;
