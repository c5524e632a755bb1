// Converts images. Images of one component keep their samples, with a palette of converted colors; JPEG and JPEG 2000 data
// of more components become new JPEGs.
import { deflateSync } from "node:zlib";
import type { ContentOperation } from "../content/content.ts";
import { EngineFailure } from "../contract/failure.ts";
import { type PdfImage, readImage, spaceOf } from "../images/image.ts";
import { inlineBody } from "../images/inline-images.ts";
import { readJpxImage } from "../images/jpx-image.ts";
import { readOpacity, withoutOpacity } from "../images/jpx-opacity.ts";
import { recodeImage } from "../images/recode-image.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Value } from "../objects/values.ts";
import { type ColorSpace, readAnySpace } from "../pdfa/transfer/transferred-colors.ts";
import { keyMask, samplesOf } from "../pdfa/transfer/transferred-images.ts";
import { type ColorConverter, deviceName } from "./color-converter.ts";
import { toBytes } from "./target.ts";

const FULL = 255;
/** Quality of JPEGs that replace JPEGs. */
const JPEG = { photo: 92, drawing: 95, mask: 95 };
const MASKS = ["Mask", "SMask", "SMaskInData", "Decode"];
/** Channels of an image that defines its own color space. */
const DEFAULT_CHANNELS = 4;
const LOSSY = ["DCTDecode", "JPXDecode"];

export interface ImageContext {
  readonly file: PdfFile;
  readonly source: MupdfSource;
  readonly converter: ColorConverter;
  /** Resources whose default color spaces apply. */
  readonly resources: Dictionary | undefined;
  /** Maximum memory for the samples of one image. */
  readonly limitBytes: number;
}

/** @returns undefined for a stencil mask, or an image that cannot be decoded */
export function convertedImage(context: ImageContext, stream: PdfStream): PdfStream | undefined {
  const { file, source } = context;
  const opacity = readOpacity(file, stream);
  const plain = opacity && withoutOpacity(file, stream, opacity, source.colors.decodeJpx, (part) => file.add(part));
  if (plain) return convertedImage(context, plain);
  const dictionary = stream.dictionary.clone();
  for (const key of ["Alternates", "DL"]) dictionary.delete(key);
  const image = readImage(file, dictionary);
  if (!image || image.isStencil) return undefined;
  const isJpx = image.filters.at(-1) === "JPXDecode";
  const value = dictionary.get("ColorSpace") ?? (isJpx ? readJpxImage(file, stream, true)?.image.colors?.space : null);
  const space = value === undefined ? undefined : readAnySpace(file, value);
  if (space) convertMatte(context, dictionary, space);
  if (space && !isJpx && space.channels === 1 && image.bits <= 8) {
    dictionary.delete("Decode");
    return new PdfStream(dictionary.set("ColorSpace", paletteOf(context, image, space)), stream.body);
  }
  return recoded(context, new PdfStream(dictionary, stream.body), image, space, value);
}

/** Converts the color with which an image is preblended; its soft mask has it (ISO 32000-1, 11.6.5.3). */
function convertMatte({ file, converter, resources }: ImageContext, dictionary: Dictionary, space: ColorSpace): void {
  const mask = file.stream(dictionary.get("SMask"));
  const matte = file.array(mask?.dictionary.get("Matte"))?.map((part) => file.number(part) ?? 0);
  if (!mask || matte?.length !== space.channels) return;
  const made = converter.batch(resources, (map) => [...map(space, matte)]);
  // Another image in another space can have the same mask.
  dictionary.set("SMask", file.add(new PdfStream(mask.dictionary.clone().set("Matte", made), mask.body)));
}

/** Returns an indexed space in which each sample of an image with one component has its converted color. */
function paletteOf({ file, converter, resources }: ImageContext, { bits, decode }: PdfImage, space: ColorSpace): Value {
  const last = 2 ** bits - 1;
  const [low = 0, high = space.lastIndex === undefined ? 1 : last] = decode ?? [];
  const entries = converter.batch(resources, (map) =>
    Array.from({ length: last + 1 }, (_, sample) => [
      ...toBytes(map(space, [low + (sample * (high - low)) / last]), converter.target),
    ]),
  );
  return converter.once(entries.join(), () => {
    const palette = file.add(new PdfStream(new Dictionary(), plainBody(Uint8Array.from(entries.flat()))));
    return file.add([Name.of("Indexed"), converter.target.space, last, palette]);
  });
}

