// Builds a form from the layers of mixed raster content. The form replaces the image under the same object number: the
// operator Do draws either of them in the unit square (ISO 32000-1, 8.9.5 and 8.10).
import type { PdfImage } from "../images/image.ts";
import { SAMPLE_ENTRIES } from "../images/image.ts";
import type { MixedRaster, Stencil } from "../images/mixed-raster.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, type Reference, type Value } from "../objects/values.ts";
import { memoryBody } from "./recode-stream.ts";

/** Entries of an image that have another meaning, or none, in a form. */
const IMAGE_ENTRIES = [...SAMPLE_ENTRIES, "Intent", "Interpolate", "Alternates", "Name", "ID", "OPI", "Matte"];

/** @param add stores the stream of a layer unchanged */
export function formOf(
  file: PdfFile,
  image: PdfImage,
  { backdrop, print, stencils }: MixedRaster,
  add: (stream: PdfStream) => Reference,
): PdfStream {
  const space = image.colors!.space;
  const intent = image.dictionary.get("Intent");
  const shared = { Type: Name.of("XObject"), Subtype: Name.of("Image") };
  const base = Dictionary.of({
    ...shared,
    Width: backdrop.width,
    Height: backdrop.height,
    ColorSpace: space,
    BitsPerComponent: 8,
    Filter: Name.of("DCTDecode"),
    Intent: intent,
  });
  const objects = Dictionary.of({ B: add(new PdfStream(base, memoryBody(backdrop.jpeg))) });
  let content = intent instanceof Name ? `/${intent.text} ri /B Do` : "/B Do";
  stencils.forEach((stencil, index) => {
    const mask = Dictionary.of({
      ...shared,
      Width: print.width,
      Height: print.height,
      ImageMask: true,
      BitsPerComponent: 1,
      Filter: Name.of("JBIG2Decode"),
    });
    objects.set(`S${index}`, add(new PdfStream(mask, memoryBody(stencil.jbig2))));
    content += ` ${colorOperators(file, space, stencil)} /S${index} Do`;
  });
  const isNamed = isDevice(file, space);
  const resources = Dictionary.of({
    XObject: objects,
    ColorSpace: isNamed ? undefined : Dictionary.of({ C: space }),
  });
  const dictionary = image.dictionary.clone();
  for (const key of IMAGE_ENTRIES) dictionary.delete(key);
  dictionary
    .set("Type", Name.of("XObject"))
    .set("Subtype", Name.of("Form"))
    .set("BBox", [0, 0, 1, 1])
    .set("Resources", resources);
  return new PdfStream(dictionary, memoryBody(Buffer.from(content, "latin1")));
}

const isDevice = (file: PdfFile, space: Value) => ["DeviceGray", "DeviceRGB"].includes(file.name(space) ?? "");

const number = (value: number) => String(Number(value.toFixed(5)));

function colorOperators(file: PdfFile, space: Value, { color }: Stencil): string {
  const values = color.map((value) => number(Number(value.toFixed(3)))).join(" ");
  if (isDevice(file, space)) return `${values} ${color.length === 1 ? "g" : "rg"}`;
  return `/C cs ${values} sc`;
}
