// Converts a web page or an HTML file to PDF. The edge cannot do this: the container runs the operation with Chromium.

export interface HtmlToPdfParams {
  /** Address of the page. If it is not set, the input is the page. */
  readonly url?: string;
  /** Size of the sheet in its final orientation, in points. */
  readonly paper: { readonly width: number; readonly height: number };
  /** Margin on all sides, in points. */
  readonly margin: number;
  /**
   * Device whose layout the page shows, fitted to the width between the margins.
   * @default a desktop; a document made for paper (@page rules, print styles) keeps CSS units instead
   */
  readonly layout?: "desktop" | "tablet" | "mobile";
  /** The @page rules that a document made for paper follows. @default none of them */
  readonly ownPages?: OwnPages;
  /** True to write the structure of the document, and the outline derived from it. @default false */
  readonly tagged?: boolean;
  /** True to store pictures without loss, false to store them as JPEG. */
  readonly lossless: boolean;
  /** Highest resolution of pictures on the page. @default as they are */
  readonly maxImageDpi?: number;
}

/** The page properties that the client did not set. */
export interface OwnPages {
  /** Size and orientation. */
  readonly size: boolean;
  readonly margin: boolean;
}
