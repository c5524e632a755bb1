// Parses the names of replaced fonts from Ghostscript's output. The standard 35 fonts are not reported, because
// Ghostscript includes clones of them.

import type { NoticeSubject } from "../../../src/document/contract/notice.ts";

export interface FontSubstitutions {
  /** Number of replaced fonts. `fonts` can list fewer. */
  readonly count: number;
  readonly fonts: readonly NoticeSubject[];
}

/** Parses Ghostscript's complete output. */
export function substitutionsPrinted(text: string): FontSubstitutions {
  const fonts = fontsIn([...new Set(Array.from(text.matchAll(/Substituting font (.*)/g), ([, names]) => names!))]);
  return { count: fonts.length, fonts };
}

/**
 * Parses the zygote's list (container/engines/ghostscript/zygote/interpreter.cpp): the number of fonts, then one line
 * per font.
 */
export function substitutionsReported(list: string): FontSubstitutions {
  const [count, ...lines] = list.split("\n");
  return { count: Number(count), fonts: fontsIn(lines) };
}

/**
 * Parses lines such as `Courier for Calibri.`. A replaced font's name can contain spaces and line breaks, but not the
 * name of the substitute.
 */
const fontsIn = (lines: readonly string[]): NoticeSubject[] =>
  lines.flatMap((line) => {
    const [, replacedBy, name] = /^(\S+) for (.+?)\.?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, replacedBy: replacedBy! }];
  });
