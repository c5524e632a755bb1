// Parses Markdown pages for tests of the documentation: sections by anchor, table rows, and links.
import { anchorOf } from "../../src/service/reference/markdown.ts";

/** A section from its heading to the next heading of any level. */
export interface Section {
  readonly title: string;
  /** Number of `#` before the heading. */
  readonly level: number;
  readonly text: string;
}

/** Returns the sections of a page by anchor, in order. Forms anchors as GitHub does. */
export function sectionsOf(markdown: string): Map<string, Section> {
  const sections = new Map<string, Section>();
  for (const part of withoutCode(markdown).split(/^(?=#{1,6} )/m)) {
    const [, hashes = "", title = ""] = /^(#{1,6}) (.*)$/m.exec(part) ?? [];
    if (hashes === "") continue;
    sections.set(anchorOf(title), { title, level: hashes.length, text: part.slice(part.indexOf("\n") + 1) });
  }
  return sections;
}

/** Returns the rows of all tables whose first column has the given heading. Each row maps headings to cells. */
export function rowsOf(text: string, firstHeading: string): Record<string, string>[] {
  const rows: Record<string, string>[] = [];
  let headings: readonly string[] | undefined;
  for (const line of text.split("\n")) {
    if (!line.startsWith("|")) {
      headings = undefined;
      continue;
    }
    const cells = line.split("|").slice(1, -1);
    if (headings === undefined) headings = cells.map((cell) => cell.trim());
    else if (headings[0] === firstHeading && !/^[\s|:-]+$/.test(line)) {
      rows.push(Object.fromEntries(headings.map((heading, at) => [heading, cells[at]!.trim()])));
    }
  }
  return rows;
}

/** Returns the texts between backticks. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** Returns the targets of all links, except links to other sites. */
export const linksOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((to) => !/^\w+:/.test(to));

const withoutCode = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, "");
