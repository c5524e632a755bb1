// Decodes JPEG 2000 data with MuPDF, and returns its channels without converting colors.
import type { MupdfDocument } from "../../engines/mupdf/document.ts";
import { type DecodedImage, decodeImage } from "../../engines/mupdf/image.ts";
import { MupdfError } from "../../engines/mupdf/instance/mupdf.ts";
import { Dictionary, Name, Reference, type Value } from "../values.ts";
import { EngineValues } from "./engine-values.ts";

/** Width and height in pixels. */
export interface JpxSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Decodes JPEG 2000 data whose channels are all colors.
 * @returns undefined if MuPDF cannot decode it
 */
export function decodeJpx(
  document: MupdfDocument,
  bytes: Uint8Array,
  { width, height }: JpxSize,
  channels: number,
): DecodedImage | undefined {
  const { engine, pointer } = document;
  const values = new EngineValues(engine, pointer);
  const numbers: number[] = [];
  try {
    const [image, tint] = engine.run((raw) => {
      for (let count = 0; count < 2; count++) numbers.push(raw._wasm_pdf_create_object(pointer));
      return numbers;
    });
    const dictionary = Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Image"),
      Width: width,
      Height: height,
      Filter: Name.of("JPXDecode"),
      ColorSpace: anySpace(channels, new Reference(tint!)),
    });
    engine.run(() => {
      values.writeStream(tint!, tintOf(channels), Buffer.from(`{${"pop ".repeat(channels - 1)}}`));
      values.writeStream(image!, dictionary, bytes, true);
    });
    return decodeImage(document, image!);
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    engine.complain();
    return undefined;
  } finally {
    engine.release(() => {
      for (const number of numbers) values.write(number, null);
    });
  }
}

/** Returns a color space with one component per channel. */
function anySpace(channels: number, tint: Reference): Value {
  const device = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" }[channels];
  if (device) return Name.of(device);
  const names = Array.from({ length: channels }, (_, index) => Name.of(`C${index}`));
  return [Name.of("DeviceN"), names, Name.of("DeviceGray"), tint];
}

/** Returns the dictionary of a type 4 function with one input per channel and one output. */
const tintOf = (channels: number): Dictionary =>
  Dictionary.of({
    FunctionType: 4,
    Domain: Array.from({ length: channels }, () => [0, 1]).flat(),
    Range: [0, 1],
  });
