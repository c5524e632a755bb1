// Reads a document as blocks, page by page. Headings, running heads and divided words depend on the pages around them,
// so that a number of pages is read ahead.
import { withFootnotes } from "./footnotes.ts";
import { joinedParagraphs } from "./joined-paragraphs.ts";
import type { PageLayout } from "./lines/blocks.ts";
import { Hyphens } from "./lines/hyphens.ts";
import type { PageText } from "./lines/page-text.ts";
import { layoutOf } from "./page-layout.ts";
import { RunningText } from "./running-text.ts";
import { TextRoles } from "./text-roles.ts";

/** Number of pages that are read ahead. Their blocks take about 8 MB. */
const AHEAD = 40;

export class DocumentLayout {
  readonly hyphens = new Hyphens();
  readonly #roles = new TextRoles();
  readonly #running = new RunningText();

  /** Yields the pages with their blocks in reading order. */
  async *read(pages: AsyncIterable<PageText>): AsyncGenerator<PageLayout> {
    const ahead: PageLayout[] = [];
    for await (const page of pages) {
      const layout = layoutOf(page);
      this.hyphens.add(page);
      this.#running.add(layout);
      this.#roles.add(layout);
      ahead.push(layout);
      if (ahead.length > AHEAD) yield this.#finished(ahead.shift()!);
    }
    for (const layout of ahead) yield this.#finished(layout);
  }

  #finished(layout: PageLayout): PageLayout {
    const { blocks, ...page } = withFootnotes(this.#roles.assign(this.#running.mark(layout)));
    return { ...page, blocks: joinedParagraphs(blocks) };
  }
}
