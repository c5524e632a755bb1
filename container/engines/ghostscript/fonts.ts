// Parses replaced fonts from Ghostscript's output, except the standard 35 fonts, whose clones Ghostscript includes.

import type { NoticeSubject } from "../../../src/document/contract/notice.ts";

export interface FontSubstitutions {
  /** Number of replaced fonts; `fonts` can list fewer. */
  readonly count: number;
  readonly fonts: readonly NoticeSubject[];
}

/** Matches reports of fonts that Ghostscript chose itself, and of fonts of its map (container/fonts/fontmap.ts). */
const REPORTS = /(?:Substituting font (\S+)|Using (\S+) font) for (.*)/g;

/** Parses Ghostscript's complete output. */
export function substitutionsPrinted(text: string): FontSubstitutions {
  const lines = Array.from(
    text.matchAll(REPORTS),
    ([, substitute, mapped, name]) => `${substitute ?? mapped} for ${name}`,
  );
  const fonts = fontsIn([...new Set(lines)]);
  return { count: fonts.length, fonts };
}

/**
 * Parses the zygote's list (container/engines/ghostscript/zygote/interpreter.cpp): the count, then one name per line.
 */
export function substitutionsReported(list: string): FontSubstitutions {
  const [count, ...lines] = list.split("\n");
  return { count: Number(count), fonts: fontsIn(lines) };
}

/** Parses replacements. A name can contain spaces and line breaks; those of Ghostscript's own fonts contain none. */
const fontsIn = (lines: readonly string[]): NoticeSubject[] =>
  lines.flatMap((line) => {
    const [, replacedBy, name] = /^(\S+) for (.+?)\.?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, replacedBy: replacedBy! }];
  });
