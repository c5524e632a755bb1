// Converts resource dictionaries (ISO 32000-1, 7.8.3): all of their objects, also those that nothing paints, and their
// color spaces, which all content shares afterwards.
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import { Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import { readAnySpace } from "../pdfa/transfer/transferred-colors.ts";
import { mappedShading } from "../pdfa/transfer/transferred-shadings.ts";
import type { ColorConverter } from "./color-converter.ts";
import type { TargetNames } from "./converted-content.ts";
import { rangesOf } from "./target.ts";

/** What content is converted to: the target, or gray in a mask. */
export interface Mode {
  readonly converter: ColorConverter;
  readonly names: TargetNames;
}

interface Conversion {
  readonly masks: Mode;
  /** Reports whether an object is not converted yet, and marks it as converted. */
  isNew(reference: Reference): boolean;
  /** Converts an external object. @param callers the resources before their conversion */
  paints(value: Value, mode: Mode, callers: Dictionary): void;
  /** Converts another content stream: a pattern, a glyph, or the group of a mask. */
  content(reference: Reference, mode: Mode, callers: Dictionary, startsBlack: boolean): void;
  fails(): void;
}

const COLORED = 1;

export class ConvertedResources {
  readonly #file: PdfFile;
  readonly #conversion: Conversion;
  /** The color spaces of all content: the target, and the palettes of inline images. */
  readonly #spaces: Dictionary;
  readonly #reference: Reference;
  readonly #names = new Map<string, string>();
  /** The resources before their conversion, by the converted ones. */
  readonly #originals = new WeakMap<Dictionary, Dictionary>();

  constructor(file: PdfFile, colors: Mode, conversion: Conversion) {
    this.#file = file;
    this.#conversion = conversion;
    this.#spaces = new Dictionary();
    for (const { converter, names } of [colors, conversion.masks]) {
      const { space } = converter.target;
      if (!(space instanceof Name)) this.#spaces.set(names.space, space);
      this.#spaces.set(names.pattern, [Name.of("Pattern"), space]);
    }
    this.#reference = file.add(this.#spaces);
  }

  /** Returns resources as they were before their conversion. */
  original(value: Value | undefined): Dictionary | undefined {
    const resources = this.#file.dictionary(value);
    return resources && (this.#originals.get(resources) ?? resources);
  }

  /** @returns the converted resources, or the reference to them */
  convert(value: Value | undefined, mode: Mode): Value {
    const file = this.#file;
    if (value instanceof Reference && !this.#conversion.isNew(value)) return value;
    const original = file.dictionary(value) ?? new Dictionary();
    const made = original.clone().set("ColorSpace", this.#reference);
    for (const object of this.#category(original, "XObject").values()) this.#conversion.paints(object, mode, original);
    for (const font of this.#category(original, "Font").values()) this.#font(font, mode, original);
    for (const category of ["ExtGState", "Pattern", "Shading"]) {
      const all = this.#category(original, category);
      if (all.size > 0)
        made.set(
          category,
          all.map((one) => this.#converted(category, one, mode, original)),
        );
    }
    this.#originals.set(made, original);
    if (!(value instanceof Reference)) return made;
    file.put(value, made);
    return value;
  }

  /** Returns the name of a color space, which is added if it is missing. */
  name(space: Value, { converter, names }: Mode): string {
    if (space === converter.target.space) return names.space;
    const key = serialize(space, ({ number }) => number);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = `Inline${this.#names.size}`;
    this.#names.set(key, name);
    this.#spaces.set(name, space);
    return name;
  }

  #category(resources: Dictionary, category: string): Dictionary {
    return this.#file.dictionary(resources.get(category)) ?? new Dictionary();
  }

  #font(value: Value, mode: Mode, callers: Dictionary): void {
    const file = this.#file;
    const font = file.dictionary(value);
    if (file.name(font?.get("Subtype")) !== "Type3") return;
    if (!(value instanceof Reference) || !this.#conversion.isNew(value)) return;
    const own = font!.get("Resources");
    const resources = this.original(own) ?? callers;
    for (const glyph of file.dictionary(font!.get("CharProcs"))?.values() ?? []) {
      if (glyph instanceof Reference && this.#conversion.isNew(glyph))
        this.#conversion.content(glyph, mode, resources, false);
    }
    if (own !== undefined) file.put(value, font!.clone().set("Resources", this.convert(own, mode)));
  }

  /** Converts a graphics state, a pattern or a shading. @returns it, or the reference to it */
  #converted(category: string, value: Value, mode: Mode, resources: Dictionary): Value {
    const file = this.#file;
    const dictionary = file.dictionary(value);
    if (!dictionary || (value instanceof Reference && !this.#conversion.isNew(value))) return value;
    if (category === "Shading") return this.#shading(value, mode, resources);
    if (category === "Pattern" && file.stream(value)) {
      if (value instanceof Reference) {
        const isColored = file.number(dictionary.get("PaintType")) === COLORED;
        this.#conversion.content(value, mode, resources, isColored);
      }
      return value;
    }
    const made = dictionary.clone();
    const [shading, mask] = [dictionary.get("Shading"), file.dictionary(dictionary.get("SMask"))];
    const state = dictionary.get("ExtGState");
    if (shading !== undefined) made.set("Shading", this.#converted("Shading", shading, mode, resources));
    if (state !== undefined) made.set("ExtGState", this.#converted("ExtGState", state, mode, resources));
    if (mask) made.set("SMask", this.#mask(mask, mode, resources));
    if (!(value instanceof Reference)) return made;
    file.put(value, made);
    return value;
  }

  #shading(value: Value, { converter }: Mode, resources: Dictionary): Value {
    const file = this.#file;
    const { target } = converter;
    const space = readAnySpace(file, file.dictionary(value)!.get("ColorSpace"));
    const made =
      space &&
      converter.batch(resources, (map) => {
        const convert = (components: readonly number[]) => ({
          space: target.space,
          components: map(space, components),
        });
        return mappedShading(file, value, space, convert, rangesOf(target));
      });
    if (!made) this.#conversion.fails();
    if (!made || !(value instanceof Reference)) return made ? file.add(made) : value;
    file.put(value, made);
    return value;
  }

  /** Converts a soft mask: the group of a luminosity mask, and its backdrop, to gray. */
  #mask(mask: Dictionary, mode: Mode, resources: Dictionary): Value {
    const file = this.#file;
    const { masks } = this.#conversion;
    const isLuminosity = file.name(mask.get("S")) === "Luminosity";
    const group = mask.get("G");
    const made = mask.clone();
    const backdrop = file.array(mask.get("BC"));
    const space = readAnySpace(file, file.dictionary(file.dictionary(group)?.get("Group"))?.get("CS"));
    if (backdrop && space) {
      const given = backdrop.map((part) => file.number(part) ?? 0);
      made.set("BC", [...masks.converter.batch(resources, (map) => map(space, given))]);
    }
    if (group instanceof Reference && this.#conversion.isNew(group)) {
      this.#conversion.content(group, isLuminosity ? masks : mode, resources, isLuminosity);
    }
    return made;
  }
}
