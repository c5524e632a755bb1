// Replaces the operators that move to the next line by moves with a distance (ISO 32000-1, 9.4.2), and selects the fonts
// that graphics states set (8.4.5). MuPDF loses the leading, these fonts, and moves to where it has been, when it removes
// glyphs, so that other text would move.
import { readOperations } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import { IDENTITY, matrixOf } from "../../content/matrix.ts";
import { TEXT_SHOWING } from "../../content/operators.ts";
import { contentOf, decodeContent } from "../../content/page-content.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serialize, serializeNumber } from "../../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../../objects/values.ts";
import { completePage } from "../../pages/page-tree.ts";
import type { SourcePage } from "../../pages/pages.ts";
import { LineMatrix } from "./line-matrix.ts";
import { emptyFont, SizeChanges, type StateFont } from "./size-changes.ts";

const MAX_SAVED = 512;
/** Maximum depth of nested forms. */
const MAX_DEPTH = 200;

/** A form that has been rewritten. */
interface Explicit {
  /** Leading of the content that draws it. */
  readonly leading: number;
  /** True if lines in it depend on that leading. */
  isDependent: boolean;
}
export type ExplicitForms = Map<number, Explicit>;

/**
 * Rewrites the content of a page and of its forms.
 * @param done forms that have been rewritten, by object number
 * @throws EngineFailure `too-complex` if lines of a form depend on different leadings, or if forms are nested too deep
 */
export function makeLinesExplicit(file: PdfFile, page: SourcePage, done: ExplicitForms): void {
  const dictionary = completePage(file, page);
  const bytes = contentOf(file, dictionary.get("Contents"));
  const fonts = new OwnFonts(file, dictionary.get("Resources"));
  const content = withExplicitLines(bytes, fonts, 0);
  if (content.bytes !== bytes) {
    dictionary.set("Contents", file.add(streamOf(content.bytes))).set("Resources", fonts.resources);
    file.put(page.reference, dictionary);
  }
  rewriteForms(content, dictionary.get("Resources"), { file, done, depth: 0 });
}

interface Walk {
  readonly file: PdfFile;
  readonly done: ExplicitForms;
  readonly depth: number;
}

/** @returns true if forms depend on the leading that the content inherits */
function rewriteForms({ drawn }: ExplicitContent, resources: Value | undefined, walk: Walk): boolean {
  const { file, done } = walk;
  const objects = file.dictionary(file.dictionary(resources)?.get("XObject"));
  let isDependent = false;
  for (const { name, leading, isOwn } of drawn) {
    const form = objects?.get(name);
    const stream = form instanceof Reference ? file.stream(form) : undefined;
    if (!stream || file.name(stream.dictionary.get("Subtype")) !== "Form") continue;
    const { number } = form as Reference;
    const known = done.get(number);
    const explicit = known ?? { leading, isDependent: false };
    if (!known) {
      done.set(number, explicit);
      explicit.isDependent = rewriteForm(form as Reference, stream, leading, resources, walk);
    }
    if (explicit.isDependent && explicit.leading !== leading)
      throw new EngineFailure("too-complex", "a form with lines at different distances");
    if (explicit.isDependent && !isOwn) isDependent = true;
  }
  return isDependent;
}

/** @returns true if lines of the form depend on the leading */
function rewriteForm(
  form: Reference,
  stream: PdfStream,
  leading: number,
  inherited: Value | undefined,
  { file, done, depth }: Walk,
): boolean {
  if (depth === MAX_DEPTH) throw new EngineFailure("too-complex", "forms that are nested too deep");
  const before = decodeContent(stream);
  const resources = stream.dictionary.get("Resources") ?? inherited;
  const fonts = new OwnFonts(file, resources);
  const content = withExplicitLines(before, fonts, leading);
  if (content.bytes !== before) {
    file.put(form, streamOf(content.bytes, stream.dictionary.clone().set("Resources", fonts.resources)));
  }
  const isInnerDependent = rewriteForms(content, resources, { file, done, depth: depth + 1 });
  return content.isDependent || isInnerDependent;
}

/** The fonts of resources, those of graphics states, and an empty one. */
class OwnFonts {
  /** Fonts of graphics states, by the names of these. */
  readonly states = new Map<string, StateFont>();
  readonly sizes: SizeChanges;
  readonly #file: PdfFile;
  readonly #given: Value | undefined;
  readonly #all: Dictionary;
  readonly #empty: string;

