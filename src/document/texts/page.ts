// Makes the HTML page in which a text is printed: its paper, its fonts and its title.

/** Lengths in points. */
export interface PageLayout {
  readonly width: number;
  readonly height: number;
  readonly margin: { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number };
}

/** Fonts, sizes and colors that a client chose. */
export interface Typography {
  readonly font?: string;
  readonly heading_font?: string;
  readonly code_font?: string;
  readonly cjk_font?: string;
  readonly fallback_fonts?: readonly string[];
  /** In points. */
  readonly text_size?: number;
  readonly text_color_rgb?: readonly number[];
  readonly heading_scale?: number;
}

interface Page {
  readonly title: string;
  /** Language tag. @default not declared */
  readonly language?: string | undefined;
  /** @default the paper of the browser's settings */
  readonly layout?: PageLayout | undefined;
  /** Rules beside those of the paper. */
  readonly styles: string;
  /** Parts of the body, in HTML. */
  readonly body: Iterable<string>;
}

/** Fonts that the container has, with letters of most scripts. */
const PROPORTIONAL = '"Liberation Sans", "DejaVu Sans", sans-serif';
const FIXED = '"Liberation Mono", "DejaVu Sans Mono", "Noto Sans Mono CJK JP", monospace';

/** Length after which a part is passed on. */
const PART_LENGTH = 2 ** 16;

/** Yields the page in UTF-8. */
export function* pageOf({ title, language, layout, styles, body }: Page): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const lang = language === undefined ? "" : ` lang="${escaped(language)}"`;
  let text =
    `<!DOCTYPE html>\n<html${lang}><head><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<style>${layout ? pageRule(layout) + BASE : ""}${styles}</style></head><body>`;
  for (const part of body) {
    text += part;
    if (text.length < PART_LENGTH) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}</body></html>\n`);
}

const BASE = `
html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0; overflow-wrap: anywhere; }
`;

function pageRule({ width, height, margin }: PageLayout): string {
  const sides = [margin.top, margin.right, margin.bottom, margin.left].map((side) => `${round(side)}pt`).join(" ");
  return `@page { size: ${round(width)}pt ${round(height)}pt; margin: ${sides}; }`;
}

const round = (length: number): number => Math.round(length * 1000) / 1000;

/** Returns a rule for the text of an element. @param sizePt size if the client chose none */
export function textRule(selector: string, typography: Typography, sizePt: number, isFixed = false): string {
  const { text_size = sizePt, text_color_rgb: rgb } = typography;
  const color = rgb ? `color: ${colorOf(rgb)};` : "";
  return `${selector} { font-family: ${familiesOf(typography, isFixed)}; font-size: ${text_size}pt; ${color} }\n`;
}

/** Returns the names of fonts in CSS, in the order of preference. */
export function familiesOf(
  { font, code_font, cjk_font, fallback_fonts = [] }: Typography,
  isFixed: boolean,
  first = isFixed ? (code_font ?? font) : font,
): string {
  const chosen = [first, cjk_font, ...fallback_fonts].filter((name) => name !== undefined);
  return [...chosen.map(quoted), isFixed ? FIXED : PROPORTIONAL].join(", ");
}

const quoted = (name: string): string =>
  `"${name.replace(/[^\p{L}\p{N} ._-]/gu, (character) => `\\${character.codePointAt(0)!.toString(16)} `)}"`;

export const colorOf = (rgb: readonly number[]): string => `rgb(${rgb.map((one) => Math.round(one)).join(" ")})`;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls have no place in HTML
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/g;

/** Escapes a text for the content of an element or for a quoted attribute. Removes control characters. */
export const escaped = (text: string): string =>
  text.replace(CONTROLS, "").replace(/[&<>"']/g, (character) => ESCAPES[character]!);
