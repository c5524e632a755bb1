// Schema of a custom compression profile, a JSON file from the client. Absent settings are off, unknown keys are
// ignored.
import * as z from "zod";

/** The accepted resolutions of images. */
const dpi = z.number().min(1).max(9600);
const optional = <T extends z.ZodType>(type: T) => type.exactOptional();
/** Some clients write "on" and "off" instead of booleans. */
const flag = optional(z.union([z.boolean(), z.enum(["on", "off"]).transform((word) => word === "on")]));
const group = <T extends z.ZodRawShape>(shape: T) => optional(z.object(shape));
/** Marks a setting that is validated but has no effect, so clients can omit it. */
const idle = <T extends z.ZodType>(type: T) => type.meta({ description: "Without effect.", deprecated: true });

const downsample = group({ "trigger-dpi": dpi, "target-dpi": dpi });
const pictures = group({
  downsample,
  recompress: group({
    type: z.enum(["same", "zip", "jpeg", "jpeg2000", "zip-jpeg"]),
    quality: optional(z.enum(["minimum", "low", "medium", "high", "maximum"])),
  }),
});

const INTENTS = [
  "perceptual-intent",
  "relative-colorimetric-intent",
  "saturation-intent",
  "absolute-colorimetric-intent",
  "profile-intent",
] as const;
const COLOR_PROFILES = [
  ...["lab-d50", "srgb", "apple-rgb", "color-match-rgb", "monitor-rgb", "gamma-18", "gamma-22"],
  ...["dot-gain-10", "dot-gain-15", "dot-gain-20", "dot-gain-25", "dot-gain-30", "acrobat5-cmyk", "acrobat9-cmyk"],
] as const;

export const compressionProfile = z.object({
  images: group({
    color: pictures,
    grayscale: pictures,
    monochrome: group({
      downsample,
      recompress: group({
        type: z.enum(["same", "jbig2", "ccittg3", "ccittg4"]),
        quality: optional(z.enum(["lossy", "lossless"])),
      }),
    }),
    "optimize-images-only-if-reduction-in-size": flag,
    "consolidate-duplicate-image-and-forms": flag,
    "down-convert-16-to-8-bpc-images": flag,
  }),
  fonts: group({
    "subset-embedded-fonts": flag,
    "consolidate-duplicate-fonts": flag,
    "unembed-standard-14-fonts": idle(flag),
    "resubset-subset-fonts": flag,
    "remove-unused-fonts": flag,
  }),
  transparency: group({ quality: optional(z.enum(["high-quality", "medium-quality", "low-quality"])) }),
  objects: group({
    "discard-javascript-actions": flag,
    "discard-alternate-images": flag,
    "discard-thumbnails": flag,
    "discard-document-tags": flag,
    "discard-bookmarks": flag,
    "discard-output-intent": flag,
  }),
  userdata: group({
    "discard-comments-forms-multimedia": flag,
    "discard-xmp-metadata-padding": flag,
    "discard-document-information-and-metadata": flag,
    "discard-file-attachments": flag,
    "discard-external-crossreferences": flag,
    "discard-private-data": flag,
    "discard-hidden-layer-content": flag,
  }),
  cleanup: group({
    compression: optional(z.enum(["compress-entire-file", "compress-document-structure", "remove-compression"])),
    "flate-encode-uncompressed-streams": flag,
    "convert-lzw-to-flate": flag,
    "optimize-page-content": flag,
    "optimize-for-fast-web-view": flag,
  }),
  general: group({ "write-output-even-if-increase-in-size": flag, "preserve-version": flag }),
  "color-conversion": idle(
    group({
      enabled: flag,
      "color-convert-action": optional(z.enum(["convert", "decalibrate"])),
      "convert-intent": optional(z.enum(INTENTS)),
      "convert-profile": optional(z.enum(COLOR_PROFILES)),
    }),
  ),
  "pdfa-conversion": idle(
    group({
      enabled: flag,
      type: optional(z.enum(["1b", "2b", "2u", "3b", "3u"])),
      "pdfa-target-color-space": optional(z.enum(["rgb", "cmyk"])),
      "rasterize-if-errors-encountered": flag,
    }),
  ),
});

export type CompressionProfile = z.infer<typeof compressionProfile>;
