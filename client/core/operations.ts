// Written by scripts/write-client.ts from the declarations of the endpoints: do not edit.
import type { Inputs, InputWithPages } from "./inputs.ts";
import type { CallOptions } from "./progress.ts";
import type { PendingResult } from "./result.ts";

/** Path and kind of input of each operation. */
export const OPERATIONS = {
  bmp: ["/bmp", "one"],
  compress: ["/compressed-pdf", "one"],
  flatten: ["/flattened-transparencies-pdf", "one"],
  gif: ["/gif", "one"],
  html: ["/html", "text"],
  jpg: ["/jpg", "one"],
  linearize: ["/linearized-pdf", "one"],
  merge: ["/merged-pdf", "selected"],
  pdf: ["/pdf", "one"],
  pdfa: ["/pdfa", "one"],
  png: ["/png", "one"],
  split: ["/split-pdf", "one"],
  tif: ["/tif", "one"],
  zip: ["/zip", "several"],
} as const;

export type OperationName = keyof typeof OPERATIONS;

/** Page numbers and ranges: `"1-3,last"`, `5` or `[1, "4-6"]`. */
export type Pages = string | number | readonly (string | number)[];

/** A running operation: it can be awaited, be the input of another call, or go on: `pw.pdf(file).pdfa(…).save(…)`. */
export type Job = PendingResult & ChainedOperations;

export interface BmpParams {
  /**
   * Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the
   * name of the input and the operation.
   */
  readonly output?: string | undefined;
  /**
   * The pages to convert, in this order.
   * @example `1-3,7`, `last-1`
   * @default 1-last
   */
  readonly pages?: Pages | undefined;
  /**
   * Dots per inch.
   * @minimum 12
   * @maximum 2400
   * @default 300
   */
  readonly resolution?: number | undefined;
  /**
   * The color model of the files.
   * @default rgb
   */
  readonly colorModel?: "rgb" | "gray" | undefined;
}

export interface CompressParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
  /** low favors fidelity, and high favors a small file; custom uses the settings of the profile. */
  readonly compressionLevel: "low" | "medium" | "high" | "custom";
  /**
   * JSON file with compression settings, at most 1 MB. Required if compression_level is custom, and ignored otherwise.
   */
  readonly profile?: Readonly<Record<string, unknown>> | string | undefined;
  /** Id of a stored JSON file with compression settings, instead of profile. */
  readonly profileId?: string | undefined;
}

export interface FlattenParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
  /**
   * low for proofs on black-and-white printers and for the web, medium for desktop proofs and color printers, high for
   * press.
   * @default medium
   */
  readonly quality?: "low" | "medium" | "high" | undefined;
}

export interface GifParams {
  /**
   * Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the
   * name of the input and the operation.
   */
  readonly output?: string | undefined;
  /**
   * The pages to convert, in this order.
   * @example `1-3,7`, `last-1`
   * @default 1-last
   */
  readonly pages?: Pages | undefined;
  /**
   * Dots per inch.
   * @minimum 12
   * @maximum 2400
   * @default 300
   */
  readonly resolution?: number | undefined;
  /**
   * The color model of the files.
   * @default rgb
   */
  readonly colorModel?: "rgb" | "gray" | undefined;
}

export interface HtmlParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
}

export interface JpgParams {
  /**
   * Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the
   * name of the input and the operation.
   */
  readonly output?: string | undefined;
  /**
   * The pages to convert, in this order.
   * @example `1-3,7`, `last-1`
   * @default 1-last
   */
  readonly pages?: Pages | undefined;
  /**
   * Dots per inch.
   * @minimum 12
   * @maximum 2400
   * @default 300
   */
  readonly resolution?: number | undefined;
  /**
   * The color model of the files.
   * @default rgb
   */
  readonly colorModel?: "rgb" | "cmyk" | "gray" | undefined;
  /**
   * Higher gives better quality and larger files.
   * @minimum 1
   * @maximum 100
   * @default 75
   */
  readonly jpegQuality?: number | undefined;
}

export interface LinearizeParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
}

export interface MergeParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
}

