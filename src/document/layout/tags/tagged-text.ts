// The text and the images of a page by their marked content.
import type { StructureNode } from "../../engines/mupdf/structure/document-structure.ts";
import { framesOf } from "../lines/frames.ts";
import { segmentOf } from "../lines/growing-segment.ts";
import { Links } from "../lines/links.ts";
import type { PageShape, PageText, TextLine, Word } from "../lines/page-text.ts";
import type { Frame, Segment } from "../lines/segments.ts";

/** Elements inside a line whose replacement texts are used. */
const REPLACED = new Set(["Span", "Em", "Strong", "Code", "Formula", "Link", "Lbl", "Quote", "NonStruct"]);

export class TaggedText {
  readonly direction: Frame["direction"];
  readonly links: Links;
  readonly page: PageText;
  readonly #segments = new Map<number, Segment[]>();
  readonly #images = new Map<number, PageShape[]>();
  readonly #taken = new Set<number>();

  constructor(page: PageText) {
    this.page = page;
    this.direction = framesOf(page.lines)[0]?.direction ?? [1, 0];
    this.links = new Links(page.links);
    for (const line of page.lines) {
      if (line.content === undefined || !this.#isAlong(line)) continue;
      pushTo(this.#segments, line.content, segmentOf(line.words, this.direction));
    }
    for (const shape of page.shapes) if (shape.content !== undefined) pushTo(this.#images, shape.content, shape);
  }

  /** Takes the text of marked content. */
  take(content: number): readonly Segment[] {
    if (this.#taken.has(content)) return [];
    this.#taken.add(content);
    return this.#segments.get(content) ?? [];
  }

  /** Takes the text of an element with its descendants, in the order of the tree. */
  takeAll({ type, kids, actualText }: StructureNode): readonly Segment[] {
    const segments = kids.flatMap((kid) => (typeof kid === "number" ? this.take(kid) : this.takeAll(kid)));
    return actualText !== undefined && REPLACED.has(type) ? this.replaced(segments, actualText) : segments;
  }

  /** Returns segments of one line with another text. */
  replaced(segments: readonly Segment[], text: string): readonly Segment[] {
    const words = segments.flatMap((segment) => segment.words);
    const baselines = new Set(segments.map(({ baseline }) => Math.round(baseline)));
    const texts = text
      .normalize("NFC")
      .split(/\s+/u)
      .filter((one) => one !== "");
    if (words.length === 0 || texts.length === 0 || baselines.size > 1) return segments;
    const shown = texts.map((one, at): Word => {
      const place = words[Math.min(at, words.length - 1)]!;
      return { ...place, text: one, isJoined: at === 0 && words[0]!.isJoined };
    });
    return [segmentOf(shown, this.direction)];
  }

  /** Returns the images of an element and its descendants. */
  imagesOf({ kids }: StructureNode): readonly PageShape[] {
    return kids.flatMap((kid) => (typeof kid === "number" ? (this.#images.get(kid) ?? []) : this.imagesOf(kid)));
  }

  /** Returns the lines that no element has taken. */
  get rest(): readonly TextLine[] {
    return this.page.lines.filter(
      (line) => line.content === undefined || !this.#taken.has(line.content) || !this.#isAlong(line),
    );
  }

  #isAlong({ direction: [x, y] }: TextLine): boolean {
    return x * this.direction[0] + y * this.direction[1] > ALONG;
  }
}

/** Cosine of the angle within which lines have one direction. */
const ALONG = 0.99;

function pushTo<T>(lists: Map<number, T[]>, key: number, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
