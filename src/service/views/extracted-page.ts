// Defines an extracted page, from which page images are rendered.

export interface ExtractedPage {
  /** Size in points. */
  readonly width: number;
  readonly height: number;
  /**
   * A PDF that contains only this page. @default the page is too large to store, so images are rendered from the whole
   * document
   */
  readonly pdf?: Uint8Array;
}
