// Parses the names of replaced fonts that engines report. Ghostscript does not report the standard 35 fonts, because it
// includes clones of them.

import { type Notice, type NoticeSubject, namedNotices } from "../../src/document/contract/notice.ts";

export interface FontSubstitutions {
  /** Number of replaced fonts. `fonts` can list fewer. */
  readonly count: number;
  readonly fonts: readonly NoticeSubject[];
}

/** Matches reports of fonts that Ghostscript chose itself, and of fonts of its map (container/fonts/fontmap.ts). */
const REPORTS = /(?:Substituting font (\S+)|Using (\S+) font) for (.*)/g;

export const NO_SUBSTITUTIONS: FontSubstitutions = { count: 0, fonts: [] };

/** Parses Ghostscript's complete output. */
export function substitutionsPrinted(text: string): FontSubstitutions {
  const lines = Array.from(
    text.matchAll(REPORTS),
    ([, substitute, mapped, name]) => `${substitute ?? mapped} for ${name}`,
  );
  const fonts = fontsIn([...new Set(lines)]);
  return { count: fonts.length, fonts };
}

/** Parses the list of a zygote: the number of fonts, then one line per font. An empty list has no fonts. */
export function substitutionsReported(list: string): FontSubstitutions {
  const [count, ...lines] = list.split("\n");
  return { count: Number(count), fonts: fontsIn(lines) };
}

export const substitutionNotices = ({ count, fonts }: FontSubstitutions): readonly Notice[] =>
  namedNotices("fonts-substituted", fonts).map((notice) => ({ ...notice, count }));

/**
 * Parses lines such as `Courier for Calibri.`. A replaced font's name can contain spaces and line breaks, but not the
 * name of the substitute.
 */
const fontsIn = (lines: readonly string[]): NoticeSubject[] =>
  lines.flatMap((line) => {
    const [, replacedBy, name] = /^(\S+) for (.+?)\.?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, replacedBy: replacedBy! }];
  });
