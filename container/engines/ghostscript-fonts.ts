// The fonts that Ghostscript replaced, from what it prints. The standard 35 fonts, whose clones it brings, are not among them.

import type { NoticeSubject } from "../../src/operations/notice.ts";

export interface FontSubstitutions {
  /** How many there are; fewer may be named. */
  readonly count: number;
  readonly fonts: readonly NoticeSubject[];
}

/** All that was printed. */
export function substitutionsPrinted(text: string): FontSubstitutions {
  const fonts = fontsIn([...new Set(Array.from(text.matchAll(/Substituting font (.*)/g), ([, names]) => names!))]);
  return { count: fonts.length, fonts };
}

/** The zygote's list (container/ghostscript/interpreter.cpp): how many, then the names on lines of their own. */
export function substitutionsReported(list: string): FontSubstitutions {
  const [count, ...lines] = list.split("\n");
  return { count: Number(count), fonts: fontsIn(lines) };
}

/** A name may have spaces and line breaks; those of Ghostscript's own fonts have none. */
const fontsIn = (lines: readonly string[]): NoticeSubject[] =>
  lines.flatMap((line) => {
    const [, replacedBy, name] = /^(\S+) for (.+?)\.?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, replacedBy: replacedBy! }];
  });
