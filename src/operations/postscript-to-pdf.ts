// A PostScript program, encapsulated or not, as a PDF. Nothing at the edge can do it: the container carries it out with
// Ghostscript.

export interface PostscriptToPdfParams {
  /** Pictures without loss, else as JPEG where they are photographs. */
  readonly lossless: boolean;
  /** Pictures have at most this resolution on the page. @default as they are */
  readonly maxImageDpi?: number;
}
