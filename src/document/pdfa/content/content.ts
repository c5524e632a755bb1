// Repairs content streams (ISO 19005-1, 6.1.6, 6.1.12, 6.2.9 and 6.2.10; -2, 6.1.13, 6.2.2 and 6.2.6): operators,
// numbers, strings, resource names. Valid content stays the same, byte for byte.
import { type ContentOperation, readOperations } from "../../content/content.ts";
import { OPERATORS, RESOURCE_CATEGORIES } from "../../content/operators.ts";
import type { LayerVisibility } from "../../content/optional-content.ts";
import { Lexer } from "../../objects/parsing/lexer.ts";
import { serialize } from "../../objects/serialize.ts";
import { Dictionary, Name, PdfString, type Reference, type Value } from "../../objects/values.ts";
import { InitialColors } from "../colors/initial-colors.ts";
import type { DeviceSpace } from "../colors/profiles.ts";
import { boundedNumber, maxStringBytes, shortName } from "../document/limits.ts";
import type { PdfaDocument } from "../pdfa-document.ts";
import { ContentCount } from "./content-count.ts";
import type { ContentStream } from "./content-stream.ts";
import type { ContentUses } from "./content-uses.ts";
import { RENDERING_INTENTS } from "./graphics-states.ts";
import { repairInlineImage } from "./inline-image.ts";
import { flattenNesting, MAX_SAVED } from "./nesting.ts";
import { VisibleContent } from "./visible-content.ts";

const SPACES = new Map<string, DeviceSpace>([
  ["g", "DeviceGray"],
  ["G", "DeviceGray"],
  ["rg", "DeviceRGB"],
  ["RG", "DeviceRGB"],
  ["k", "DeviceCMYK"],
  ["K", "DeviceCMYK"],
]);
const DEVICE_NAMES = new Map<string, DeviceSpace>([
  ["G", "DeviceGray"],
  ["RGB", "DeviceRGB"],
  ["CMYK", "DeviceCMYK"],
  ["DeviceGray", "DeviceGray"],
  ["DeviceRGB", "DeviceRGB"],
  ["DeviceCMYK", "DeviceCMYK"],
]);
const HELVETICA = {
  Type: Name.of("Font"),
  Subtype: Name.of("Type1"),
  BaseFont: Name.of("Helvetica"),
  Encoding: Name.of("WinAnsiEncoding"),
};
const LESS = 0x3c;
const MAX_DEPTH = 100;

/** Repairs the content streams of a file. */
export class ContentRepairer implements ContentUses {
  readonly deviceSpaces = new Set<DeviceSpace>();
  readonly resources = new Set<Dictionary>();
  readonly count: ContentCount;
  readonly #document: PdfaDocument;
  readonly #visibility: LayerVisibility | undefined;
  #helvetica: Reference | undefined;

  /** @param visibility visibility of the layers, if layers are removed; @default layers stay */
  constructor(document: PdfaDocument, visibility?: LayerVisibility) {
    this.#document = document;
    this.count = new ContentCount(document.file);
    this.count.seeObjects(document.places.length, document.annotationCount);
    this.#visibility = visibility;
  }

  /** @returns undefined if the content is unchanged */
  readonly repair = (stream: ContentStream): Uint8Array | undefined => {
    const { bytes, resources } = stream;
    this.resources.add(resources);
    const parts: Uint8Array[] = [];
    let copied = 0;
    let saved = 0;
    let isDeep = false;
    const initial = new InitialColors(this.#document.file, stream);
    const visible = this.#visibility && new VisibleContent(this.#document, resources, this.#visibility);
    for (const operation of readOperations(bytes)) {
      this.count.see(operation, stream);
      if (operation.operator === "q") isDeep = ++saved > MAX_SAVED || isDeep;
      else if (operation.operator === "Q") saved = Math.max(0, saved - 1);
      const shown = visible ? visible.see(operation) : undefined;
      const color = initial.before(operation);
      const { start, end } = operation;
      if (color) {
        parts.push(bytes.subarray(copied, start), Buffer.from(` ${color} `, "latin1"));
        copied = start;
      }
      const replacement = shown ?? this.#repairOperation(operation, stream);
      if (replacement === undefined) continue;
      parts.push(bytes.subarray(copied, start), Buffer.from(` ${replacement} `, "latin1"));
      copied = end;
    }
    let repaired: Uint8Array | undefined;
    if (parts.length > 0) repaired = Buffer.concat([...parts, bytes.subarray(copied)]);
    return (isDeep ? flattenNesting(this.#document, repaired ?? bytes, resources) : undefined) ?? repaired;
  };

  /** @returns the replacement, one character per byte; undefined to keep the operation */
  #repairOperation(operation: ContentOperation, stream: ContentStream): string | undefined {
    const { operator, operands, data } = operation;
    if (data) return this.#inlineImage(operation, stream);
    if (!OPERATORS.has(operator)) return "";
    const space = SPACES.get(operator);
    if (space) this.deviceSpaces.add(space);
    const category = RESOURCE_CATEGORIES.get(operator);
    if (category) this.#name(category, operation, stream);
    if (operator === "ri" && !(operands[0] instanceof Name && RENDERING_INTENTS.has(operands[0].text)))
      return "/RelativeColorimetric ri";
    return this.#operands(operation, stream.bytes);
  }

  #name(category: string, { operator, operands }: ContentOperation, { resources, inherited }: ContentStream): void {
    const operand = operator === "Tf" ? operands[0] : operands.at(-1);
    if (!(operand instanceof Name)) return;
    const name = shortName(operand.text);
    const device = category === "ColorSpace" ? DEVICE_NAMES.get(name) : undefined;
    if (device) this.deviceSpaces.add(device);
    const { file } = this.#document;
    const own = file.dictionary(resources.get(category));
    const isThere = (value: Value | undefined) =>
      category === "Font" ? file.dictionary(value)?.has("Subtype") === true : value !== undefined;
    if (isThere(own?.get(name))) return;
    let value = file.dictionary(inherited?.get(category))?.get(name);
    // Viewers show text in Helvetica if its font is missing.
    if (category === "Font" && !isThere(value)) value = this.#standIn();
    if (value === undefined) return;
    if (own) own.set(name, value);
    else resources.set(category, Dictionary.of({ [name]: value }));
  }

  #standIn(): Reference {
    this.#helvetica ??= this.#document.file.add(Dictionary.of(HELVETICA));
    return this.#helvetica;
  }

