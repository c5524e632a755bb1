// Defines a page as pictures are drawn from it.

export interface ExtractedPage {
  /** Size in points. */
  readonly width: number;
  readonly height: number;
  /** The page alone. @default the page is too large to be kept: it is drawn from its document */
  readonly pdf?: Uint8Array;
}
