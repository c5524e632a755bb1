// Names, for clients, what TIFFs may have and the service does not read. The numbers are those of libtiff's tiff.h, of
// DNG 1.7 and of programs for microscopes.

const COMPRESSIONS: Readonly<Record<number, string>> = {
  9: "JBIG",
  10: "JBIG",
  32_766: "NeXT's run lengths",
  32_809: "ThunderScan",
  32_895: "a method of TIFF/IT",
  32_896: "a method of TIFF/IT",
  32_897: "a method of TIFF/IT",
  32_898: "a method of TIFF/IT",
  32_908: "PixarFilm",
  32_909: "PixarLog",
  33_003: "JPEG 2000",
  33_005: "JPEG 2000",
  34_661: "JBIG",
  34_676: "SGILog",
  34_677: "SGILog",
  34_712: "JPEG 2000",
  34_718: "Microsoft Document Imaging",
  34_719: "Microsoft Document Imaging",
  34_720: "Microsoft Document Imaging",
  34_887: "LERC",
  34_892: "lossy JPEG of DNG",
  34_925: "LZMA",
  34_926: "Zstandard",
  34_927: "WebP",
  34_933: "PNG",
  34_934: "JPEG XR",
  50_000: "Zstandard",
  50_001: "WebP",
  50_002: "JPEG XL",
  52_546: "JPEG XL",
};

const PHOTOMETRICS: Readonly<Record<number, string>> = {
  4: "a transparency mask alone",
  5: "inks other than CMYK",
  10: "ITU L*a*b* colors",
  32_803: "colors of a camera's sensor",
  32_844: "LogL colors",
  32_845: "LogLuv colors",
  34_892: "colors of a camera's sensor",
  51_177: "a depth map",
  52_527: "a photometric mask",
};

/** @param number value of the field Compression */
export const compressionName = (number: number): string => COMPRESSIONS[number] ?? `method ${number}`;

/** @param number value of the field PhotometricInterpretation */
export const photometricName = (number: number): string =>
  PHOTOMETRICS[number] ?? `photometric interpretation ${number}`;
