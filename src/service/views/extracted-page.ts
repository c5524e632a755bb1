// Defines an extracted page, the source of page images.

export interface ExtractedPage {
  /** Size in points. */
  readonly width: number;
  readonly height: number;
  /** A PDF of only this page. @default the page is too large to store: it is rendered from its document */
  readonly pdf?: Uint8Array;
}