export interface PdfParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
  /**
   * Compression of images.
   * @default lossy
   */
  readonly compression?: "lossy" | "lossless" | undefined;
  /**
   * Maximum resolution of images, in dots per inch; off keeps their resolution.
   * @default 300
   */
  readonly downsample?: 75 | "75" | 150 | "150" | 300 | "300" | 600 | "600" | 1200 | "1200" | "off" | undefined;
  /**
   * Tags the PDF (Office documents and HTML). For HTML, this also adds an outline of the headings.
   * @default off
   */
  readonly taggedPdf?: boolean | "on" | "off" | undefined;
  /**
   * Paper (HTML). If web_layout is not sent, a document made for paper keeps its own @page size, unless page_size or
   * page_orientation is sent.
   * @default letter
   */
  readonly pageSize?: "letter" | "legal" | "ledger" | "A3" | "A4" | "A5" | undefined;
  /**
   * Margin on all sides, in inches or millimeters (HTML); at least 9 points must remain between margins. If web_layout
   * is not sent, a document made for paper keeps its own @page margin, unless page_margin is sent.
   * @example `1in`, `12.5mm`
   * @default 1in
   */
  readonly pageMargin?: string | undefined;
  /**
   * Orientation of the paper (HTML). If web_layout is not sent, a document made for paper keeps its own @page size,
   * unless page_size or page_orientation is sent.
   * @default portrait
   */
  readonly pageOrientation?: "portrait" | "landscape" | undefined;
  /**
   * The device whose layout a page shows, fitted to the width of the paper (HTML). If it is not sent, a document with
   * @page rules or print styles of its own is not fitted: 12pt is 12pt.
   * @default desktop
   */
  readonly webLayout?: "desktop" | "tablet" | "mobile" | undefined;
}

export interface PdfaParams {
  /** Name of the file, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
  /** Version of PDF/A. Level b preserves the appearance; level u also requires Unicode values for all text. */
  readonly outputType: "PDF/A-1b" | "PDF/A-2b" | "PDF/A-2u" | "PDF/A-3b" | "PDF/A-3u";
  /**
   * Replaces a page that cannot be converted by an image of it.
   * @default off
   */
  readonly rasterizeIfErrorsEncountered?: boolean | "on" | "off" | undefined;
}

export interface PngParams {
  /**
   * Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the
   * name of the input and the operation.
   */
  readonly output?: string | undefined;
  /**
   * The pages to convert, in this order.
   * @example `1-3,7`, `last-1`
   * @default 1-last
   */
  readonly pages?: Pages | undefined;
  /**
   * Dots per inch.
   * @minimum 12
   * @maximum 2400
   * @default 300
   */
  readonly resolution?: number | undefined;
  /**
   * The color model of the files.
   * @default rgb
   */
  readonly colorModel?: "rgb" | "rgba" | "gray" | undefined;
}

export interface SplitParams {
  /**
   * Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name if left out.
   */
  readonly output?: string | undefined;
  /**
   * The pages of each file to make; one file for each page if left out.
   * @example `1-3,7`, `last-1`, `even`, `all`
   */
  readonly pages?: readonly (string | number)[] | undefined;
}

export interface TifParams {
  /**
   * Prefix of the files' names, without extension; a number from 1 is appended to each. By default, it is made from the
   * name of the input and the operation.
   */
  readonly output?: string | undefined;
  /**
   * The pages to convert, in this order.
   * @example `1-3,7`, `last-1`
   * @default 1-last
   */
  readonly pages?: Pages | undefined;
  /**
   * Dots per inch.
   * @minimum 12
   * @maximum 2400
   * @default 300
   */
  readonly resolution?: number | undefined;
  /**
   * The color model of the files.
   * @default rgb
   */
  readonly colorModel?: "rgb" | "rgba" | "cmyk" | "lab" | "gray" | undefined;
}

export interface ZipParams {
  /** Name of the archive, without extension. By default, it is made from the name of the input and the operation. */
  readonly output?: string | undefined;
}

/** The operations on an input. */
export interface Operations {
  /**
   * Converts a PDF to BMP files, one per selected page.
   * @param input PDF
   */
  bmp(input: Inputs, params?: BmpParams, options?: CallOptions): Job;

  /**
   * Reduces the file size of a PDF.
   * @param input PDF
   */
  compress(input: Inputs, params: CompressParams, options?: CallOptions): Job;