  constructor(file: PdfFile, given: Value | undefined) {
    this.#file = file;
    this.#given = given;
    const resources = file.dictionary(given);
    this.#all = file.dictionary(resources?.get("Font"))?.clone() ?? new Dictionary();
    for (const [name, state] of file.dictionary(resources?.get("ExtGState")) ?? []) {
      const [font, size] = file.array(file.dictionary(state)?.get("Font")) ?? [];
      if (font === undefined) continue;
      this.#all.set(`${name}Font`, font);
      this.states.set(name, { font: `${name}Font`, size: numberOf(size) });
    }
    let empty = "E0";
    for (let number = 1; this.#all.has(empty); number++) empty = `E${number}`;
    this.#empty = empty;
    this.sizes = new SizeChanges(empty, (font) => this.#isVertical(font));
  }

  #isVertical(font: string): boolean {
    const encoding = this.#file.dictionary(this.#all.get(font))?.get("Encoding");
    const name = this.#file.name(encoding) ?? "";
    return /(?:^|-)V$/.test(name) || this.#file.stream(encoding)?.dictionary.get("WMode") === 1;
  }

  /** The resources with the fonts that the content has used. */
  get resources(): Value {
    const resources = this.#file.dictionary(this.#given);
    if (this.sizes.isUsed) this.#all.set(this.#empty, emptyFont(this.#file));
    else if (this.states.size === 0) return this.#given ?? null;
    return (resources?.clone() ?? new Dictionary()).set("Font", this.#all);
  }
}

function streamOf(bytes: Uint8Array, dictionary = new Dictionary()): PdfStream {
  for (const key of ["Filter", "DecodeParms"]) dictionary.delete(key);
  return new PdfStream(dictionary, plainBody(bytes));
}

interface ExplicitContent {
  /** The same bytes if they have no such operator. */
  readonly bytes: Uint8Array;
  /** True if an operator depends on the leading at the start. */
  readonly isDependent: boolean;
  /** The distinct objects that the content draws, and the leadings there. */
  readonly drawn: readonly (Leading & { readonly name: string })[];
}

/** @param inherited the leading at the start */
function withExplicitLines(bytes: Uint8Array, fonts: OwnFonts, inherited: number): ExplicitContent {
  const edits: Edit[] = [];
  const saved: Leading[] = [];
  const drawn = new Map<string, Leading & { readonly name: string }>();
  const line = new LineMatrix();
  let isDependent = false;
  let at: Leading = { leading: inherited, isOwn: false };
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    if (/^(?:T\*|['"])$/.test(operator) && !at.isOwn) isDependent = true;
    if (operator === "q" && saved.length < MAX_SAVED) saved.push(at);
    else if (operator === "Q") at = saved.pop() ?? at;
    else if (operator === "TL") at = { leading: numberOf(operands[0]), isOwn: true };
    else if (operator === "TD") at = { leading: -numberOf(operands[1]), isOwn: true };
    else if (operator === "Do" && operands[0] instanceof Name) {
      const { text: name } = operands[0];
      drawn.set(`${at.leading} ${at.isOwn} ${name}`, { name, ...at });
    }
    const before = fonts.sizes.before(operator, operands, fonts.states);
    const instead =
      operator === "gs" ? withFont(operands[0], fonts) : explicitText(operator, operands, at.leading, line);
    if (instead !== undefined) edits.push({ start, end, text: before + instead });
    else if (before !== "") edits.push({ start, end: start, text: before });
  }
  const explicit = edits.length === 0 ? bytes : applyEdits(bytes, edits, bytes.length);
  return { bytes: explicit, isDependent, drawn: [...drawn.values()] };
}

/** @returns the operators to use instead of a graphics state with a font; undefined to keep it */
function withFont(name: Value | undefined, { states }: OwnFonts): string | undefined {
  const set = name instanceof Name ? states.get(name.text) : undefined;
  return set && `${shown(name)} gs ${shown(Name.of(set.font))} ${serializeNumber(set.size)} Tf`;
}

/** @returns the operators to use instead of one that moves or shows text; undefined to keep it */
function explicitText(
  operator: string,
  operands: readonly Value[],
  leading: number,
  line: LineMatrix,
): string | undefined {
  const [x, y] = [numberOf(operands[0]), numberOf(operands[1])];
  const next = () => line.move(0, -leading) ?? `0 ${serializeNumber(-leading)} Td`;
  if (operator === "BT") line.begin();
  else if (operator === "Tm") return line.set(matrixOf(operands.map(numberOf)) ?? IDENTITY);
  else if (operator === "Td") return line.move(x, y);
  else if (operator === "TD") return line.move(x, y) ?? `${serializeNumber(x)} ${serializeNumber(y)} Td`;
  else if (operator === "T*") return next();
  else if (TEXT_SHOWING.has(operator)) {
    const spaced = operator === '"' ? `${serializeNumber(x)} Tw ${serializeNumber(y)} Tc ` : "";
    const moved = operator === "'" || operator === '"' ? `${spaced}${next()} ${shown(operands.at(-1))} Tj` : undefined;
    line.show();
    return moved;
  }
  return undefined;
}

interface Leading {
  readonly leading: number;
  /** True if the content set it itself. */
  readonly isOwn: boolean;
}

const numberOf = (value: Value | undefined): number => (typeof value === "number" ? value : 0);
const shown = (value: Value | undefined): string => serialize(value ?? null, ({ number }) => number);
