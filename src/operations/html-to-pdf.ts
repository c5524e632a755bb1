// A web page, or a file of HTML, as a PDF. Nothing at the edge can do it: the container carries it out with Chromium.

export interface HtmlToPdfParams {
  /** The page's address; without it the input is the page. */
  readonly url?: string;
  /** Of the sheet as it lies, in points. */
  readonly paper: { readonly width: number; readonly height: number };
  /** On all sides, in points. */
  readonly margin: number;
  /**
   * The device whose layout the page shows, which fills the width between the margins.
   * @default a desktop; a document that is made for paper (@page rules, print styles) keeps CSS units instead
   */
  readonly layout?: "desktop" | "tablet" | "mobile";
  /** Which of its own @page rules a document that is made for paper follows. @default none of them */
  readonly ownPages?: OwnPages;
  /** Whether the PDF carries its structure, and the outline that is made of it. @default false */
  readonly tagged?: boolean;
  /** Pictures without loss, else as JPEG. */
  readonly lossless: boolean;
  /** Pictures have at most this resolution on the page. @default as they are */
  readonly maxImageDpi?: number;
}

/** What the client left open. */
export interface OwnPages {
  /** And orientation. */
  readonly size: boolean;
  readonly margin: boolean;
}
