// What a compression may do, and the three levels. Knows neither profiles as clients write them nor how anything is done.

/** How images of one kind are brought down and coded anew. */
export interface ImageSettings {
  /** Dots per inch on the page: images above `trigger` are brought to `target`. @default they keep their pixels */
  readonly downsample?: { readonly triggerDpi: number; readonly targetDpi: number };
  /**
   * `same`: in the coding they have. `lossless`: in whatever coding without loss is smallest. `lossy`: photographs become JPEG.
   */
  readonly coding: "same" | "lossless" | "lossy";
  /** JPEG qualities on the scale of the Independent JPEG Group. */
  readonly quality: JpegQuality;
  /** What is coded a second time with loss takes less than this part of what was there. */
  readonly worthwhile: number;
  /** The same of a JPEG whose pixels all stay. */
  readonly worthwhileAgain: number;
}

export interface JpegQuality {
  readonly photo: number;
  /** For images with flat parts. */
  readonly drawing: number;
  /** Of gray soft masks. */
  readonly mask: number;
}

export interface CompressionSettings {
  readonly images: {
    readonly color: ImageSettings;
    readonly grayscale: ImageSettings;
    /** Never with loss, but for the pixels that go. */
    readonly monochrome: Pick<ImageSettings, "downsample" | "coding"> & { readonly bilevel: "jbig2" | "ccitt" };
    /** Whether what takes an image's place has to be smaller. */
    readonly onlyIfSmaller: boolean;
    readonly mergeEqual: boolean;
    readonly sixteenBitsToEight: boolean;
    /** Whether scans of print become layers, and at which dots per inch. @default they stay pictures */
    readonly layers?: { readonly printDpi: number; readonly paperDpi: number };
  };
  readonly fonts: {
    readonly subset: boolean;
    /** Also those that their name says are subsets. */
    readonly subsetSubsets: boolean;
    readonly mergeEqual: boolean;
    /** Whether subsets of one font become one. */
    readonly mergeSubsets: boolean;
    readonly unembedStandard: boolean;
    readonly removeUnused: boolean;
    /** Whether programs go that fit the outlines of subsets to coarse pixels. */
    readonly removeHints: boolean;
  };
  readonly discard: ReadonlySet<Discarded>;
  readonly streams: {
    /** Whether there are object streams; `none`: nothing is compressed at all. */
    readonly structure: "packed" | "classic" | "none";
    /** What has no filter. */
    readonly deflatePlain: boolean;
    readonly lzwToFlate: boolean;
    /** What is deflated, where a better level is worth it. */
    readonly reflate: boolean;
    readonly optimizeContent: boolean;
    /** Whether digits of numbers in content go that nobody sees. */
    readonly roundContent: boolean;
    /** Metadata too, which are legible otherwise for programs that know no PDF (ISO 32000-1, 14.3.2). */
    readonly deflateMetadata: boolean;
  };
  /** Whether a result that is larger than the input is given all the same. */
  readonly evenIfLarger: boolean;
  readonly preserveVersion: boolean;
  /** Whether it is linearized (annex F). */
  readonly forWeb: boolean;
}

/** Parts of a document that can be left out. */
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

/** Qualities for images that keep their pixels, and for none. */
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
  forWeb: false,
};

/** Resolutions from this many times the target on are worth bringing down. */
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
