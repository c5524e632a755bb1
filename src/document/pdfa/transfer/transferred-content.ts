// Applies transfer functions to a content stream: replaces its colors with the resulting colors (ISO 32000-1, 8.4.5 and
// 10.5). Content that is painted without a transfer function stays the same, byte for byte.
import { type ContentOperation, readOperations } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import { DEVICE_COLOR, PATH_CONSTRUCTION, PATH_PAINTING, SPACE_COLOR, TEXT_SHOWING } from "../../content/operators.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serialize, serializeNumber } from "../../objects/serialize.ts";
import { Dictionary, Name, Reference, type Value } from "../../objects/values.ts";
import { readTransfer, type Transfer } from "./transfer.ts";
import { type Color, readSpace } from "./transferred-colors.ts";

/** A color, or a pattern. The color of an uncolored pattern is included. */
export interface PaintColor extends Color {
  readonly pattern?: Value;
}

export interface Inherited {
  readonly transfer: Transfer | null;
  readonly fill: PaintColor;
  readonly stroke: PaintColor;
}

/** Applies a transfer function to colors and objects. Methods return undefined for an object that stays unchanged. */
export interface TransferredObjects {
  color(color: PaintColor, transfer: Transfer | null): PaintColor;
  object(value: Value, state: Inherited, resources: Dictionary): Reference | undefined;
  inlineImage(
    operation: ContentOperation,
    bytes: Uint8Array,
    spaces: Dictionary,
    transfer: Transfer,
  ): Reference | undefined;
  shading(value: Value, transfer: Transfer): Reference | undefined;
}

export const BLACK: PaintColor = { space: Name.of("DeviceGray"), components: [0] };
const DEVICES: Readonly<Record<string, string>> = { DeviceGray: "g", DeviceRGB: "rg", DeviceCMYK: "k" };
const SPACES: Readonly<Record<string, string>> = { g: "DeviceGray", rg: "DeviceRGB", k: "DeviceCMYK" };
const MAX_SAVED = 512;

/** The graphics state of the content, and the colors set so far in the output. */
interface State extends Inherited {
  readonly setFill: PaintColor;
  readonly setStroke: PaintColor;
}

export class TransferredContent {
  readonly #file: PdfFile;
  readonly #original: Dictionary;
  readonly #objects: TransferredObjects;
  /** Resources of the result. */
  readonly resources: Dictionary;
  readonly #names = new Map<string, string>();
  readonly #edits: Edit[] = [];
  readonly #saved: State[] = [];
  /** The transfer functions of graphics states, by resource name. */
  readonly #transfers = new Map<string, Transfer | null | undefined>();
  /** Names of resources that are also painted without a change, and names of resources that were replaced. */
  readonly #kept = new Set<string>();
  readonly #replaced = new Set<string>();
  #state: State;
  #pathStart = -1;

  /**
   * @param inherited initial graphics state of the content. In the output, the transfer function is already applied to
   * its colors.
   */
  constructor(file: PdfFile, resources: Dictionary, objects: TransferredObjects, inherited: Inherited) {
    this.#file = file;
    this.#original = resources;
    this.#objects = objects;
    this.resources = resources.clone();
    const [setFill, setStroke] = [inherited.fill, inherited.stroke].map((color) =>
      this.#shown(color, inherited.transfer),
    );
    this.#state = { ...inherited, setFill: setFill!, setStroke: setStroke! };
    this.#withoutTransfers();
  }

  /** True if any painted color changed. */
  get hasChanged(): boolean {
    return this.#edits.length > 0;
  }

