// Makes blocks of the elements of a page, in the order of the structure tree.
import type { StructureNode } from "../../engines/mupdf/structure/document-structure.ts";
import { type Block, linesIn, type TextBlock, type TextKind } from "../lines/blocks.ts";
import { blockOf, rowOf } from "../lines/paragraphs.ts";
import { boxOfWords, type Segment } from "../lines/segments.ts";
import { rowsInOrder } from "./tagged-rows.ts";
import { rowsOfTable, tableOfRows } from "./tagged-table.ts";
import type { TaggedText } from "./tagged-text.ts";

const MAX_LEVEL = 6;
/** Elements whose text is part of the text around them. */
const INLINE = new Set(
  "Span Quote Reference BibEntry Code Link Annot Em Strong Sub Ruby RB RT RP Warichu WT WP Formula Form Lbl".split(" "),
);

/** What the text of an element becomes. */
interface Role {
  readonly kind: TextKind;
  readonly level?: number;
}

/** An item whose text has not begun. */
interface OpenItem {
  readonly level: number;
  readonly marker: Segment[];
  isOpen: boolean;
}

/** Reads the elements of a page as blocks. Notes follow the other blocks. */
export function taggedBlocks(root: StructureNode, text: TaggedText): readonly Block[] {
  const reader = new ElementReader(text);
  reader.visit(root);
  reader.flush();
  return [...joinedCode(reader.blocks), ...reader.notes];
}

/** Maximum distance of the lines of code, in font sizes. */
const CODE_PITCH = 2.8;

/** Joins lines of code: programs tag each line as a paragraph. */
function joinedCode(blocks: readonly Block[]): readonly Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const isCode = block.kind === "code" && last?.kind === "code";
    const isNext = isCode && last.box[1] - block.box[1] < CODE_PITCH * block.size && block.box[3] < last.box[3];
    if (!isNext || block.box[0] > last.box[2]) joined.push(block);
    else {
      const lines = [...last.lines, ...block.lines];
      joined[joined.length - 1] = { ...last, lines, box: boxOfWords(lines.flatMap(({ words }) => words)) };
    }
  }
  return joined;
}

class ElementReader {
  readonly blocks: Block[] = [];
  readonly notes: Block[] = [];
  readonly #text: TaggedText;
  #inline: Segment[] = [];
  #figures: Block[] = [];
  #role: Role | undefined;
  #item: OpenItem | undefined;
  /** Depth of lists and of sections. */
  #depth = 0;
  #sections = 0;

  constructor(text: TaggedText) {
    this.#text = text;
  }

