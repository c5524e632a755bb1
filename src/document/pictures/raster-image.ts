// Codes rasters as image XObjects, while they are drawn (ISO 32000-1, 8.9.5).
import type { Chunks } from "../contract/operation.ts";
import { CHANNELS, type Raster } from "../contract/raster.ts";
import { encodeJpeg } from "../formats/jpeg/write.ts";
import { flateImage } from "../formats/to-pdf/image-data.ts";
import { inverted, RGB } from "../formats/to-pdf/image-page.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference, type Value } from "../objects/values.ts";

/** The quality of JPEG data, or `lossless`. */
export type Coding = number | "lossless";

const BITS = 8;
const PNG_PREDICTOR = 15;
const DEVICE_SPACES = { gray: "DeviceGray", rgb: "DeviceRGB", cmyk: "DeviceCMYK" } as const;

/** Returns the data of an image. Each chunk is valid until the next one is requested. */
export function imageData(raster: Raster, coding: Coding): Chunks {
  const { iccProfile: _, ...plain } = raster;
  // The color space of the image contains the profile.
  if (coding !== "lossless") return encodeJpeg(plain, { quality: coding });
  const { width, height, colorModel } = raster;
  const components = CHANNELS[colorModel];
  // The number of components decides, not the color space.
  const form = { bitsPerComponent: BITS, components, colorSpace: RGB } as const;
  return flateImage({ width, height, ...form, rows: () => rowsOf(raster) }).data();
}

/** Describes rasters of one document. */
export class RasterImages {
  readonly #file: PdfFile;
  #profile: Reference | undefined;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @param raster gray, rgb or cmyk */
  dictionary(raster: Raster, coding: Coding): Dictionary {
    const { width, height, colorModel } = raster;
    const dictionary = Dictionary.of({
      ...{ Type: Name.of("XObject"), Subtype: Name.of("Image"), Width: width, Height: height },
      ...{ BitsPerComponent: BITS, ColorSpace: this.#colorSpace(raster) },
    });
    if (coding === "lossless") {
      const entries = {
        Predictor: PNG_PREDICTOR,
        Colors: CHANNELS[colorModel],
        BitsPerComponent: BITS,
        Columns: width,
      };
      return dictionary.set("Filter", Name.of("FlateDecode")).set("DecodeParms", Dictionary.of(entries));
    }
    // The encoder stores the inks of a JPEG inverted, like Adobe's programs.
    if (colorModel === "cmyk") dictionary.set("Decode", inverted(CHANNELS.cmyk));
    return dictionary.set("Filter", Name.of("DCTDecode"));
  }

  #colorSpace({ colorModel, iccProfile }: Raster): Value {
    const device = Name.of(DEVICE_SPACES[colorModel as keyof typeof DEVICE_SPACES]);
    if (!iccProfile) return device;
    const entries = { N: CHANNELS[colorModel], Alternate: device };
    this.#profile ??= this.#file.add(new PdfStream(Dictionary.of(entries), plainBody(iccProfile)));
    return [Name.of("ICCBased"), this.#profile];
  }
}

function* rowsOf(raster: Raster): Generator<Uint8Array> {
  const rowBytes = raster.width * CHANNELS[raster.colorModel];
  for (const { samples, rows } of raster.bands()) yield samples.subarray(0, rows * rowBytes);
}