  rewrite(bytes: Uint8Array): Uint8Array {
    for (const operation of readOperations(bytes)) this.#see(operation, bytes);
    this.#dropReplaced();
    return applyEdits(bytes, this.#edits, bytes.length);
  }

  #see(operation: ContentOperation, bytes: Uint8Array): void {
    const { operator, operands, start } = operation;
    if (PATH_CONSTRUCTION.has(operator)) {
      if (this.#pathStart < 0) this.#pathStart = start;
    } else if (PATH_PAINTING.has(operator)) {
      this.#setColors(this.#pathStart < 0 ? start : this.#pathStart);
      this.#pathStart = -1;
    } else if (operator === "n") this.#pathStart = -1;
    else if (operator === "q") {
      if (this.#saved.length < MAX_SAVED) this.#saved.push(this.#state);
    } else if (operator === "Q") this.#state = this.#saved.pop() ?? this.#state;
    else if (operator === "gs") {
      const transfer = this.#transferOf(operands);
      if (transfer !== undefined) this.#state = { ...this.#state, transfer };
    } else if (DEVICE_COLOR.has(operator) || SPACE_COLOR.has(operator)) this.#choose(operator, operands);
    else if (TEXT_SHOWING.has(operator)) this.#setColors(start);
    else this.#paint(operation, bytes);
  }

  #transferOf(operands: readonly Value[]): Transfer | null | undefined {
    const name = this.#file.name(operands.at(-1)) ?? "";
    if (!this.#transfers.has(name)) {
      const state = this.#file.dictionary(this.#named("ExtGState", operands));
      this.#transfers.set(name, readTransfer(this.#file, state));
    }
    return this.#transfers.get(name);
  }

  #paint(operation: ContentOperation, bytes: Uint8Array): void {
    const { operator, operands, start, end } = operation;
    if (!["Do", "BI", "sh"].includes(operator)) return;
    this.#setColors(start);
    const { transfer, fill, stroke } = this.#state;
    let made: Reference | undefined;
    if (operator === "BI") {
      const spaces = this.#file.dictionary(this.#original.get("ColorSpace")) ?? new Dictionary();
      made = transfer ? this.#objects.inlineImage(operation, bytes, spaces, transfer) : undefined;
    } else {
      const value = this.#named(operator === "Do" ? "XObject" : "Shading", operands);
      if (value === undefined) return;
      if (operator === "Do") made = this.#objects.object(value, { transfer, fill, stroke }, this.#original);
      else made = transfer ? this.#objects.shading(value, transfer) : undefined;
    }
    if (operator !== "BI") (made ? this.#replaced : this.#kept).add(this.#file.name(operands.at(-1)) ?? "");
    if (!made) return;
    const text = operator === "sh" ? `/${this.#name("Shading", made)} sh` : `/${this.#name("XObject", made)} Do`;
    this.#edits.push({ start, end, text: ` ${text} ` });
  }

  #choose(operator: string, operands: readonly Value[]): void {
    const lower = operator.toLowerCase();
    const before = operator === lower ? this.#state.fill : this.#state.stroke;
    const components = operands.flatMap((operand) => this.#file.number(operand) ?? []);
    let color: PaintColor;
    if (lower in SPACES) color = { space: Name.of(SPACES[lower]!), components };
    else if (lower === "cs") {
      const space = this.#named("ColorSpace", operands) ?? operands.at(-1) ?? null;
      color = { space, components: readSpace(this.#file, space)?.initial ?? [] };
    } else {
      const pattern = operands.at(-1) instanceof Name ? this.#named("Pattern", operands) : undefined;
      color = { space: before.space, components, ...(pattern === undefined ? {} : { pattern }) };
    }
    this.#state = {
      ...this.#state,
      ...(operator === lower ? { fill: color, setFill: color } : { stroke: color, setStroke: color }),
    };
  }

  #shown(color: PaintColor, transfer: Transfer | null): PaintColor {
    // A pattern always needs a change, because its content can set its own transfer function.
    return transfer || color.pattern !== undefined ? this.#objects.color(color, transfer) : color;
  }

  /** Sets the colors of the next painting operation, if they differ from the current colors. */
  #setColors(at: number): void {
    const { transfer, fill, stroke, setFill, setStroke } = this.#state;
    const [shownFill, shownStroke] = [this.#shown(fill, transfer), this.#shown(stroke, transfer)];
    const texts: string[] = [];
    if (!isSame(shownFill, setFill)) texts.push(this.#setting(shownFill, (operator) => operator));
    if (!isSame(shownStroke, setStroke)) texts.push(this.#setting(shownStroke, (operator) => operator.toUpperCase()));
    if (texts.length === 0) return;
    this.#edits.push({ start: at, end: at, text: ` ${texts.join(" ")} ` });
    this.#state = { ...this.#state, setFill: shownFill, setStroke: shownStroke };
  }

  #setting({ space, components, pattern }: PaintColor, as: (operator: string) => string): string {
    const numbers = components.map((part) => `${serializeNumber(Number(part.toFixed(5)))} `).join("");
    const device = DEVICES[this.#file.name(space) ?? ""];
    if (device && pattern === undefined) return `${numbers}${as(device)}`;
    const isNamed = space instanceof Name && (space.text === "Pattern" || space.text in DEVICES);
    const name = isNamed ? space.text : this.#name("ColorSpace", space);
    const last = pattern === undefined ? "" : `/${this.#name("Pattern", pattern)} `;
    return `/${name} ${as("cs")} ${numbers}${last}${as("scn")}`;
  }

  #named(category: string, operands: readonly Value[]): Value | undefined {
    const name = this.#file.name(operands.at(-1));
    return name === undefined ? undefined : this.#file.dictionary(this.#original.get(category))?.get(name);
  }

  /** Returns the name of a resource, which is added if it is missing. */
  #name(category: string, value: Value): string {
    const key = `${category} ${serialize(value, (reference) => reference.number)}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const category_ = this.#category(category);
    let name = `Transferred${this.#names.size}`;
    while (category_.has(name)) name += "_";
    category_.set(name, value);
    this.#names.set(key, name);
    return name;
  }

  /** Returns the resource dictionary of a category, as a copy that belongs only to this content. */
  #category(category: string): Dictionary {
    const original = this.#file.dictionary(this.#original.get(category));
    const now = this.resources.get(category);
    if (now instanceof Dictionary && now !== original) return now;
    const own = original?.clone() ?? new Dictionary();
    this.resources.set(category, own);
    return own;
  }

  /** Removes objects that are no longer painted, unless forms inherit the resources (7.8.3). */
  #dropReplaced(): void {
    for (const category of ["XObject", "Shading"]) {
      const original = this.#file.dictionary(this.#original.get(category));
      const isLent = original?.values().some((value) => {
        const form = this.#file.dictionary(value);
        return form?.has("BBox") === true && !form.has("Resources");
      });
      if (!original || isLent) continue;
      for (const name of this.#replaced) {
        if (original.has(name) && !this.#kept.has(name)) this.#category(category).delete(name);
      }
    }
  }

  #withoutTransfers(): void {
    const states = this.#file.dictionary(this.#original.get("ExtGState"));
    for (const [name, value] of states ?? []) {
      const state = this.#file.dictionary(value);
      if (!state || !(state.has("TR") || state.has("TR2"))) continue;
      const plain = state.clone();
      plain.delete("TR");
      plain.delete("TR2");
      this.#category("ExtGState").set(name, plain);
    }
    for (const [name, value] of this.#file.dictionary(this.#original.get("Pattern")) ?? []) {
      const { pattern } = this.#shown({ space: Name.of("Pattern"), components: [], pattern: value }, null);
      if (pattern !== undefined && pattern !== value) this.#category("Pattern").set(name, pattern);
    }
  }
}

function isSame(one: PaintColor, other: PaintColor): boolean {
  if (one === other) return true;
  const isAlike = (a: Value | undefined, b: Value | undefined) =>
    a === b ||
    (a instanceof Reference && b instanceof Reference && a.number === b.number) ||
    (a instanceof Name && b instanceof Name && a.text === b.text);
  return (
    isAlike(one.space, other.space) &&
    isAlike(one.pattern, other.pattern) &&
    one.components.length === other.components.length &&
    one.components.every((part, index) => part === other.components[index])
  );
}
