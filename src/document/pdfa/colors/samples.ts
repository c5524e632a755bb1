// Repairs the samples of images. For part 1, decodes JPEG 2000 and reduces 16-bit samples to 8 bits, because PDF 1.4
// has neither. For parts 2 and 3, decodes JPEG 2000 that breaks a rule (ISO 19005-2, 6.2.8.3).
import { EngineFailure } from "../../contract/failure.ts";
import { readColors } from "../../images/image-colors.ts";
import { readOpacity, withoutOpacity } from "../../images/jpx-opacity.ts";
import { type Dictionary, Name, PdfStream, plainBody, type Reference, type Value } from "../../objects/values.ts";
import { lastFilter } from "../content/streams.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

const MAX_SAMPLE_BYTES = 512 * 2 ** 20;
const DEVICE: Readonly<Record<number, string>> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };

export async function repairSamples(document: PdfaDocument): Promise<void> {
  const { file, level } = document;
  const isJpxForbidden = level.part === 1 || document.failed("6.2.8.3");
  for (const { dictionary, reference, isStream } of document.places) {
    if (!isStream || !reference || file.name(dictionary.get("Subtype")) !== "Image") continue;
    if (lastFilter(document, dictionary) === "JPXDecode") {
      if (isJpxForbidden) decodeJpx(document, dictionary, reference);
    } else if (level.part === 1 && file.number(dictionary.get("BitsPerComponent")) === 16) {
      halve(document, dictionary, reference);
    } else continue;
    document.signal.throwIfAborted();
    await file.relieve();
  }
}

function decodeJpx(document: PdfaDocument, dictionary: Dictionary, reference: Reference): void {
  const { file, source } = document;
  const stream = file.stream(reference);
  const opacity = stream && readOpacity(file, stream);
  if (opacity) {
    const plain = withoutOpacity(
      file,
      stream,
      opacity,
      (...data) => source.colors.decodeJpx(...data),
      (part) => file.add(part),
    );
    if (plain) file.put(reference, plain);
    return;
  }
  const image = source.decodeImage(reference.number);
  const device = image && DEVICE[image.components];
  if (!device) return;
  const colors = readColors(file, dictionary.get("ColorSpace"));
  const isOwn = colors && !colors.palette && colors.channels === image.components;
  if (!isOwn) dictionary.set("ColorSpace", Name.of(device));
  // Decode was meant for palette indexes, which are now colors. The decoder has already applied SMaskInData.
  for (const key of ["Decode", "SMaskInData"]) dictionary.delete(key);
  dictionary.set("Width", image.width).set("Height", image.height).set("BitsPerComponent", 8);
  putSamples(document, dictionary, reference, image.samples);
}

/** Keeps the upper byte of each 16-bit sample. */
function halve(document: PdfaDocument, dictionary: Dictionary, reference: Reference): void {
  const { file } = document;
  const stream = file.stream(reference);
  if (!stream) return;
  const samples = decodedOf(stream);
  const halved = new Uint8Array(samples.length >> 1);
  for (let at = 0; at < halved.length; at++) halved[at] = samples[2 * at]!;
  dictionary.set("BitsPerComponent", 8);
  const key = file.array(dictionary.get("Mask"));
  if (key)
    dictionary.set(
      "Mask",
      key.map((value: Value) => (file.number(value) ?? 0) >> 8),
    );
  putSamples(document, dictionary, reference, halved);
}

/** Returns the decoded bytes; empty if they cannot be decoded. */
function decodedOf(stream: PdfStream): Uint8Array {
  try {
    return stream.body.decoded(MAX_SAMPLE_BYTES);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "damaged") return new Uint8Array(0);
    throw error;
  }
}

/** Stores the samples unfiltered; the writer deflates them. */
function putSamples({ file }: PdfaDocument, dictionary: Dictionary, reference: Reference, samples: Uint8Array): void {
  for (const key of ["Filter", "DecodeParms", "DL"]) dictionary.delete(key);
  file.put(reference, new PdfStream(dictionary, plainBody(samples)));
}
