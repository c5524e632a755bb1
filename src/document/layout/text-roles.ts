// Finds headings by size and weight, their levels, captions, and the depths of items.
import { type Block, isTextBlock, type Line, type PageLayout, type TextBlock } from "./lines/blocks.ts";
import { isBold } from "./lines/line.ts";
import { lineText } from "./lines/plain-text.ts";
import { outlinedHeadings, textOf } from "./outlined.ts";

/** Size of headings compared with running text; the size of headings in bold can be less. */
const LARGER = 1.12;
const NOT_SMALLER = 0.8;
/** Sizes that are closer count as one. */
const SAME = 0.04;
const MAX_CHARACTERS = 220;
const MAX_LINES = 4;
const MAX_BOLD_LINES = 2;
const MAX_LEVEL = 6;
/** Minimum number of headings that an outline lists, besides one on every second page. */
const MIN_OUTLINED = 2;
/** Minimum difference of the indents of items at different depths, in font sizes. */
const DEEPER = 0.7;
// cspell:disable
/** Words that name numbered figures, tables and examples. */
const CAPTIONED = [
  "fig\\.|figure|table|tab\\.|listing|algorithm|example|exhibit|abb\\.|abbildung|tabelle|beispiel|figura|tabla|cuadro",
  "ejemplo|quadro|tabela|exemplo|tableau|exemple|tabella|esempio|figuur|afbeelding|tabel|voorbeeld|figur|tabell|eksempel",
  "exempel|kuva|taulukko|esimerkki|rysunek|przykład|obrázek|tabulka|příklad|slika|tablica|primjer|ábra|táblázat|şekil|tablo",
  "örnek|рис\\.|рисунок|таблица|пример|gambar|contoh|hình|bảng|ví dụ|[图圖図表例예표]|그림",
].join("|");
// cspell:enable
const CAPTION = new RegExp(`^(?:${CAPTIONED})\\s*[A-Z]?\\d`, "iu");

export class TextRoles {
  /** Number of characters by size, in tenths of a point. */
  readonly #characters = new Map<number, number>();
  #boldCharacters = 0;
  /** True if tags state which texts are headings. */
  #hasTaggedHeadings = false;
  #allCharacters = 0;
  /** Sizes of short blocks, and of those in bold, in tenths of a point. */
  readonly #short = new Set<number>();
  readonly #boldShort = new Set<number>();
  /** Levels of headings in the outline by size, in tenths of a point. */
  readonly #outlined = new Map<number, number>();
  /** Numbers of pages so far, and of their headings in the outline. */
  #pageCount = 0;
  #outlinedCount = 0;
  /** Indents of the items around the next one. */
  #indents: number[] = [];

  add(page: PageLayout): void {
    const outlined = outlinedHeadings(page);
    this.#pageCount++;
    this.#outlinedCount += outlined.size;
    for (const block of page.blocks) {
      if (!isTextBlock(block)) continue;
      const level = outlined.get(block)?.level;
      if (level !== undefined) this.#outlined.set(Math.round(block.size * 10), level);
      if (block.isTagged && block.kind === "heading") this.#hasTaggedHeadings = true;
      const count = charactersIn(block);
      const size = Math.round(block.size * 10);
      this.#allCharacters += count;
      if (isAllBold(block)) {
        this.#boldCharacters += count;
        if (isShort(block)) this.#boldShort.add(size);
      }
      if (block.kind !== "code") this.#characters.set(size, (this.#characters.get(size) ?? 0) + count);
      if (isShort(block)) this.#short.add(size);
    }
  }

