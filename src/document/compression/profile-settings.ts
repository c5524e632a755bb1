// Converts a compression profile to settings. Settings absent from the profile are off.
import type { FlatteningQuality } from "../flattening/settings.ts";
import type { CompressionProfile } from "./profile.ts";
import {
  type CompressionSettings,
  DISCARDED,
  type Discarded,
  type ImageSettings,
  type JpegQuality,
} from "./settings.ts";

/** JPEG qualities on the scale of the Independent JPEG Group (0 to 100). */
const QUALITIES: Readonly<Record<string, JpegQuality>> = {
  minimum: { photo: 25, drawing: 35, mask: 40 },
  low: { photo: 42, drawing: 50, mask: 60 },
  medium: { photo: 65, drawing: 72, mask: 75 },
  high: { photo: 75, drawing: 82, mask: 85 },
  maximum: { photo: 90, drawing: 93, mask: 93 },
};
const CODINGS = {
  same: "same",
  zip: "lossless",
  jpeg: "lossy",
  // There is no encoder for JPEG 2000, so JPEG replaces it.
  jpeg2000: "lossy",
  "zip-jpeg": "lossy",
} as const;

const FLATTENING = { "low-quality": "low", "medium-quality": "medium", "high-quality": "high" } as const;

type Images = NonNullable<CompressionProfile["images"]>;

export function settingsOfProfile(profile: CompressionProfile): CompressionSettings {
  const { images = {}, fonts = {}, cleanup = {}, general = {} } = profile;
  const onlyIfSmaller = images["optimize-images-only-if-reduction-in-size"] === true;
  const packs = cleanup.compression === "compress-entire-file";
  return {
    images: {
      color: pictures(images.color, onlyIfSmaller),
      grayscale: pictures(images.grayscale, onlyIfSmaller),
      monochrome: {
        ...downsampling(images.monochrome),
        coding: (images.monochrome?.recompress?.type ?? "same") === "same" ? "same" : "lossless",
        // Group 4 also replaces Group 3: every reader supports both, and Group 4 is smaller.
        bilevel: images.monochrome?.recompress?.type?.startsWith("ccitt") ? "ccitt" : "jbig2",
      },
      onlyIfSmaller,
      mergeEqual: images["consolidate-duplicate-image-and-forms"] === true,
      sixteenBitsToEight: images["down-convert-16-to-8-bpc-images"] === true,
    },
    fonts: {
      subset: fonts["subset-embedded-fonts"] === true,
      subsetSubsets: fonts["resubset-subset-fonts"] === true,
      mergeEqual: fonts["consolidate-duplicate-fonts"] === true,
      mergeSubsets: fonts["consolidate-duplicate-fonts"] === true,
      unembedStandard: fonts["unembed-standard-14-fonts"] === true,
      removeUnused: fonts["remove-unused-fonts"] === true,
      removeHints: false,
    },
    discard: discarded({ ...profile.objects, ...profile.userdata }),
    streams: {
      structure: cleanup.compression === "remove-compression" ? "none" : cleanup.compression ? "packed" : "classic",
      deflatePlain: packs || cleanup["flate-encode-uncompressed-streams"] === true,
      lzwToFlate: cleanup["convert-lzw-to-flate"] === true,
      reflate: packs,
      optimizeContent: cleanup["optimize-page-content"] === true,
      roundContent: false,
      deflateMetadata: false,
    },
    evenIfLarger: general["write-output-even-if-increase-in-size"] === true,
    preserveVersion: general["preserve-version"] === true,
  };
}

function pictures(settings: Images["color"], onlyIfSmaller: boolean): ImageSettings {
  // An image that is downsampled, but not recoded otherwise, has maximum quality, so that it loses little more.
  const { type, quality = "medium" } = settings?.recompress ?? { type: "same", quality: "maximum" };
  const worthwhile = onlyIfSmaller ? 1 : Number.POSITIVE_INFINITY;
  return {
    ...downsampling(settings),
    coding: CODINGS[type],
    quality: QUALITIES[quality]!,
    worthwhile,
    worthwhileAgain: worthwhile,
  };
}

function downsampling(settings: Images["monochrome"] | Images["color"]): Pick<ImageSettings, "downsample"> {
  const { downsample } = settings ?? {};
  if (!downsample) return {};
  return { downsample: { triggerDpi: downsample["trigger-dpi"], targetDpi: downsample["target-dpi"] } };
}

/** Returns the quality of the images that replace transparency; undefined to keep transparency. */
export function flatteningOf({ transparency }: CompressionProfile): FlatteningQuality | undefined {
  const { quality } = transparency ?? {};
  return quality && FLATTENING[quality];
}

/** Reports whether the profile requests a linearized result, which is a few bytes larger. */
export const isForWeb = ({ cleanup }: CompressionProfile): boolean => cleanup?.["optimize-for-fast-web-view"] === true;

function discarded(settings: Readonly<Record<string, boolean | undefined>>): ReadonlySet<Discarded> {
  return new Set(DISCARDED.filter((one) => settings[`discard-${one}`] === true));
}