  /**
   * Flattens all transparent objects in a PDF. Only in the keyed variant.
   * @param input PDF
   */
  flatten(input: Inputs, params?: FlattenParams, options?: CallOptions): Job;

  /**
   * Converts a PDF to GIF files, one per selected page.
   * @param input PDF
   */
  gif(input: Inputs, params?: GifParams, options?: CallOptions): Job;

  /**
   * Saves a string of HTML as an .html file.
   * @param content HTML, as a field or as a file part.
   */
  html(content: string | PromiseLike<string>, params?: HtmlParams, options?: CallOptions): Job;

  /**
   * Converts a PDF to JPEG files, one per selected page.
   * @param input PDF
   */
  jpg(input: Inputs, params?: JpgParams, options?: CallOptions): Job;

  /**
   * Linearizes a PDF, so that web servers can send it one page at a time. Only in the keyed variant.
   * @param input PDF
   */
  linearize(input: Inputs, params?: LinearizeParams, options?: CallOptions): Job;

  /**
   * Merges PDFs, or chosen pages of them, into one PDF.
   * @param inputs PDF
   */
  merge(inputs: Iterable<Inputs | InputWithPages>, params?: MergeParams, options?: CallOptions): Job;

  /**
   * Converts a document to PDF.
   * @param input Word, Excel, PowerPoint, PostScript or EPS document, HTML, or an image (JPEG, PNG, TIFF, BMP)
   */
  pdf(input: Inputs, params?: PdfParams, options?: CallOptions): Job;

  /**
   * Converts a PDF to a PDF/A version.
   * @param input PDF
   */
  pdfa(input: Inputs, params: PdfaParams, options?: CallOptions): Job;

  /**
   * Converts a PDF to PNG files, one per selected page.
   * @param input PDF
   */
  png(input: Inputs, params?: PngParams, options?: CallOptions): Job;

  /**
   * Splits a PDF into one or more PDFs.
   * @param input PDF
   */
  split(input: Inputs, params?: SplitParams, options?: CallOptions): Job;

  /**
   * Converts a PDF to TIFF files, one per selected page.
   * @param input PDF
   */
  tif(input: Inputs, params?: TifParams, options?: CallOptions): Job;

  /**
   * Packs files into a .zip archive.
   * @param inputs Any file
   */
  zip(inputs: Iterable<Inputs>, params?: ZipParams, options?: CallOptions): Job;
}

/** The operations on the result of another one. */
export interface ChainedOperations {
  /** Converts a PDF to BMP files, one per selected page. */
  bmp(params?: BmpParams, options?: CallOptions): Job;

  /** Reduces the file size of a PDF. */
  compress(params: CompressParams, options?: CallOptions): Job;

  /** Flattens all transparent objects in a PDF. Only in the keyed variant. */
  flatten(params?: FlattenParams, options?: CallOptions): Job;

  /** Converts a PDF to GIF files, one per selected page. */
  gif(params?: GifParams, options?: CallOptions): Job;

  /** Converts a PDF to JPEG files, one per selected page. */
  jpg(params?: JpgParams, options?: CallOptions): Job;

  /** Linearizes a PDF, so that web servers can send it one page at a time. Only in the keyed variant. */
  linearize(params?: LinearizeParams, options?: CallOptions): Job;

  /** Merges PDFs, or chosen pages of them, into one PDF. */
  merge(params?: MergeParams, options?: CallOptions): Job;

  /** Converts a document to PDF. */
  pdf(params?: PdfParams, options?: CallOptions): Job;

  /** Converts a PDF to a PDF/A version. */
  pdfa(params: PdfaParams, options?: CallOptions): Job;

  /** Converts a PDF to PNG files, one per selected page. */
  png(params?: PngParams, options?: CallOptions): Job;

  /** Splits a PDF into one or more PDFs. */
  split(params?: SplitParams, options?: CallOptions): Job;

  /** Converts a PDF to TIFF files, one per selected page. */
  tif(params?: TifParams, options?: CallOptions): Job;

  /** Packs files into a .zip archive. */
  zip(params?: ZipParams, options?: CallOptions): Job;
}