  #operands({ operator, operands, start, end }: ContentOperation, bytes: Uint8Array): string | undefined {
    const { level } = this.#document;
    let isMended = false;
    for (let index = 0; index < operands.length && !isMended; index++)
      isMended = this.#breaksLimit(operands[index]!, 0);
    if (!isMended && !hasBadHex(bytes, start, end)) return undefined;
    const most = maxStringBytes(level);
    const [shown] = operands;
    // A string that is too long is split into several operations.
    if (operator === "Tj" && shown instanceof PdfString && shown.latin1.length > most) {
      const pieces: string[] = [];
      const length = most - (most % 4);
      for (let at = 0; at < shown.latin1.length; at += length)
        pieces.push(`${write(PdfString.ofLatin1(shown.latin1.slice(at, at + length)))} Tj`);
      return pieces.join(" ");
    }
    return [...operands.map((operand) => write(this.#bounded(operand, 0))), operator].join(" ");
  }

  #breaksLimit(value: Value, depth: number): boolean {
    // In part 1, an integer above 32,767 is valid but a real is not. The value does not show which of them the content
    // has, so it is rewritten as an integer.
    if (typeof value === "number") {
      const size = Math.abs(value);
      return size > 32_767 ? this.#document.level.part === 1 || size > 2_147_483_647 : size < 1.175e-38 && value !== 0;
    }
    if (value instanceof Name) return shortName(value.text) !== value.text;
    if (value instanceof PdfString) return value.latin1.length > maxStringBytes(this.#document.level);
    if (depth > MAX_DEPTH) return false;
    if (Array.isArray(value)) return value.some((element) => this.#breaksLimit(element, depth + 1));
    return value instanceof Dictionary && value.values().some((element) => this.#breaksLimit(element, depth + 1));
  }

  #bounded(value: Value, depth: number): Value {
    const { level } = this.#document;
    if (typeof value === "number") return boundedNumber(value, level);
    if (value instanceof Name) return Name.of(shortName(value.text));
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.flatMap((element) => this.#pieces(element, depth + 1));
    if (!(value instanceof Dictionary)) return value;
    const bounded = new Dictionary();
    for (const [key, element] of value) bounded.set(key, this.#bounded(element, depth + 1));
    return bounded;
  }

  #pieces(value: Value, depth: number): Value[] {
    const most = maxStringBytes(this.#document.level);
    if (!(value instanceof PdfString) || value.latin1.length <= most) return [this.#bounded(value, depth)];
    const pieces: Value[] = [];
    const length = most - (most % 4);
    for (let at = 0; at < value.latin1.length; at += length)
      pieces.push(PdfString.ofLatin1(value.latin1.slice(at, at + length)));
    return pieces;
  }

  #inlineImage(operation: ContentOperation, stream: ContentStream): string | undefined {
    const dictionary = operation.operands[0] as Dictionary;
    const space = dictionary.get("ColorSpace") ?? dictionary.get("CS");
    for (const name of Array.isArray(space) ? space : [space]) {
      const device = name instanceof Name ? DEVICE_NAMES.get(name.text) : undefined;
      if (device) this.deviceSpaces.add(device);
      if (!device && name instanceof Name) this.#name("ColorSpace", { ...operation, operands: [name] }, stream);
    }
    return repairInlineImage(operation, stream.bytes);
  }
}

const write = (value: Value) => serialize(value, () => 0);

/** Reports whether hexadecimal strings contain anything except pairs of digits. */
function hasBadHex(bytes: Uint8Array, start: number, end: number): boolean {
  // indexOf() from `start` would search all remaining bytes for each operation.
  if (!bytes.subarray(start, end).includes(LESS)) return false;
  const lexer = new Lexer(bytes.subarray(0, end), start);
  while (lexer.next() !== "end") {
    if (lexer.kind !== "hex") continue;
    const digits = lexer.text.slice(1, -1).replace(/[\0\t\n\f\r ]/g, "");
    if (digits.length % 2 === 1 || /[^\da-fA-F]/.test(digits) || bytes[lexer.end - 1] !== 0x3e) return true;
  }
  return false;
}
