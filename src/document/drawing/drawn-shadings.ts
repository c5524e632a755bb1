// Corrects the Background of shadings (ISO 32000-1, table 78). By the standard, a Background applies only to shading
// patterns, and fills the whole painted area. MuPDF also draws it for the operator `sh`, and draws it in patterns of
// some shading types only within the bounds of the shading.
import type { Pointer } from "../engines/mupdf/instance/raw.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference } from "../objects/values.ts";
import type { DrawnFile } from "./drawn-file.ts";

const MAX_SHADING_BYTES = 64 * 2 ** 20;
/** Shading types whose background MuPDF draws in the whole area: axial and radial. */
const ENDLESS = [2, 3];
/** Half the side, in points, of a tile that is larger than any page. */
const FAR = 1_000_000;
const SHADING_PATTERN = 2;
const TILE = Dictionary.of({
  Type: Name.of("Pattern"),
  PatternType: 1,
  PaintType: 1,
  TilingType: 1,
  BBox: [-FAR, -FAR, FAR, FAR],
  XStep: 2 * FAR,
  YStep: 2 * FAR,
});
const MAX_COLORS = 32;

/** Must be used within the engine's `run`. */
export class DrawnShadings {
  readonly #drawn: DrawnFile;
  /** Copies of shadings without Background, by the object number of the original. */
  readonly #plain = new Map<number, Reference>();

  constructor(drawn: DrawnFile) {
    this.#drawn = drawn;
  }

  /** Removes the Background of a shading that `sh` paints. @param shadings the resource dictionary with the shading */
  repairPainted(shadings: Pointer, name: string, shading: Pointer): void {
    const { objects, values } = this.#drawn;
    if (objects.get(shading, "Background") === 0) return;
    const number = objects.number(shading);
    if (number === 0) objects.delete(shading, "Background");
    else objects.putNew(shadings, name, values.make(this.#without(number)));
  }

  /** Replaces a shading pattern by a tiling pattern that paints the background, then the shading. */
  repairPattern(patterns: Pointer, name: string, pattern: Pointer): void {
    const { objects } = this.#drawn;
    if (objects.real(objects.get(pattern, "PatternType")) !== SHADING_PATTERN) return;
    const shading = objects.get(pattern, "Shading");
    const type = objects.real(objects.get(shading, "ShadingType")) ?? 0;
    const colors = objects.elements(objects.get(shading, "Background"), MAX_COLORS).map((part) => objects.real(part));
    if (colors.length === 0 || ENDLESS.includes(type)) return;
    objects.putNew(patterns, name, this.#tile(pattern, shading, colors));
  }

  #tile(pattern: Pointer, shading: Pointer, colors: readonly (number | undefined)[]): Pointer {
    const { objects, values, document, add } = this.#drawn;
    const side = 2 * FAR;
    const content = `/C cs ${colors.map((part) => (part ?? 0).toFixed(5)).join(" ")} scn ${-FAR} ${-FAR} ${side} ${side} re f /S sh`;
    const tile = add(new PdfStream(TILE.clone(), plainBody(Buffer.from(content))));
    const made = values.make(tile);
    const dictionary = (entries: Readonly<Record<string, Pointer>>) => objects.newDictionary(document.pointer, entries);
    const [spaces, shadings] = [dictionary({}), dictionary({})];
    objects.put(spaces, "C", objects.get(shading, "ColorSpace"));
    objects.put(shadings, "S", shading);
    this.repairPainted(shadings, "S", objects.get(shadings, "S"));
    objects.putNew(made, "Resources", dictionary({ ColorSpace: spaces, Shading: shadings }));
    const matrix = objects.get(pattern, "Matrix");
    if (matrix !== 0) objects.put(made, "Matrix", matrix);
    return made;
  }

  #without(number: number): Reference {
    const known = this.#plain.get(number);
    if (known) return known;
    const { file, add } = this.#drawn;
    const object = file.resolve(new Reference(number));
    const dictionary = file.dictionary(new Reference(number))!.clone();
    dictionary.delete("Background");
    const copy = add(
      object instanceof PdfStream
        ? new PdfStream(dictionary, plainBody(object.body.decoded(MAX_SHADING_BYTES)))
        : dictionary,
    );
    this.#plain.set(number, copy);
    return copy;
  }
}