/** Converts the samples of an image, or keeps them if they mean the same colors in the target. */
function recoded(
  context: ImageContext,
  stream: PdfStream,
  image: PdfImage,
  space: ColorSpace | undefined,
  value: Value | undefined,
): PdfStream | undefined {
  const { file, source, converter, resources, limitBytes } = context;
  const { target } = converter;
  const { dictionary, body } = stream;
  const process = space && isProcess(space) ? converter.process(value!, resources) : undefined;
  if (process?.isTarget && !process.isLab) return new PdfStream(dictionary.set("ColorSpace", target.space), body);
  const pixels = image.width * image.height;
  const channels = (space?.channels ?? DEFAULT_CHANNELS) + target.channels;
  if (pixels * channels > limitBytes) throw new EngineFailure("too-large", `an image with ${pixels} pixels`);
  const decoded = source.colors.decode(asDecoded(dictionary, space), body.raw());
  if (!decoded) return undefined;
  const { width, height, components, samples } = decoded;
  const from = process ?? (space ? undefined : converter.process(deviceName(components as 1 | 3 | 4), resources));
  if (space?.isLab) inLab(samples, space, image);
  const made = process?.isTarget
    ? samples
    : from
      ? converter.samples(samples, from)
      : source.colors.convert(samples, source.colors.spaceOf(serialize(value!, keyOf), value!), target.engine);
  if (!made) return undefined;
  const key = file.array(dictionary.get("Mask"))?.map((end) => file.number(end) ?? 0);
  const stored = key && samplesOf(image, stream);
  if (key) dictionary.delete("Mask");
  if (key && stored) dictionary.set("Mask", file.add(keyMask(stored.samples, image, stored.components, key)));
  for (const name of ["Filter", "DecodeParms", "Decode", "SMaskInData"]) dictionary.delete(name);
  dictionary.set("Width", width).set("Height", height);
  dictionary.set("ColorSpace", target.space).set("BitsPerComponent", 8);
  const isLossy = LOSSY.includes(image.filters.at(-1) ?? "");
  const limits = { decodedBytes: limitBytes, kernelBytes: limitBytes - pixels * channels };
  const size = { width, height, role: "image", limits, ...(isLossy ? { jpeg: JPEG } : {}) } as const;
  const coded = recodeImage(readImage(file, dictionary)!, plainBody(made), size);
  return coded
    ? new PdfStream(coded.dictionary, plainBody(coded.bytes))
    : new PdfStream(dictionary.set("Filter", Name.of("FlateDecode")), plainBody(deflateSync(made)));
}

const keyOf = ({ number }: { readonly number: number }) => number;

/** Reports whether the components of a space are those of a gray, RGB, CMYK or Lab color. */
const isProcess = ({ channels, toProcess, lastIndex }: ColorSpace): boolean => {
  const probe = new Array<number>(channels).fill(0.5);
  return lastIndex === undefined && toProcess(probe).components === probe;
};

/** Returns the properties with which the engine decodes samples: without masks, and Lab without its meaning. */
function asDecoded(dictionary: Dictionary, space: ColorSpace | undefined): Dictionary {
  const plain = dictionary.clone();
  for (const key of MASKS) if (key !== "Decode" || space?.isLab) plain.delete(key);
  return space?.isLab ? plain.set("ColorSpace", Name.of("DeviceRGB")) : plain;
}

/** Converts decoded samples to the engine's samples of Lab. */
function inLab(samples: Uint8Array, { ranges = [] }: ColorSpace, { decode = ranges }: PdfImage): void {
  const tables = [0, 1, 2].map((channel) => {
    const [low = 0, high = 1] = decode.slice(2 * channel);
    return Array.from({ length: FULL + 1 }, (_, sample) => {
      const color = [0, 0, 0].with(channel, low + (sample * (high - low)) / FULL);
      return toBytes(color, { isLab: true })[channel]!;
    });
  });
  for (let at = 0; at < samples.length; at++) samples[at] = tables[at % 3]![samples[at]!]!;
}

/**
 * @param addSpace adds a color space to the resources of the content, and returns its name
 * @returns the syntax of the converted image; undefined to keep it
 */
export function convertedInline(
  context: ImageContext,
  { operands, data }: ContentOperation,
  bytes: Uint8Array,
  addSpace: (space: Value) => string,
): string | undefined {
  const { file, converter, resources } = context;
  const inline = operands[0] as Dictionary;
  const spaces = file.dictionary(resources?.get("ColorSpace")) ?? new Dictionary();
  const image = readImage(file, inline, spaces);
  if (!image || image.isStencil || !data) return undefined;
  const space = readAnySpace(file, spaceOf(file, inline, spaces));
  const content = bytes.subarray(data.start, data.end);
  const dictionary = new Dictionary();
  for (const [key, value] of inline) dictionary.set(key, value);
  if (!space) return undefined;
  if (space.channels === 1 && image.bits <= 8) {
    for (const key of ["D", "Decode", "ColorSpace", "L", "Length"]) dictionary.delete(key);
    dictionary.set("CS", Name.of(addSpace(paletteOf(context, image, space))));
    return syntax(dictionary, content);
  }
  const long = Dictionary.of({
    ...{ Width: image.width, Height: image.height, BitsPerComponent: image.bits },
    Filter: image.filters.map(Name.of),
    DecodeParms: inline.get("DecodeParms") ?? inline.get("DP"),
    Decode: image.decode && [...image.decode],
    ColorSpace: image.colors!.space,
    Subtype: Name.of("Image"),
  });
  const made = convertedImage(context, new PdfStream(long, inlineBody(content, image)));
  if (!made) return undefined;
  const { dictionary: entries, body } = made;
  entries.set("ColorSpace", Name.of(addSpace(entries.get("ColorSpace") ?? converter.target.space)));
  entries.delete("Subtype");
  return syntax(entries, body.raw());
}

/** Encodes the data as hexadecimal digits, so that it cannot contain `EI`. */
function syntax(dictionary: Dictionary, bytes: Uint8Array): string {
  const listOf = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : value ? [value] : []);
  const [filters, parameters] = [
    listOf(dictionary.get("F") ?? dictionary.get("Filter")),
    listOf(dictionary.get("DP") ?? dictionary.get("DecodeParms")),
  ];
  for (const key of ["F", "Filter", "DP", "DecodeParms"]) dictionary.delete(key);
  dictionary.set("F", [Name.of("AHx"), ...filters]);
  if (parameters.length > 0) dictionary.set("DP", [null, ...parameters]);
  let text = "BI";
  for (const [key, value] of dictionary) text += ` /${key} ${serialize(value, () => 0)}`;
  return ` ${text} ID ${Buffer.from(bytes).toString("hex")}> EI `;
}
