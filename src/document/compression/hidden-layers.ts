// Removes the content of layers that are hidden by default (ISO 32000-1, 8.11.3): marked content, images, forms,
// annotations. Visible content stays in its layers.
import { readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { nonPaintingEquivalent, TEXT_PLACING, TEXT_SHOWING } from "../content/operators.ts";
import { defaultVisibility, type LayerVisibility } from "../content/optional-content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../objects/values.ts";
import { readPages } from "../pages/pages.ts";
import { decodedBytes, withoutFilter } from "./recode-stream.ts";

const OBJECTS_AT_A_STRETCH = 500;

/** Removes hidden layers from the file in memory; the caller writes it. */
export async function removeHiddenLayers(file: PdfFile, signal: AbortSignal): Promise<void> {
  if (!file.dictionary(file.catalog.get("OCProperties"))) return;
  const isVisible = defaultVisibility(file);
  for (const { reference, inherited } of readPages(file).pages) {
    cleanPage(file, reference, inherited.Resources, isVisible);
    signal.throwIfAborted();
    await file.relieve();
  }
  for (let number = 1, size = file.size; number < size; number++) {
    cleanStream(file, new Reference(number), isVisible);
    if (number % OBJECTS_AT_A_STRETCH !== 0) continue;
    signal.throwIfAborted();
    await file.relieve();
  }
}

function cleanPage(
  file: PdfFile,
  reference: Reference,
  inherited: Value | undefined,
  isVisible: LayerVisibility,
): void {
  const page = file.dictionary(reference);
  if (!page) return;
  const changed = page.clone();
  const annotations = file.array(page.get("Annots")) ?? [];
  const shown = annotations.filter((annotation) => !isHidden(file.dictionary(annotation), isVisible));
  if (shown.length < annotations.length) changed.set("Annots", shown);
  const contents = page.get("Contents");
  const parts = (file.array(contents) ?? [contents ?? null]).map((part) => file.stream(part));
  const bytes = parts.filter((part) => part !== undefined).map((part) => decodedBytes(file, part));
  const resources = file.dictionary(page.get("Resources") ?? inherited);
  if (resources && bytes.every((part) => part !== undefined)) {
    // The page's streams are joined, because a hidden marked-content sequence can continue in the next stream.
    const whole = bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes.flatMap((part) => [part, Buffer.from("\n")]));
    const kept = withoutHidden(file, whole, resources, isVisible);
    if (kept) changed.set("Contents", file.add(new PdfStream(new Dictionary(), plainBody(kept))));
  }
  const isChanged = changed.get("Annots") !== page.get("Annots") || changed.get("Contents") !== contents;
  if (isChanged) file.put(reference, changed);
}

/** Empties hidden images and forms, and removes hidden content from forms, patterns and glyphs. */
function cleanStream(file: PdfFile, reference: Reference, isVisible: LayerVisibility): void {
  const stream = file.get(reference);
  if (!(stream instanceof PdfStream)) return;
  const { dictionary } = stream;
  if (isHidden(dictionary, isVisible)) {
    const nothing = { Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [0, 0, 1, 1] };
    file.put(reference, new PdfStream(Dictionary.of(nothing), plainBody(new Uint8Array(0))));
    return;
  }
  const isContent = file.name(dictionary.get("Subtype")) === "Form" || dictionary.get("PatternType") === 1;
  const resources = isContent ? file.dictionary(dictionary.get("Resources")) : undefined;
  const bytes = resources?.has("Properties") ? decodedBytes(file, stream) : undefined;
  const kept = bytes && withoutHidden(file, bytes, resources!, isVisible);
  if (kept) file.put(reference, new PdfStream(withoutFilter(dictionary), plainBody(kept)));
}

function isHidden(dictionary: Dictionary | undefined, isVisible: LayerVisibility): boolean {
  const content = dictionary?.get("OC");
  return content !== undefined && !isVisible(content);
}

/** @returns undefined if nothing is hidden */
function withoutHidden(
  file: PdfFile,
  bytes: Uint8Array,
  resources: Dictionary,
  isVisible: LayerVisibility,
): Uint8Array | undefined {
  const properties = file.dictionary(resources.get("Properties"));
  if (!properties) return undefined;
  const cuts = new Set<Edit>();
  /** Edits of hidden text whose advance sets the start of the next text. */
  let leading: Edit[] = [];
  /** One entry per open marked-content sequence: true if the sequence is hidden. */
  const open: boolean[] = [];
  let hidden = 0;
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    if (operator === "BMC" || operator === "BDC") {
      const [tag, name] = operands;
      const isLayer = operator === "BDC" && tag instanceof Name && tag.text === "OC";
      const layer = isLayer && name instanceof Name ? properties.get(name.text) : undefined;
      const hides = layer !== undefined && !isVisible(layer);
      open.push(hides);
      if (hides) hidden++;
    } else if (operator === "EMC") {
      if (open.pop()) hidden--;
    }
    const replacement = hidden > 0 ? nonPaintingEquivalent(operator, operands) : undefined;
    const isShown = TEXT_SHOWING.has(operator);
    if (TEXT_PLACING.has(operator)) leading = [];
    if (replacement === undefined) {
      // Visible text starts where the hidden text before it ends, so the hidden text must stay.
      if (isShown) for (const cut of leading) cuts.delete(cut);
      if (isShown) leading = [];
      continue;
    }
    const cut = { start, end, text: `${replacement}\n` };
    cuts.add(cut);
    if (isShown) leading.push(cut);
  }
  return cuts.size > 0 ? applyEdits(bytes, [...cuts], bytes.length) : undefined;
}
