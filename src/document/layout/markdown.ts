// Writes blocks as Markdown in GitHub's flavor.
import type { Block, Cell, Line, PageLayout, PlacedWord, TableBlock, TextBlock } from "./lines/blocks.ts";
import { codeLines } from "./lines/code-lines.ts";
import type { Hyphens } from "./lines/hyphens.ts";
import { isBold } from "./lines/line.ts";
import { joint, textOfWords } from "./lines/plain-text.ts";

/** Spaces before an item for each depth: enough for the text of every marker. */
const DEPTH = "    ";

/** Writes the blocks of one page. Blank lines divide them. */
export const markdownOf = (blocks: readonly Block[], hyphens: Hyphens): string =>
  new MarkdownWriter(hyphens).page({ number: 1, blocks });

/** Writes the pages of a document. */
export class MarkdownWriter {
  readonly #hyphens: Hyphens;
  /** Levels of the items around the next one. Without the item above it, an item deep in a list would be code. */
  #levels: number[] = [];
  /** Labels of the footnotes of all pages so far, and of the page by their marks. */
  readonly #labels = new Set<string>();
  #notes: ReadonlyMap<string, string> = new Map();

  constructor(hyphens: Hyphens) {
    this.#hyphens = hyphens;
  }

  page({ number, blocks }: Pick<PageLayout, "number" | "blocks">): string {
    this.#notes = this.#labelsOf(blocks, number);
    return blocks.map((block) => this.#block(block)).join("");
  }

  /** Ends a list, so that other text can follow. */
  endList(): string {
    const end = this.#levels.length > 0 ? "\n" : "";
    this.#levels = [];
    return end;
  }

  /** Returns the labels of the footnotes of a page: their marks, if these are not used yet. */
  #labelsOf(blocks: readonly Block[], number: number): ReadonlyMap<string, string> {
    const labels = new Map<string, string>();
    for (const block of blocks) {
      if (block.kind !== "footnote" || block.marker === undefined || labels.has(block.marker)) continue;
      const isFree = /^\w+$/.test(block.marker) && !this.#labels.has(block.marker);
      const label = isFree ? block.marker : `${number}-${labels.size + 1}`;
      labels.set(block.marker, label);
      if (this.#labels.size < MAX_LABELS) this.#labels.add(label);
    }
    return labels;
  }

  #block(block: Block): string {
    if (block.kind === "figure" || block.kind === "running") return "";
    const isItem = block.kind === "item";
    const before = isItem ? "" : this.endList();
    return before + (block.kind === "table" ? this.#table(block) : this.#text(block));
  }

  #text(block: TextBlock): string {
    switch (block.kind) {
      case "heading":
        return `${"#".repeat(block.level ?? 1)} ${this.#inline(block.lines, { isPlain: true })}\n\n`;
      case "item":
        return this.#item(block);
      case "code":
        return codeBlock(block);
      case "footnote":
        return this.#footnote(block);
      default:
        return `${atStart(this.#inline(block.lines).trim())}\n\n`;
    }
  }

