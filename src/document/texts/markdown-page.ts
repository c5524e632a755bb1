// Prints Markdown as GitHub shows it: tables, task lists, footnotes, alerts, code; front matter is hidden.

import { Marked, type RendererObject, type Tokens } from "marked";
import footnotes from "marked-footnote";
import { escaped, familiesOf, type Typography, textRule } from "./page.ts";
import { type Sanitizing, sanitized } from "./sanitize.ts";
import { type TableLook, tableRules } from "./table-page.ts";

interface MarkdownPage {
  /** Title of the front matter, or the first heading. @default none */
  readonly title: string | undefined;
  readonly html: string;
}

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const FRONT_TITLE = /^title:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))$/m;
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i;
const SIZE_PT = 11;
const HEADING_SIZES = [2, 1.5, 1.25, 1.05, 0.95, 0.9];

/** @param showsHtml true if elements that are not allowed are shown as their source */
export function markdownPage(source: string, sanitizing: Sanitizing, showsHtml: boolean): MarkdownPage {
  const [whole = "", front = ""] = FRONT_MATTER.exec(source) ?? [];
  const [, double, single, bare] = FRONT_TITLE.exec(front) ?? [];
  const text = source.slice(whole.length).replace(/^\ufeff/, "");
  let heading: string | undefined;
  const slugs = new Map<string, number>();
  const renderer: RendererObject = {
    heading({ tokens, depth }) {
      const inner = this.parser.parseInline(tokens);
      const plain = textOf(inner);
      if (depth === 1) heading ??= plain;
      return `<h${depth} id="${escaped(slugOf(plain, slugs))}">${inner}</h${depth}>\n`;
    },
    blockquote(token) {
      const kind = alertOf(token);
      if (kind === undefined) return false;
      return `<div class="alert alert-${kind}"><p class="alert-title">${kind}</p>${this.parser.parse(token.tokens)}</div>\n`;
    },
    ...(showsHtml ? { html: ({ text: html }) => escaped(html) } : {}),
  };
  const marked = new Marked({ gfm: true }, footnotes(), { renderer });
  const html = sanitized(marked.parse(text, { async: false }), sanitizing);
  return { title: (double ?? single ?? bare)?.trim() || heading, html };
}

/** Returns the kind of an alert, and removes its mark from the text. */
function alertOf({ tokens }: Tokens.Blockquote): string | undefined {
  const [first] = tokens;
  if (first?.type !== "paragraph") return undefined;
  const { tokens: inner = [] } = first as Tokens.Paragraph;
  const [text] = inner;
  const match = text?.type === "text" ? ALERT.exec((text as Tokens.Text).text) : null;
  if (!match) return undefined;
  (text as Tokens.Text).text = (text as Tokens.Text).text.slice(match[0].length);
  return match[1]!.toLowerCase();
}

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name as string] ?? "'",
    );

/** Returns the anchor that GitHub makes of a heading. */
function slugOf(heading: string, slugs: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
  const count = slugs.get(slug) ?? 0;
  slugs.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

export function markdownStyles(typography: Typography, look: TableLook): string {
  const { heading_scale = 1, heading_font } = typography;
  const headings = HEADING_SIZES.map((size, index) => `h${index + 1} { font-size: ${size * heading_scale}em; }`);
  return `${textRule("body", typography, SIZE_PT)}
    body { line-height: 1.5; }
    h1, h2, h3, h4, h5, h6 { font-family: ${familiesOf(typography, false, heading_font ?? typography.font)};
      line-height: 1.25; margin: 1.2em 0 0.5em; break-after: avoid; break-inside: avoid; }
    ${headings.join(" ")}
    h1, h2 { border-bottom: 0.75pt solid #d5dae1; padding-bottom: 0.2em; }
    body > :first-child { margin-top: 0; }
    p, ul, ol, dl, table, pre, blockquote, .alert { margin: 0 0 0.8em; }
    p { orphans: 2; widows: 2; }
    ul, ol { padding-left: 1.8em; } li > ul, li > ol { margin-bottom: 0; }
    li:has(> input[type="checkbox"]), li:has(> p > input[type="checkbox"]) { list-style: none; }
    li > input[type="checkbox"], li > p > input[type="checkbox"] { margin: 0 0.4em 0 -1.4em; vertical-align: middle; }
    code, pre, kbd, samp, tt { font-family: ${familiesOf(typography, true)}; font-size: 0.85em; }
    code, kbd { background: #f0f2f5; border-radius: 3pt; padding: 0.1em 0.3em; }
    pre { background: #f6f8fa; border: 0.5pt solid #dde2e8; border-radius: 3pt; padding: 0.7em 0.9em; tab-size: 4;
      white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.4; }
    pre code { background: none; padding: 0; font-size: 1em; }
    blockquote { border-left: 3pt solid #d5dae1; padding: 0 0 0 0.9em; color: #57606a; margin-left: 0; }
    .alert { border-left: 3pt solid #0969da; padding: 0.2em 0 0.2em 0.9em; }
    .alert > :last-child, blockquote > :last-child { margin-bottom: 0; }
    .alert-title { font-weight: bold; text-transform: capitalize; margin-bottom: 0.3em; color: #0969da;
      break-after: avoid; }
    .alert-tip { border-color: #1a7f37; } .alert-tip .alert-title { color: #1a7f37; }
    .alert-important { border-color: #8250df; } .alert-important .alert-title { color: #8250df; }
    .alert-warning { border-color: #9a6700; } .alert-warning .alert-title { color: #9a6700; }
    .alert-caution { border-color: #cf222e; } .alert-caution .alert-title { color: #cf222e; }
    img { max-width: 100%; } .missing-image { border: 0.5pt solid #c8ccd2; padding: 0 0.3em; color: #57606a; }
    hr { border: 0; border-top: 1.5pt solid #d5dae1; margin: 1.5em 0; }
    a { color: #0550ae; text-decoration: none; }
    .footnotes { border-top: 0.75pt solid #d5dae1; font-size: 0.85em; margin-top: 2em; } .sr-only { display: none; }
    [align="center"] { text-align: center; } [align="right"] { text-align: right; }
    ${tableRules("table", { ...look, cell_padding: { top: 3, right: 6, bottom: 3, left: 6, ...look.cell_padding } })}`;
}
