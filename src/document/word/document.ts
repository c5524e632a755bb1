// Makes a Word document of the pages of a PDF.
import { fontTableXml } from "../formats/docx/font-table.ts";
import { numberingXml } from "../formats/docx/numbering.ts";
import { MAIN, type StyleLook, type StyleName, stylesXml } from "../formats/docx/styles.ts";
import type { WordContents, WordImage, WordPart } from "../formats/docx/write.ts";
import { HEAD } from "../formats/docx/xml-text.ts";
import type { PageLayout } from "../layout/lines/blocks.ts";
import type { Hyphens } from "../layout/lines/hyphens.ts";
import type { PageText } from "../layout/lines/page-text.ts";
import { BodyWriter } from "./body.ts";
import { FurnitureParts } from "./furniture.ts";
import { Lists } from "./lists.ts";
import { Notes } from "./notes.ts";
import type { PageBox } from "./pictures.ts";
import { styleLooks } from "./style-looks.ts";
import { Bookmarks } from "./text/bookmarks.ts";
import { withCharts } from "./text/charts.ts";
import { Fonts } from "./text/fonts.ts";
import { Pitches } from "./text/measures.ts";
import { PageDrawing } from "./text/page-drawing.ts";
import { withTitle } from "./title.ts";
import { bodyOf, type WordPage, wordPageOf } from "./word-page.ts";

/** Number of pages whose looks and edges are compared. */
const AHEAD = 20;
const MAX_LINKS = 20_000;
const WEB = /^(?:https?|mailto|ftp):[^\s<>"{}|\\^`]*$/i;
const LONGEST_LINK = 2000;

/** What pages draw, until they are written, and the fonts of their text. */
export class PageDrawings {
  readonly fonts = new Fonts();
  readonly #waiting: PageDrawing[] = [];

  /** Remembers the lines and areas of pages that are read ahead. */
  async *of(pages: AsyncIterable<PageText>): AsyncGenerator<PageText> {
    for await (const read of pages) {
      const page = withCharts(read);
      this.#waiting.push(new PageDrawing(page));
      this.fonts.add(page);
      yield page;
    }
  }

  next(): PageDrawing {
    return this.#waiting.shift()!;
  }
}

export interface WordSource {
  readonly pages: AsyncIterable<PageLayout>;
  readonly drawings: PageDrawings;
  readonly hyphens: Hyphens;
  /** Draws pictures, in their order. */
  draw(pictures: readonly PageBox[]): AsyncIterable<WordImage>;
}

export class WordDocument implements WordContents {
  readonly #source: WordSource;
  readonly #pitches = new Pitches();
  readonly #lists = new Lists();
  readonly #notes = new Notes();
  readonly #pictures: PageBox[] = [];
  readonly #links = new Map<string, string>();
  readonly #bookmarks = new Bookmarks();
  #furniture: FurnitureParts | undefined;
  #styles: Map<StyleName, StyleLook> = new Map();
  /** Numbers of the pages that become pictures, because they have no text. */
  readonly picturedPages: number[] = [];

  constructor(source: WordSource) {
    this.#source = source;
  }

  async *body(): AsyncGenerator<string> {
    const ahead: WordPage[] = [];
    let writer: BodyWriter | undefined;
    for await (const page of this.#read()) {
      ahead.push(page);
      if (ahead.length <= AHEAD) continue;
      writer ??= this.#start(ahead);
      yield writer.page(ahead);
      ahead.shift();
    }
    writer ??= this.#start(ahead);
    for (; ahead.length > 0; ahead.shift()) yield writer.page(ahead);
    yield writer.end();
  }

  async *#read(): AsyncGenerator<WordPage> {
    const { pages, drawings } = this.#source;
    for await (const layout of withTitle(pages)) {
      yield wordPageOf(layout, drawings.next(), this.#pitches);
    }
  }

  #start(pages: readonly WordPage[]): BodyWriter {
    const { hyphens } = this.#source;
    if (pages.length > 0) this.#styles = styleLooks(pages, bodyOf(pages), this.#pitches);
    this.#furniture = new FurnitureParts(this.#styles.get("Normal") ?? {}, hyphens);
    return new BodyWriter({
      ...{ hyphens, pitches: this.#pitches, styles: this.#styles, lists: this.#lists, notes: this.#notes },
      ...{
        furniture: this.#furniture,
        bookmarks: this.#bookmarks,
        pictures: this.#pictures,
        picturedPages: this.picturedPages,
        linkId: (link) => this.#linkId(link),
      },
    });
  }

  /** Returns the attribute of a link to an address, or to a page of the document. */
  #linkId(link: string): string | undefined {
    const name = this.#bookmarks.nameOf(link);
    if (name !== undefined) return `w:anchor="${name}"`;
    if (!WEB.test(link) || link.length > LONGEST_LINK) return undefined;
    const known = this.#links.get(link);
    if (known === undefined && this.#links.size >= MAX_LINKS) return undefined;
    const id = known ?? `l${this.#links.size + 1}`;
    this.#links.set(link, id);
    return `r:id="${id}"`;
  }

  images(): AsyncIterable<WordImage> {
    return this.#source.draw(this.#pictures);
  }

  *links(): Generator<readonly [string, string]> {
    for (const [address, id] of this.#links) yield [id, address];
  }

  parts(): readonly WordPart[] {
    const lists = this.#lists.all;
    return [
      { id: "styles", type: "styles", name: "styles", xml: stylesXml(this.#styles) },
      { id: "settings", type: "settings", name: "settings", xml: this.#settings() },
      ...(lists.length > 0
        ? [{ id: "numbering", type: "numbering", name: "numbering", xml: numberingXml(lists) } as const]
        : []),
      ...(this.#notes.count > 0
        ? [{ id: "footnotes", type: "footnotes", name: "footnotes", xml: this.#notes.xml() } as const]
        : []),
      { id: "fonts", type: "fontTable", name: "fontTable", xml: fontTableXml(this.#source.drawings.fonts.all) },
      ...(this.#furniture?.parts ?? []),
    ];
  }

  #settings(): string {
    const notes =
      this.#notes.count > 0 ? '<w:footnotePr><w:footnote w:id="-1"/><w:footnote w:id="0"/></w:footnotePr>' : "";
    const compatibility =
      '<w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/>';
    return [
      `${HEAD}<w:settings xmlns:w="${MAIN}">`,
      '<w:defaultTabStop w:val="720"/>',
      this.#furniture?.alternates ? "<w:evenAndOddHeaders/>" : "",
      `<w:characterSpacingControl w:val="doNotCompress"/>${notes}`,
      `<w:compat>${compatibility}</w:compat></w:settings>`,
    ].join("");
  }
}
