// An Office document as a PDF. Nothing at the edge can do it: the container carries it out with LibreOffice.

export interface OfficeToPdfParams {
  /** Whether the PDF carries its structure (ISO 32000-1, 14.8), language and title. */
  readonly tagged: boolean;
  /** Pictures without loss, else as JPEG. */
  readonly lossless: boolean;
  /** Pictures have at most this resolution on the page. @default as they are */
  readonly maxImageDpi?: number;
}