  visit(node: StructureNode): void {
    const { type } = node;
    const heading =
      type === "H" ? Math.max(1, this.#sections) : type === "Title" ? 1 : Number(/^H(\d+)$/.exec(type)?.[1]);
    if (heading > 0) this.#asBlock(node, { kind: "heading", level: Math.min(MAX_LEVEL, heading) });
    else if (type === "P") this.#asBlock(node, this.#role ?? { kind: "paragraph" });
    else if (type === "Caption") this.#asBlock(node, { kind: "caption" });
    else if (type === "Note" || type === "FENote") this.#note(node);
    else if (type === "L") this.#list(node);
    else if (type === "LI") this.#listItem(node);
    else if (type === "Lbl" && this.#item?.isOpen && this.#inline.length === 0)
      this.#item.marker.push(...this.#text.takeAll(node));
    else if (type === "Table") this.#table(node);
    else if (type === "Figure") this.#figure(node);
    else if (type === "Artifact" || type === "Private") return;
    else if (INLINE.has(type) || (type === "NonStruct" && this.#isInline(node))) this.#inText(node);
    else this.#group(node);
  }

  /** Ends the block of the text so far. */
  flush(): void {
    const segments = this.#inline;
    const item = this.#item?.isOpen ? this.#item : undefined;
    this.#inline = [];
    if (segments.length > 0) {
      const role = this.#role ?? { kind: "paragraph" as const };
      if (item && role.kind === "paragraph") {
        this.blocks.push(this.#itemOf(item, segments));
        item.isOpen = false;
      } else this.blocks.push(this.#blockOf(segments, role));
    }
    this.blocks.push(...this.#figures);
    this.#figures = [];
  }

  #isInline({ kids }: StructureNode): boolean {
    return this.#role !== undefined || kids.every((kid) => typeof kid === "number");
  }

  #visitKids({ kids }: StructureNode): void {
    for (const kid of kids) {
      if (typeof kid === "number") this.#inline.push(...this.#text.take(kid));
      else this.visit(kid);
    }
  }

  #inText(node: StructureNode): void {
    if (node.actualText === undefined) this.#visitKids(node);
    else this.#inline.push(...this.#text.takeAll(node));
  }

  #asBlock(node: StructureNode, role: Role): void {
    const before = this.#role;
    this.flush();
    this.#role = role;
    this.#visitKids(node);
    this.flush();
    this.#role = before;
  }

  #group(node: StructureNode): void {
    const isSection = node.type === "Sect" || node.type === "Art";
    if (isSection) this.#sections++;
    this.flush();
    this.#visitKids(node);
    this.flush();
    if (isSection) this.#sections--;
  }

  #list(node: StructureNode): void {
    const before = this.#item;
    this.flush();
    this.#item = undefined;
    this.#depth++;
    this.#visitKids(node);
    this.flush();
    this.#depth--;
    this.#item = before;
  }

  #listItem(node: StructureNode): void {
    const [before, role] = [this.#item, this.#role];
    this.flush();
    this.#role = undefined;
    const item = { level: Math.max(1, this.#depth), marker: [], isOpen: true };
    this.#item = item;
    this.#visitKids(node);
    this.flush();
    if (item.isOpen && item.marker.length > 0) this.blocks.push(this.#blockOf(item.marker, { kind: "paragraph" }));
    [this.#item, this.#role] = [before, role];
  }

  /** Reads a note apart from the text around it, which goes on after it. */
  #note(node: StructureNode): void {
    const segments = this.#text.takeAll(node);
    if (segments.length > 0) this.notes.push(this.#blockOf(segments, { kind: "footnote" }));
  }

  #table(node: StructureNode): void {
    const rows = rowsOfTable(node);
    if (!rows) {
      this.#group(node);
      return;
    }
    this.flush();
    for (const kid of node.kids) if (typeof kid !== "number" && kid.type === "Caption") this.visit(kid);
    const table = tableOfRows(rows, this.#text);
    if (table) this.blocks.push(table);
    const rest = this.#text.takeAll(node);
    if (rest.length > 0) this.blocks.push(this.#blockOf(rest, { kind: "paragraph" }));
  }

  /** Adds a figure after the text around it. The text in it is read by its places. */
  #figure(node: StructureNode): void {
    const images = this.#text.imagesOf(node).filter(({ kind }) => kind === "image");
    for (const kid of node.kids) if (typeof kid !== "number" && kid.type === "Caption") this.visit(kid);
    if (images.length === 0) return;
    const { alternateText } = node;
    const alternate = alternateText === undefined ? {} : { alternateText };
    this.#figures.push({
      kind: "figure",
      box: boxOfWords(images.map(({ box }) => ({ corners: [...box, ...box] }))),
      ...alternate,
    });
  }

  #blockOf(segments: readonly Segment[], role: Role): TextBlock {
    const { direction, links } = this.#text;
    const rows = rowsInOrder(segments, direction).map((row) => rowOf(row, undefined));
    const block = blockOf(rows, { links, direction });
    if (role.kind === "paragraph") return { ...block, isTagged: true };
    const { marker: _, markerWords: __, ...text } = block;
    return { ...text, ...role, isTagged: true };
  }

  #itemOf({ level, marker }: OpenItem, segments: readonly Segment[]): TextBlock {
    const block = this.#blockOf([...marker, ...segments], { kind: "item", level });
    const words = marker.flatMap((segment) => segment.words);
    const first = linesIn(block)[0]!.words;
    const isFirst = words.length < first.length || block.lines.length > 1;
    if (words.length > 0 && isFirst) {
      return { ...block, marker: words.map(({ text }) => text).join(""), markerWords: words.length };
    }
    const own = this.#blockOf(segments, { kind: "paragraph" });
    const { marker: found = "•", markerWords = 0 } = own;
    return { ...block, marker: found, markerWords: words.length > 0 ? 0 : markerWords };
  }
}
