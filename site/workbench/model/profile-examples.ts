// Example profiles for compression. The first one is the initial value of the form.

export interface ProfileExample {
  readonly title: string;
  /** The profile as indented JSON. */
  readonly text: string;
}

const example = (title: string, profile: object): ProfileExample => ({
  title,
  text: JSON.stringify(profile, undefined, 2),
});

/** Settings that reduce the size without changing the appearance of pages. */
const SHORTER = {
  fonts: { "subset-embedded-fonts": true, "consolidate-duplicate-fonts": true },
  cleanup: { compression: "compress-entire-file" },
};

const photographs = (triggerDpi: number, targetDpi: number, quality: string) => ({
  downsample: { "trigger-dpi": triggerDpi, "target-dpi": targetDpi },
  recompress: { type: "jpeg", quality },
});
const BITS = { recompress: { type: "jbig2", quality: "lossless" } };

export const PROFILE_EXAMPLES: readonly ProfileExample[] = [
  example("Everyday files", {
    images: {
      color: photographs(225, 150, "medium"),
      grayscale: photographs(225, 150, "medium"),
      monochrome: BITS,
      "consolidate-duplicate-image-and-forms": true,
    },
    ...SHORTER,
  }),
  example("Scans for mail", {
    images: {
      color: photographs(150, 120, "low"),
      grayscale: photographs(150, 120, "low"),
      monochrome: { downsample: { "trigger-dpi": 350, "target-dpi": 300 }, ...BITS },
    },
    ...SHORTER,
  }),
  example("Nothing visible changes", {
    images: {
      color: { recompress: { type: "zip" } },
      grayscale: { recompress: { type: "zip" } },
      monochrome: BITS,
      "consolidate-duplicate-image-and-forms": true,
    },
    ...SHORTER,
  }),
  example("Drop everything not seen", {
    ...SHORTER,
    objects: {
      "discard-javascript-actions": true,
      "discard-alternate-images": true,
      "discard-thumbnails": true,
    },
    userdata: {
      "discard-xmp-metadata-padding": true,
      "discard-document-information-and-metadata": true,
      "discard-file-attachments": true,
      "discard-private-data": true,
      "discard-hidden-layer-content": true,
    },
  }),
];
