// Repairs external objects (ISO 19005-1, 6.2.4 to 6.2.7; -2, 6.2.8 and 6.2.9): removes alternates and interpolation of
// images, PostScript, and references to other files.
import { Name, type Reference } from "../../objects/values.ts";
import { type FoundDictionary, newStream, type PdfaDocument, rectangleOf } from "../pdfa-document.ts";
import { RENDERING_INTENTS } from "./graphics-states.ts";

export function repairXObjects(document: PdfaDocument): void {
  for (const place of document.places) {
    if (!place.isStream || !place.reference) continue;
    const subtype = document.file.name(place.dictionary.get("Subtype"));
    if (subtype === "Image") repairImage(document, place);
    else if (subtype === "Form") repairForm(document, place);
    else if (subtype === "PS") document.file.put(place.reference, newStream("", emptyForm(1, 1)));
  }
}

function repairImage({ file }: PdfaDocument, { dictionary }: FoundDictionary): void {
  for (const key of ["Alternates", "OPI", "Interpolate"]) dictionary.delete(key);
  const intent = dictionary.get("Intent");
  if (intent !== undefined && !RENDERING_INTENTS.has(file.name(intent) ?? "")) dictionary.delete("Intent");
  if (file.boolean(dictionary.get("ImageMask")) === true && dictionary.has("BitsPerComponent"))
    dictionary.set("BitsPerComponent", 1);
}

function repairForm({ file }: PdfaDocument, { dictionary }: FoundDictionary): void {
  for (const key of ["OPI", "PS", "Ref", "Subtype2"]) dictionary.delete(key);
  if (!rectangleOf(file, dictionary.get("BBox"))) dictionary.set("BBox", [0, 0, 0, 0]);
}

export function emptyForm(width: number, height: number) {
  return {
    Type: Name.of("XObject"),
    Subtype: Name.of("Form"),
    BBox: [0, 0, width, height],
  };
}

export function addEmptyForm(document: PdfaDocument, width: number, height: number): Reference {
  return document.file.add(newStream("", { ...emptyForm(width, height), Resources: document.noResources() }));
}
