// Turns the Markdown of docs/ into HTML. The texts are our own, so nothing in them is removed.
import { raw } from "hono/html";
import { Marked, type Token, type Tokens } from "marked";
import { errorAnchor } from "../http/responses/help.ts";

type Html = ReturnType<typeof raw>;

/** Resolves a link to another page of docs/, such as `limits.md#api`. Undefined if that page is not served. */
export type LinkTo = (page: string, anchor: string) => string | undefined;

/** A part of a page from one heading to the next. */
export interface Section {
  /** Anchor of the heading, formed as GitHub forms it. */
  readonly anchor: string;
  readonly title: string;
  /** Words by which people look for the section, from a comment `search: …` behind the heading; empty without one. */
  readonly searched: string;
  /** Number of `#` of the heading. */
  readonly level: number;
  readonly tokens: readonly Token[];
}

const SEARCHED = /<!-- search: ([^>]*?) -->/;

/** Returns a page without the words of {@link Section.searched}. */
export const withoutSearched = (markdown: string): string => markdown.replaceAll(/<!-- search: [^>]*? -->\n\n/g, "");

/** Returns the sections of a page in order. What comes before the first heading is left out. */
export function sectionsOf(markdown: string): Section[] {
  const sections: (Section & { searched: string; readonly tokens: Token[] })[] = [];
  for (const token of new Marked().lexer(markdown)) {
    const section = sections.at(-1);
    const searched = token.type === "html" ? SEARCHED.exec(token.text)?.[1] : undefined;
    if (token.type === "heading") {
      sections.push({ anchor: anchorOf(token.text), title: token.text, searched: "", level: token.depth, tokens: [] });
    } else if (section && searched !== undefined) section.searched = searched;
    else section?.tokens.push(token);
  }
  return sections;
}

/** Returns the anchor of a heading, as GitHub forms it. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

/** Returns the HTML of a text without headings. */
export function htmlOf(tokens: readonly Token[], linkTo: LinkTo): Html {
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(href, linkTo);
        return target === undefined ? text : `<a href="${target}">${text}</a>`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
      },
      table({ header, rows }) {
        const line = (cells: readonly Tokens.TableCell[], tag: "th" | "td") =>
          cells
            // A heading without words is none.
            .map((cell) => ({ text: this.parser.parseInline(cell.tokens), name: cell.text === "" ? "td" : tag }))
            .map(({ text, name }) => `<${name}>${text}</${name}>`)
            .join("");
        const isOfErrors = header[1]?.text === "Sentence";
        const lines = rows.map((cells) => {
          const id = isOfErrors ? ` id="${errorAnchor(codeIn(cells[1]?.text ?? ""))}"` : "";
          return `<tr${id}>${line(cells, "td")}</tr>\n`;
        });
        const head = header.some(({ text }) => text !== "") ? `<thead><tr>${line(header, "th")}</tr></thead>\n` : "";
        return `<div class="table" tabindex="0"><table>\n${head}<tbody>\n${lines.join("")}</tbody></table></div>\n`;
      },
    },
  });
  return raw(marked.parser([...tokens]));
}

/** Returns the HTML of a phrase, such as a description of a field. */
export const phraseHtml = (text: string): Html => raw(new Marked().parseInline(text, { async: false }));

function targetOf(href: string, linkTo: LinkTo): string | undefined {
  if (href.startsWith("#") || /^https?:/.test(href)) return escaped(href);
  const [page = "", anchor = ""] = href.split("#");
  const target = linkTo(page, anchor);
  return target === undefined ? undefined : escaped(target);
}

const codeIn = (text: string): string => /`([^`]+)`/.exec(text)?.[1] ?? text;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
