// Replaces a form that is painted with constant alpha over a single backdrop color. The replacement is an opaque form
// in composited colors, whose shapes overlap in the same way (ISO 32000-1, 11.4).
import { readOperations } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import {
  DEVICE_COLOR,
  GLYPH_WIDTH,
  PATH_FILLING,
  PATH_PAINTING,
  PATH_STROKING,
  SPACE_COLOR,
  TEXT_SHOWING,
} from "../../content/operators.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary, PdfStream, Reference, Value } from "../../objects/values.ts";
import { namesOf } from "../resource-names.ts";
import type { TransparencyFinder } from "../scan/transparency.ts";
import { imageStream } from "./add-image.ts";
import { type CompositeInput, mixed } from "./compositing.ts";

const MAX_DEPTH = 8;
const MAX_CONTENT_BYTES = 8 * 2 ** 20;
const MAX_FORMS = 200;
/** Operators that set unsupported colors, paint images, or define glyphs. */
const UNKNOWN_COLORS: ReadonlySet<string> = new Set([...SPACE_COLOR, "sh", "BI", ...GLYPH_WIDTH]);
const INVISIBLE = 3;

export class CompositedForms {
  readonly #file: PdfFile;
  readonly #transparency: TransparencyFinder;
  #forms = 0;

  constructor(file: PdfFile, transparency: TransparencyFinder) {
    this.#file = file;
    this.#transparency = transparency;
  }

  /** @returns an opaque form; undefined if the form contains objects other than shapes and text in device colors */
  make(value: Value | undefined, mixture: CompositeInput): Reference | undefined {
    const stream = this.#file.stream(value);
    // Without a Group entry, each object of the form is composited separately.
    if (!stream || !this.#file.dictionary(stream.dictionary.get("Group"))) return undefined;
    return this.#make(stream, mixture, 0);
  }

  #make({ dictionary, body }: PdfStream, mixture: CompositeInput, depth: number): Reference | undefined {
    const file = this.#file;
    const resources = file.dictionary(dictionary.get("Resources"));
    if (depth > MAX_DEPTH || ++this.#forms > MAX_FORMS || !resources || this.#transparency.inResources(resources))
      return undefined;
    const fonts = file.dictionary(resources.get("Font"))?.values() ?? [];
    if (fonts.some((font) => file.name(file.dictionary(font)?.get("Subtype")) === "Type3")) return undefined;
    const bytes = body.decoded(MAX_CONTENT_BYTES);
    const objects = namesOf(file, resources, "XObject");
    const edits = this.#edits(bytes, objects, mixture, depth);
    if (!edits) return undefined;
    const copy = dictionary.clone().set("Resources", resources.clone().set("XObject", objects));
    for (const key of ["Group", "Filter", "DecodeParms", "Length"]) copy.delete(key);
    return file.add(imageStream(copy, applyEdits(bytes, edits, bytes.length)));
  }

  /**
   * @param objects the XObject resources of the form, changed in place: nested forms are replaced, unused objects
   * removed
   */
  #edits(bytes: Uint8Array, objects: Dictionary, mixture: CompositeInput, depth: number): Edit[] | undefined {
    const edits: Edit[] = [];
    const saved: { fill: boolean; stroke: boolean; mode: number }[] = [];
    const shown = new Set<string>();
    /**
     * `fill`, `stroke`: true if this form has set the color; an inherited color is unknown. `mode`: text rendering
     * mode.
     */
    let state = { fill: false, stroke: false, mode: 0 };
    for (const { operator, operands, start, end } of readOperations(bytes)) {
      if (UNKNOWN_COLORS.has(operator)) return undefined;
      if (operator === "q") saved.push({ ...state });
      else if (operator === "Q") state = saved.pop() ?? state;
      else if (operator === "Tr") state.mode = this.#file.number(operands[0]) ?? 0;
      else if (DEVICE_COLOR.has(operator)) {
        const setting = mixed(
          operands.filter((value) => typeof value === "number"),
          mixture,
        );
        if (setting === undefined) return undefined;
        const isFill = operator === operator.toLowerCase();
        if (isFill) state.fill = true;
        else state.stroke = true;
        edits.push({ start, end, text: ` ${isFill ? setting : setting.toUpperCase()}` });
      } else if (TEXT_SHOWING.has(operator)) {
        if ((state.mode !== 0 && state.mode !== INVISIBLE) || !state.fill) return undefined;
      } else if (PATH_PAINTING.has(operator)) {
        if (!PATH_STROKING.has(operator) && !state.fill) return undefined;
        if (!PATH_FILLING.has(operator) && !state.stroke) return undefined;
      } else if (operator === "Do") {
        const name = this.#file.name(operands[0]);
        const value = name === undefined ? undefined : objects.get(name);
        if (name === undefined || shown.has(name)) continue;
        shown.add(name);
        const stream = this.#file.stream(value);
        if (!stream) continue;
        if (!stream.dictionary.has("BBox")) return undefined;
        const made = this.#make(stream, mixture, depth + 1);
        if (!made) return undefined;
        objects.set(name, made);
      }
    }
    objects.retain((name) => shown.has(name));
    return edits;
  }
}
