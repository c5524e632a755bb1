// Converts the colors of a content stream (ISO 32000-1, 8.6.8). Everything else stays the same, byte for byte.
import { type ContentOperation, readOperations } from "../content/content.ts";
import { applyEdits } from "../content/edits.ts";
import { DEVICE_COLOR, SPACE_COLOR } from "../content/operators.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize, serializeNumber } from "../objects/serialize.ts";
import { type Dictionary, Name, type Value } from "../objects/values.ts";
import { type ColorSpace, readAnySpace } from "../pdfa/transfer/transferred-colors.ts";
import type { ColorConverter, Converted } from "./color-converter.ts";

/** The color spaces of a graphics state; undefined for an invalid one. */
export interface Spaces {
  readonly fill: ChosenSpace;
  readonly stroke: ChosenSpace;
}

interface ChosenSpace {
  /** The space, or the underlying one of an uncolored pattern. */
  readonly space: ColorSpace | undefined;
  /** True for the colorant None, which paints nothing in any color space (8.6.6.4). */
  readonly isNone?: boolean;
}

/** The names under which content finds the target in its resources. */
export interface TargetNames {
  readonly space: string;
  /** A pattern space with the target as its underlying space. */
  readonly pattern: string;
}

export interface ContentObjects {
  readonly names: TargetNames;
  readonly converter: ColorConverter;
  /** Takes notice of an object that is painted in these spaces. */
  paints(object: Value, spaces: Spaces): void;
  /** Returns the name under which content finds a color space. */
  nameOf(space: Value): string;
  /** @returns the replacement of an inline image, one character per byte; undefined to keep it */
  inlineImage(operation: ContentOperation, bytes: Uint8Array): string | undefined;
}

interface Change {
  readonly start: number;
  readonly end: number;
  text(): string;
}

const SPACES: Readonly<Record<string, string>> = { g: "DeviceGray", rg: "DeviceRGB", k: "DeviceCMYK" };
const MAX_SAVED = 512;

/** The spaces at the start of a page. */
export const initialSpaces = (file: PdfFile): Spaces => {
  const gray = { space: readAnySpace(file, Name.of("DeviceGray")) };
  return { fill: gray, stroke: gray };
};

/** Converts one content stream. */
export class ConvertedContent {
  readonly #file: PdfFile;
  readonly #resources: Dictionary;
  readonly #objects: ContentObjects;
  readonly #changes: Change[] = [];
  readonly #saved: Spaces[] = [];
  #spaces: Spaces;

  /** @param resources before their conversion */
  constructor(file: PdfFile, resources: Dictionary, spaces: Spaces, objects: ContentObjects) {
    this.#file = file;
    this.#resources = resources;
    this.#objects = objects;
    this.#spaces = spaces;
  }

  /**
   * @param startsBlack true for content that starts with the initial color, not with that of its caller
   * @returns undefined for content without colors
   */
  convert(bytes: Uint8Array, startsBlack: boolean): Uint8Array | undefined {
    if (startsBlack) {
      const black = this.#color(this.#spaces.fill.space, [0]);
      const { space } = this.#objects.names;
      for (const operator of ["g", "G"]) this.#write(0, 0, () => source(operator, space, black.components));
    }
    for (const operation of readOperations(bytes)) this.#see(operation, bytes);
    if (this.#changes.length === 0) return undefined;
    this.#objects.converter.settle();
    const edits = this.#changes.map(({ start, end, text }) => ({ start, end, text: text() }));
    return applyEdits(bytes, edits, bytes.length);
  }

  #see(operation: ContentOperation, bytes: Uint8Array): void {
    const { operator, operands, start, end } = operation;
    if (DEVICE_COLOR.has(operator) || SPACE_COLOR.has(operator)) this.#choose(operation);
    else if (operator === "q") {
      if (this.#saved.length < MAX_SAVED) this.#saved.push(this.#spaces);
    } else if (operator === "Q") this.#spaces = this.#saved.pop() ?? this.#spaces;
    else if (operator === "Do") {
      const object = this.#named("XObject", operands);
      if (object !== undefined) this.#objects.paints(object, this.#spaces);
    } else if (operator === "BI") {
      const made = this.#objects.inlineImage(operation, bytes);
      if (made !== undefined) this.#changes.push({ start, end, text: () => made });
    }
  }

  #choose({ operator, operands, start, end }: ContentOperation): void {
    const lower = operator.toLowerCase();
    const side = operator === lower ? "fill" : "stroke";
    const last = operands.at(-1) ?? null;
    const chosen =
      lower in SPACES
        ? Name.of(SPACES[lower]!)
        : lower === "cs"
          ? (this.#named("ColorSpace", operands) ?? last)
          : undefined;
    if (chosen !== undefined) this.#chosen(side, chosen);
    const { space, isNone } = this.#spaces[side];
    if (isNone && lower === "cs") this.#write(start, end, () => `/${this.#objects.nameOf(chosen!)} ${operator}`);
    if (isNone) return;
    const { names } = this.#objects;
    const given =
      lower === "cs" ? (space?.initial ?? []) : operands.flatMap((operand) => this.#file.number(operand) ?? []);
    const pattern = chosen === undefined && last instanceof Name ? last : undefined;
    if (lower === "cs" && this.#isPattern(chosen!)) this.#write(start, end, () => `/Pattern ${operator}`);
    else if (pattern && given.length === 0) this.#write(start, end, () => source(operator, "Pattern", [], pattern));
    else {
      const color = this.#color(space, given);
      const name = pattern ? names.pattern : names.space;
      this.#write(start, end, () => source(operator, name, color.components, pattern));
    }
  }

  #chosen(side: keyof Spaces, value: Value): void {
    const base = this.#isPattern(value) ? this.#file.array(value)?.[1] : value;
    const space = base === undefined ? undefined : readAnySpace(this.#file, base);
    this.#spaces = { ...this.#spaces, [side]: { space, isNone: this.#isNone(value) } };
  }

  #isNone(value: Value): boolean {
    const [family, colorant] = this.#file.array(value) ?? [];
    return this.#file.name(family) === "Separation" && this.#file.name(colorant) === "None";
  }

  #isPattern(value: Value): boolean {
    return this.#file.name(this.#file.array(value)?.[0] ?? value) === "Pattern";
  }

  #color(space: ColorSpace | undefined, components: readonly number[]): Converted {
    const { converter } = this.#objects;
    const valid = space ?? initialSpaces(this.#file).fill.space!;
    const complete = valid.initial.map((initial, at) => components[at] ?? initial);
    return converter.color(valid, complete, this.#resources);
  }

  #write(start: number, end: number, text: () => string): void {
    this.#changes.push({ start, end, text: () => ` ${text()} ` });
  }

  #named(category: string, operands: readonly Value[]): Value | undefined {
    const name = this.#file.name(operands.at(-1));
    return name === undefined ? undefined : this.#file.dictionary(this.#resources.get(category))?.get(name);
  }
}

/** Returns the operators that set a color. @param operator an operator in upper case sets the color of strokes */
function source(operator: string, space: string, components: readonly number[], pattern?: Name): string {
  const [choose, set] = operator === operator.toLowerCase() ? ["cs", "scn"] : ["CS", "SCN"];
  const numbers = components.map((part) => `${serializeNumber(Number(part.toFixed(4)))} `).join("");
  return `/${space} ${choose} ${numbers}${pattern ? `${serialize(pattern, () => 0)} ` : ""}${set}`;
}