  #item({ lines, marker = "•", markerWords = 0, level = 1 }: TextBlock): string {
    const rest = withoutWords(lines, markerWords);
    const number = /\d+/.exec(marker)?.[0];
    this.#levels = [...this.#levels.filter((one) => one < level), level];
    return `${DEPTH.repeat(this.#levels.length - 1)}${number === undefined ? "-" : `${Number(number)}.`} ${this.#inline(rest)}\n`;
  }

  #footnote({ lines, marker, markerWords = 0 }: TextBlock): string {
    const label = marker === undefined ? undefined : this.#notes.get(marker);
    const text = this.#inline(withoutWords(lines, label === undefined ? 0 : markerWords)).trim();
    return label === undefined ? `${atStart(text)}\n\n` : `[^${label}]: ${text}\n\n`;
  }

  #table(table: TableBlock): string {
    const hasSpans = table.rows.some((row) => row.some(({ columnSpan, rowSpan }) => columnSpan > 1 || rowSpan > 1));
    if (hasSpans) return this.#htmlTable(table);
    const rows = table.rows.map((row, at) => {
      const cells = row.map(({ lines }) => this.#cell(lines, { isHeader: at < table.headerRows }));
      return `| ${cells.join(" | ")} |`;
    });
    const divider = `|${" --- |".repeat(table.columnCount)}`;
    return `${[rows[0]!, divider, ...rows.slice(1)].join("\n")}\n\n`;
  }

  #cell(lines: readonly Line[], { isHeader = false } = {}): string {
    return this.#inline(lines, { isPlain: isHeader }).replaceAll("|", "\\|");
  }

  #htmlTable({ rows, headerRows }: TableBlock): string {
    const cell = (name: string, { columnSpan, rowSpan, lines }: Cell) => {
      const spans = `${columnSpan > 1 ? ` colspan="${columnSpan}"` : ""}${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ""}`;
      const words = lines.map((line) => ({ ...line, words: line.words.map(plainWord) }));
      return `<${name}${spans}>${escapedHtml(this.#inline(words, { isRaw: true }))}</${name}>`;
    };
    const body = rows.map(
      (row, at) => `<tr>${row.map((one) => cell(at < headerRows ? "th" : "td", one)).join("")}</tr>`,
    );
    return `<table>\n${body.join("\n")}\n</table>\n\n`;
  }

  /** Writes lines as one, with divided words joined. */
  #inline(lines: readonly Line[], options: InlineOptions = {}): string {
    const words: PlacedWord[] = [];
    for (const [at, line] of lines.entries()) {
      const [first, ...others] = line.words;
      const last = words.at(-1);
      if (!first) continue;
      if (!last) for (const word of line.words) words.push(word);
      else {
        const { dropped, between } = joint(textOfWords(lines[at - 1]!.words), textOfWords(line.words), this.#hyphens);
        if (dropped > 0) words[words.length - 1] = { ...last, text: last.text.slice(0, -dropped) };
        words.push({ ...first, isJoined: between === "" });
        for (const word of others) words.push(word);
      }
    }
    return writtenSpans(spansOf(words, { notes: this.#notes, ...options }));
  }
}

/** Maximum number of labels of footnotes that are remembered. */
const MAX_LABELS = 100_000;

function withoutWords([first, ...others]: readonly Line[], count: number): readonly Line[] {
  return first ? [{ ...first, words: first.words.slice(count) }, ...others] : [];
}

interface InlineOptions {
  /** Labels of the footnotes by their marks. @default none */
  readonly notes?: ReadonlyMap<string, string>;
  /** True to write text without bold and italic words. */
  readonly isPlain?: boolean;
  /** True to write text without any mark. */
  readonly isRaw?: boolean;
}

const plainWord = ({ link: _, ...word }: PlacedWord): PlacedWord => word;

const escapedHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Words with the same marks. */
interface Span {
  readonly text: string;
  readonly key: string;
  readonly link: string | undefined;
  /** The marks around the text. */
  readonly open: string;
  readonly close: string;
  readonly isCode: boolean;
  readonly isRaw: boolean;
}

function spansOf(words: readonly PlacedWord[], options: InlineOptions): readonly Span[] {
  const spans: Span[] = [];
  for (const [at, word] of words.entries()) {
    const span = spanOf(word, options);
    const space = at === 0 || word.isJoined || span.key === NOTE ? "" : " ";
    const last = spans.at(-1);
    if (last?.key === span.key) spans[spans.length - 1] = { ...last, text: last.text + space + word.text };
    else {
      if (space !== "") spans.push({ ...PLAIN, text: " ", link: last?.link === span.link ? span.link : undefined });
      spans.push(span);
    }
  }
  return spans;
}

const PLAIN: Span = { text: "", key: "space", link: undefined, open: "", close: "", isCode: false, isRaw: false };

const NOTE = "note";

function spanOf(
  { text, style, link, position }: PlacedWord,
  { isPlain = false, isRaw = false, notes }: InlineOptions,
): Span {
  if (isRaw) return { ...PLAIN, text, key: "raw", isRaw: true };
  const note = position === "superscript" ? notes?.get(text) : undefined;
  if (note !== undefined) return { ...PLAIN, text: `[^${note}]`, key: NOTE, isRaw: true };
  const isCode = style.isMonospaced && !isPlain;
  const marks = isPlain || isCode ? "" : `${isBold(style) ? "**" : ""}${style.isItalic ? "*" : ""}`;
  const target = link !== undefined && /^(?:https?|mailto|ftp):/i.test(link) ? link : undefined;
  const tag = position === "superscript" ? "sup" : "sub";
  const [before, after] = isPlain || isCode || position === undefined ? ["", ""] : [`<${tag}>`, `</${tag}>`];
  return {
    ...{ text, isCode, isRaw: false, link: target },
    key: [marks, target ?? "", isCode, before].join(" "),
    ...{ open: `${before}${marks}`, close: `${marks}${after}` },
  };
}

/** Writes spans; those of one link are inside one pair of brackets. */
function writtenSpans(spans: readonly Span[]): string {
  let text = "";
  for (let from = 0, to = 1; from < spans.length; from = to++) {
    const { link } = spans[from]!;
    while (to < spans.length && spans[to]!.link === link) to++;
    const inside = spans.slice(from, to).map(written).join("");
    text += link === undefined ? inside : `[${inside}](${addressOf(link)})`;
  }
  return text;
}

const addressOf = (link: string): string =>
  /[\s()<>]/.test(link) ? `<${link.replace(/[<>\n]/g, encodeURIComponent)}>` : link;

function written({ text, open, close, isCode, isRaw }: Span): string {
  if (isRaw || text.trim() === "") return text;
  if (!isCode) return `${open}${escaped(text)}${close}`;
  const ticks = text.includes("`") ? "``" : "`";
  const padding = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${open}${ticks}${padding}${text}${padding}${ticks}${close}`;
}

/** Escapes what Markdown would take for marks. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/<(?=[A-Za-z/!?])/g, "\\<")
    .replace(/\[(?=[^\]]{0,999}\][(:])/g, "\\[")
    .replace(/~(?=~)/g, "\\~")
    .replace(/&(?=#?\w{1,31};)/g, "&amp;");

/** Escapes a start of a paragraph that Markdown would take for a marker. */
const atStart = (text: string): string =>
  text.replace(/^(#{1,6}(?=\s)|[-+](?=\s)|>|={3,}$|-{3,}$)/, "\\$1").replace(/^(\d{1,9})([.)])(?=\s)/, "$1\\$2");

/** Writes lines of code with their indents and spaces. */
function codeBlock(block: TextBlock): string {
  const written = codeLines(block);
  const fence = written.some((line) => line.includes("```")) ? "````" : "```";
  return `${fence}\n${written.join("\n")}\n${fence}\n\n`;
}
