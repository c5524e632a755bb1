// Compression settings, and the three compression levels.

/** Settings for images of one kind: downsampling and recoding. */
export interface ImageSettings {
  /**
   * Downsamples images to `targetDpi` if their resolution on the page exceeds `triggerDpi`.
   * @default images keep their pixels
   */
  readonly downsample?: { readonly triggerDpi: number; readonly targetDpi: number };
  /** `same`: keeps the coding. `lossless`: uses the smallest lossless coding. `lossy`: codes photographs as JPEG. */
  readonly coding: "same" | "lossless" | "lossy";
  /** JPEG qualities on the scale of the Independent JPEG Group. */
  readonly quality: JpegQuality;
  /** A downsampled JPEG or JPEG 2000 image is used only if its size is at most this fraction of the original size. */
  readonly worthwhile: number;
  /**
   * A JPEG or JPEG 2000 image recoded with all pixels is used only if its size is at most this fraction of the original
   * size.
   */
  readonly worthwhileAgain: number;
}

export interface JpegQuality {
  readonly photo: number;
  /** JPEG quality of images with flat areas. */
  readonly drawing: number;
  /** JPEG quality of gray soft masks. */
  readonly mask: number;
}

export interface CompressionSettings {
  readonly images: {
    readonly color: ImageSettings;
    readonly grayscale: ImageSettings;
    /** Settings of bilevel images, which are always coded losslessly. */
    readonly monochrome: Pick<ImageSettings, "downsample" | "coding"> & { readonly bilevel: "jbig2" | "ccitt" };
    /** True to replace an image only by a smaller one. */
    readonly onlyIfSmaller: boolean;
    readonly mergeEqual: boolean;
    readonly sixteenBitsToEight: boolean;
    /** Resolutions of the layers that replace scans of printed pages. @default scans stay images */
    readonly layers?: { readonly printDpi: number; readonly paperDpi: number };
  };
  readonly fonts: {
    readonly subset: boolean;
    /** True to also subset fonts whose name has a subset tag. */
    readonly subsetSubsets: boolean;
    readonly mergeEqual: boolean;
    /** True to merge subsets of the same font. */
    readonly mergeSubsets: boolean;
    readonly unembedStandard: boolean;
    readonly removeUnused: boolean;
    /** True to remove hinting (instructions that fit outlines to coarse pixels) from subsets. */
    readonly removeHints: boolean;
  };
  readonly discard: ReadonlySet<Discarded>;
  readonly streams: {
    /** `packed` writes object streams, `classic` writes none, `none` compresses no stream. */
    readonly structure: "packed" | "classic" | "none";
    /** True to deflate streams without a filter. */
    readonly deflatePlain: boolean;
    readonly lzwToFlate: boolean;
    /** True to deflate streams again at a higher level if that saves bytes. */
    readonly reflate: boolean;
    readonly optimizeContent: boolean;
    /** True to round numbers in content, without visible changes. */
    readonly roundContent: boolean;
    /**
     * True to deflate metadata too. Unfiltered metadata can be read by programs without a PDF parser (ISO 32000-1,
     * 14.3.2).
     */
    readonly deflateMetadata: boolean;
  };
  /** True to return the result even if it is larger than the input. */
  readonly evenIfLarger: boolean;
  readonly preserveVersion: boolean;
}

/** Parts of a document that can be discarded. */
export const DISCARDED = [
  "javascript-actions",
  "alternate-images",
  "thumbnails",
  "document-tags",
  "bookmarks",
  "output-intent",
  "comments-forms-multimedia",
  "xmp-metadata-padding",
  "document-information-and-metadata",
  "file-attachments",
  "external-crossreferences",
  "private-data",
  "hidden-layer-content",
] as const;
export type Discarded = (typeof DISCARDED)[number];

export const LEVELS = ["low", "medium", "high"] as const;
export type Level = (typeof LEVELS)[number];

/** Qualities without effect: {@link LOSSLESS} creates no JPEG. */
const FINE: JpegQuality = { photo: 85, drawing: 90, mask: 90 };
const LOSSLESS: ImageSettings = { coding: "lossless", quality: FINE, worthwhile: 1, worthwhileAgain: 1 };

const BITS = { coding: "lossless", bilevel: "jbig2" } as const;

const LOW: CompressionSettings = {
  images: {
    color: LOSSLESS,
    grayscale: LOSSLESS,
    monochrome: BITS,
    onlyIfSmaller: true,
    mergeEqual: true,
    sixteenBitsToEight: false,
  },
  fonts: {
    subset: true,
    subsetSubsets: false,
    mergeEqual: true,
    mergeSubsets: true,
    unembedStandard: false,
    removeUnused: true,
    removeHints: false,
  },
  discard: new Set(["private-data", "thumbnails", "xmp-metadata-padding"]),
  streams: {
    structure: "packed",
    deflatePlain: true,
    lzwToFlate: true,
    reflate: true,
    optimizeContent: true,
    roundContent: false,
    deflateMetadata: false,
  },
  evenIfLarger: false,
  preserveVersion: false,
};

/** The trigger is well above the target, because a small reduction costs quality but saves few bytes. */
const MEDIUM: ImageSettings = {
  downsample: { triggerDpi: 225, targetDpi: 150 },
  coding: "lossy",
  quality: { photo: 65, drawing: 72, mask: 75 },
  worthwhile: 0.85,
  worthwhileAgain: 0.6,
};
const HIGH: ImageSettings = {
  downsample: { triggerDpi: 130, targetDpi: 100 },
  coding: "lossy",
  quality: { photo: 42, drawing: 50, mask: 60 },
  worthwhile: 0.9,
  worthwhileAgain: 0.9,
};

const LAYERS = { printDpi: 300, paperDpi: 75 } as const;

const withImages = (pictures: ImageSettings): CompressionSettings => ({
  ...LOW,
  images: { ...LOW.images, color: pictures, grayscale: pictures, sixteenBitsToEight: true },
  fonts: { ...LOW.fonts, subsetSubsets: true, removeHints: true },
  streams: { ...LOW.streams, roundContent: true, deflateMetadata: true },
});

export const LEVEL_SETTINGS: Readonly<Record<Level, CompressionSettings>> = {
  low: LOW,
  medium: withImages(MEDIUM),
  high: { ...withImages(HIGH), images: { ...withImages(HIGH).images, layers: LAYERS } },
};
