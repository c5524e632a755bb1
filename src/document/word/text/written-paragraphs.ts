// Writes paragraphs: what they have otherwise than their styles.
import type { ParagraphLook } from "../../formats/docx/looks.ts";
import { paragraphProperties } from "../../formats/docx/looks.ts";
import type { StyleLook, StyleName } from "../../formats/docx/styles.ts";
import type { TextBlock } from "../../layout/lines/blocks.ts";
import type { Paragraph } from "./paragraphs.ts";
import { type Piece, runsXml } from "./pieces.ts";

/** A paragraph that can go on. */
export class OpenParagraph {
  readonly style: StyleName;
  readonly numbering: { readonly id: number; readonly level: number } | undefined;
  look: ParagraphLook;
  pieces: readonly Piece[];
  startsPage = false;
  /** Names of the places that start with the paragraph. */
  bookmarks: readonly string[] = [];
  /** Its last block. */
  block: TextBlock | undefined;

  constructor({ style, look, pieces }: Paragraph, numbering?: OpenParagraph["numbering"]) {
    this.style = style;
    this.look = look;
    this.pieces = pieces;
    this.numbering = numbering;
  }
}

/** Differences from a style that do not count, in points. */
const GRAIN: Readonly<Record<string, number>> = { line: 0.04, before: 0.04, after: 0.6, start: 1, end: 1, first: 1 };

interface Writing {
  readonly styles: ReadonlyMap<StyleName, StyleLook>;
  linkId(link: string): string | undefined;
}

export class ParagraphWriter {
  readonly #styles: Writing["styles"];
  readonly #linkId: Writing["linkId"];
  #bookmarks = 0;

  constructor({ styles, linkId }: Writing) {
    this.#styles = styles;
    this.#linkId = linkId;
  }

  /** @param section properties of the section that ends with the paragraph */
  xml({ style, numbering, look, pieces, startsPage, bookmarks }: OpenParagraph, section?: string): string {
    // The indents of lists replace those of styles.
    const indents = numbering ? { start: look.start, first: look.first } : {};
    const own = { ...this.#differentLook(look, style), ...indents };
    const place = { style: style === "Normal" ? undefined : style, numbering, section };
    const properties = paragraphProperties({ ...own, ...(startsPage ? { startsPage } : {}) }, place);
    return `<w:p>${properties}${this.#places(bookmarks)}${this.#runs(pieces, style)}</w:p>`;
  }

  /** @param label the run with the mark of the note */
  noteXml({ look, pieces }: Paragraph, label: string): string {
    const { line } = look;
    const properties = paragraphProperties(this.#differentLook({ line }, "FootnoteText"), { style: "FootnoteText" });
    const space: Piece = { text: " ", look: {}, style: "" };
    return `<w:p>${properties}${label}${this.#runs([space, ...pieces], "FootnoteText")}</w:p>`;
  }

  #runs(pieces: readonly Piece[], style: StyleName): string {
    return runsXml(pieces, this.#lookOf(style), this.#linkId);
  }

  #lookOf(style: StyleName): StyleLook {
    return { ...this.#styles.get("Normal"), ...this.#styles.get(style) };
  }

  #places(names: readonly string[]): string {
    return names
      .map(
        (name) =>
          `<w:bookmarkStart w:id="${++this.#bookmarks}" w:name="${name}"/><w:bookmarkEnd w:id="${this.#bookmarks}"/>`,
      )
      .join("");
  }

  #differentLook(look: ParagraphLook, style: StyleName): ParagraphLook {
    const known: Readonly<Record<string, unknown>> = { before: 0, after: 0, ...this.#lookOf(style) };
    const rest = Object.entries(look).filter(([key, value]) => {
      const usual = known[key];
      if (typeof value === "number" && typeof usual === "number") return Math.abs(value - usual) > (GRAIN[key] ?? 0);
      return value !== usual;
    });
    return Object.fromEntries(rest);
  }
}