  /** Returns a page with the roles of its blocks, which depend on all pages so far. */
  assign(page: PageLayout): PageLayout {
    const body = this.#bodySize();
    const levels = this.#levelsOf(body);
    const outlined = outlinedHeadings(page);
    const blocks = page.blocks.map((block, index): Block => {
      if (!isTextBlock(block) || block.kind === "running") return block;
      if (block.isTagged && (this.#hasTaggedHeadings || !UNDECIDED.has(block.kind)))
        return isCaption(block) ? { ...block, kind: "caption" } : block;
      const listed = outlined.get(block)?.level;
      const candidate = this.#isHeading(block, body) && !isTerm(block, page.blocks[index + 1], LARGER * body);
      if (listed !== undefined || candidate) {
        this.#indents = [];
        const at = levels.findIndex((size) => block.size >= size * (1 - SAME));
        const own = listed ?? this.#outlined.get(Math.round(block.size * 10)) ?? (at < 0 ? levels.length : at) + 1;
        return { ...block, kind: "heading", level: Math.min(MAX_LEVEL, own) };
      }
      if (block.kind === "item") return { ...block, level: this.#depthOf(block) };
      if (isCaption(block)) return { ...block, kind: "caption" };
      if (block.kind === "paragraph" && block.indent < (this.#indents[0] ?? 0) + DEEPER * block.size)
        this.#indents = [];
      return block;
    });
    return { ...page, blocks: joinedHeadings(blocks) };
  }

  /** True if the outline lists so many headings that it probably lists all of them. */
  get #hasOutline(): boolean {
    return this.#outlinedCount >= MIN_OUTLINED && this.#outlinedCount * 2 >= this.#pageCount;
  }

  #bodySize(): number {
    let [usual, most] = [100, 0];
    for (const [size, count] of this.#characters) if (count > most) [usual, most] = [size, count];
    return usual / 10;
  }

  #isHeading(block: TextBlock, body: number): boolean {
    if (
      (block.kind === "code" && !isAllBold(block)) ||
      !isShort(block) ||
      !/\p{L}/u.test(textOf(block)) ||
      CAPTION.test(textOf(block))
    )
      return false;
    if (block.kind === "item" && (block.markerWords ?? 0) === 0) return false;
    if (block.kind === "item" && !/^[\d(]/.test(block.marker!)) return false;
    if (block.size >= LARGER * body) return block.lines.length <= MAX_LINES;
    const isUsuallyBold = this.#boldCharacters * 2 > this.#allCharacters;
    if (
      isUsuallyBold ||
      this.#hasOutline ||
      block.size < NOT_SMALLER * body ||
      !isAllBold(block) ||
      isMonospaced(block)
    )
      return false;
    return block.lines.length <= MAX_BOLD_LINES && !/[.,;:]$/.test(textOf(block));
  }

  /** Returns the sizes of headings, from the largest, in points. */
  #levelsOf(body: number): readonly number[] {
    const large = [...this.#short.keys()].map((size) => size / 10).filter((size) => size >= LARGER * body);
    const bold = [...this.#boldShort]
      .map((size) => size / 10)
      .filter((size) => size < LARGER * body && size >= NOT_SMALLER * body);
    const levels: number[] = [];
    for (const size of [...large, ...bold].sort((a, b) => b - a)) {
      if (levels.length === 0 || size < levels.at(-1)! * (1 - SAME)) levels.push(size);
    }
    return levels;
  }

  #depthOf({ indent, size }: TextBlock): number {
    const deeper = DEEPER * size;
    while (this.#indents.length > 0 && indent < this.#indents.at(-1)! - deeper) this.#indents.pop();
    if (this.#indents.length === 0 || indent > this.#indents.at(-1)! + deeper) this.#indents.push(indent);
    return this.#indents.length;
  }
}

/** Kinds of tagged text that a document without tagged headings uses for headings too. */
const UNDECIDED: ReadonlySet<Block["kind"]> = new Set(["paragraph", "code"]);

const isCaption = (block: TextBlock): boolean => block.kind === "paragraph" && CAPTION.test(lineText(block.lines[0]!));

const charactersIn = (block: TextBlock): number =>
  block.lines.reduce((sum, { words }) => sum + words.reduce((all, { text }) => all + text.length, 0), 0);

const isShort = (block: TextBlock): boolean => block.lines.length <= MAX_LINES && charactersIn(block) <= MAX_CHARACTERS;

const isAllBold = ({ lines }: TextBlock): boolean =>
  lines.every(({ words }) => words.every(({ style }) => isBold(style)));

const isMonospaced = ({ lines }: TextBlock): boolean =>
  lines.every(({ words }) => words.every(({ style }) => style.isMonospaced));

/** Reports whether a short text is a term, which is as large as its definition: the paragraph below it is indented. */
const isTerm = (block: TextBlock, next: Block | undefined, large: number): boolean =>
  block.size < large &&
  next?.kind === "paragraph" &&
  next.indent > block.indent + DEEPER * block.size &&
  next.box[0] > block.box[0] &&
  next.box[3] < block.box[3];

/** Joins the lines of a heading that are apart, as in centered titles. */
function joinedHeadings(blocks: readonly Block[]): readonly Block[] {
  const joined: Block[] = [];
  let lines: Line[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (block.kind === "heading" && last?.kind === "heading" && !block.isTagged && goesOn(last, block)) {
      const box = [Math.min(last.box[0], block.box[0]), Math.min(last.box[1], block.box[1])] as const;
      const far = [Math.max(last.box[2], block.box[2]), Math.max(last.box[3], block.box[3])] as const;
      if (last.lines !== lines) lines = [...last.lines];
      lines.push(...block.lines);
      joined[joined.length - 1] = { ...last, box: [...box, ...far], lines };
    } else joined.push(block);
  }
  return joined;
}

function goesOn(one: TextBlock, next: TextBlock): boolean {
  const isSame = one.level === next.level && Math.abs(one.size - next.size) < 0.2 && next.marker === undefined;
  const gap = one.box[1] - next.box[3];
  const isFull = one.box[2] - one.box[0] > 0.8 * Math.max(next.box[2] - next.box[0], 20 * one.size);
  return isSame && gap < 0.6 * one.size && isFull;
}
