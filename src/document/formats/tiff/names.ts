// Names, in error messages, of unsupported TIFF features. The numbers are from libtiff's tiff.h, DNG 1.7 and microscope
// software.

const COMPRESSIONS: Readonly<Record<number, string>> = {
  9: "JBIG",
  10: "JBIG",
  32766: "NeXT's run lengths",
  32809: "ThunderScan",
  32895: "a method of TIFF/IT",
  32896: "a method of TIFF/IT",
  32897: "a method of TIFF/IT",
  32898: "a method of TIFF/IT",
  32908: "PixarFilm",
  32909: "PixarLog",
  33003: "JPEG 2000",
  33005: "JPEG 2000",
  34661: "JBIG",
  34676: "SGILog",
  34677: "SGILog",
  34712: "JPEG 2000",
  34718: "Microsoft Document Imaging",
  34719: "Microsoft Document Imaging",
  34720: "Microsoft Document Imaging",
  34887: "LERC",
  34892: "lossy JPEG of DNG",
  34925: "LZMA",
  34926: "Zstandard",
  34927: "WebP",
  34933: "PNG",
  34934: "JPEG XR",
  50000: "Zstandard",
  50001: "WebP",
  50002: "JPEG XL",
  52546: "JPEG XL",
};

const INTERPRETATIONS: Readonly<Record<number, string>> = {
  4: "a transparency mask alone",
  5: "inks other than CMYK",
  10: "ITU L*a*b* colors",
  32803: "colors of a camera's sensor",
  32844: "LogL colors",
  32845: "LogLuv colors",
  34892: "colors of a camera's sensor",
  51177: "a depth map",
  52527: "a photometric mask",
};

/** @param number value of the tag Compression */
export const compressionName = (number: number): string => COMPRESSIONS[number] ?? `method ${number}`;

/** @param number value of the tag PhotometricInterpretation */
export const photometricName = (number: number): string =>
  INTERPRETATIONS[number] ?? `photometric interpretation ${number}`;
