// Reduces content to its text, and makes the text invisible (ISO 32000-1, 9.3.6), so that content replaced by an image
// stays searchable and can be read aloud.
import { readOperations } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import { OBJECT_PAINTING, PATH_PAINTING, TEXT_SHOWING } from "../../content/operators.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type PdfStream, Reference, type Value } from "../../objects/values.ts";
import { hidePainting, hideText } from "../edits.ts";
import { PageTooComplex } from "../page-too-complex.ts";
import { imageStream } from "../paint/add-image.ts";
import { NameAllocator } from "../resource-names.ts";
import type { ContentNode } from "./content-node.ts";
import type { ScanOptions } from "./page-scan.ts";
import { scanContent } from "./scan.ts";

const MAX_EDITS = 2_000_000;
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
/** Entries of a form that are not needed for text. */
const USELESS = ["Group", "PieceInfo", "LastModified", "Metadata", "OPI", "Ref", "Measure", "StructParent"];

export interface TextContent {
  readonly content: Uint8Array;
  readonly resources: Dictionary;
}

export class TextOnly {
  readonly #file: PdfFile;
  readonly #options: ScanOptions;
  /** The results, by object number of the form. */
  readonly #forms = new Map<number, Reference | undefined>();

  constructor(file: PdfFile, options: Omit<ScanOptions, "recordsAll" | "splitsFills">) {
    this.#file = file;
    this.#options = { ...options, recordsAll: true, splitsFills: false };
  }

  /** @returns a form with only the text; undefined if the form has no text, or its text cannot be determined */
  form(value: Value | undefined, outer: Dictionary | undefined): Reference | undefined {
    const stream = this.#file.stream(value);
    if (!stream) return undefined;
    const number = value instanceof Reference ? value.number : 0;
    if (number !== 0 && this.#forms.has(number)) return this.#forms.get(number);
    const made = this.#make(stream, outer);
    if (number !== 0) this.#forms.set(number, made);
    return made;
  }

  /** @returns undefined if there is no text or the text cannot be determined */
  content(bytes: Uint8Array, resources: Dictionary | undefined): TextContent | undefined {
    try {
      const { root, chargedBytes } = scanContent(bytes, resources, this.#options);
      this.#options.budget.release(chargedBytes);
      return hasText(root) ? this.#emit(root) : undefined;
    } catch (error) {
      if (!(error instanceof PageTooComplex)) throw error;
      const edits = plainEdits(bytes);
      return edits && { content: applyEdits(bytes, edits, bytes.length), resources: withoutObjects(resources) };
    }
  }

  #make(stream: PdfStream, outer: Dictionary | undefined): Reference | undefined {
    const { dictionary } = stream;
    const resources = this.#file.dictionary(dictionary.get("Resources")) ?? outer;
    const text = this.content(stream.body.decoded(MAX_CONTENT_BYTES), resources);
    return text && this.#file.add(formOf(dictionary, text));
  }

  #emit(node: ContentNode): TextContent {
    const edits = node.paints.flatMap((paint) => hidePainting(paint));
    const objects = new Dictionary();
    const names = new NameAllocator("FlText", this.#file.dictionary(node.resources?.get("XObject")));
    for (const kid of node.kids) {
      let text = " ";
      if (hasText(kid.node)) {
        const name = names.next();
        objects.set(name, this.#file.add(formOf(kid.node.form!.dictionary, this.#emit(kid.node))));
        text = ` /${name} Do `;
      }
      edits.push({ start: kid.start, end: kid.end, text });
    }
    const resources = withoutObjects(node.resources);
    if (objects.size > 0) resources.set("XObject", objects);
    return { content: applyEdits(node.bytes, edits, node.bytes.length), resources };
  }
}

/** Returns the resources that text can use. */
function withoutObjects(original: Dictionary | undefined): Dictionary {
  const resources = new Dictionary();
  for (const key of ["Font", "Properties", "ExtGState", "ColorSpace"]) {
    const names = original?.get(key);
    if (names !== undefined) resources.set(key, names);
  }
  return resources;
}

/**
 * Returns edits that keep only the text, without following forms and fonts. Used for content that is too complex to
 * scan.
 */
function plainEdits(bytes: Uint8Array): Edit[] | undefined {
  const edits: Edit[] = [];
  const saved: number[] = [];
  let mode = 0;
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    if (operator === "q" && saved.length < MAX_EDITS) saved.push(mode);
    else if (operator === "Q") mode = saved.pop() ?? mode;
    else if (operator === "Tr") mode = typeof operands[0] === "number" ? Math.trunc(operands[0]) : mode;
    else if (PATH_PAINTING.has(operator)) edits.push({ start: end - operator.length, end, text: "n" });
    else if (OBJECT_PAINTING.has(operator)) edits.push({ start, end, text: " " });
    else if (TEXT_SHOWING.has(operator)) edits.push(...hideText({ start, end, mode, isType3: false }));
    if (edits.length > MAX_EDITS) return undefined;
  }
  return edits;
}

function hasText(node: ContentNode): boolean {
  return node.paints.some(({ kind }) => kind === "text") || node.kids.some((kid) => hasText(kid.node));
}

function formOf(form: Dictionary, { content, resources }: TextContent): PdfStream {
  const dictionary = form.clone().set("Resources", resources);
  for (const key of [...USELESS, "Filter", "DecodeParms", "Length"]) dictionary.delete(key);
  return imageStream(dictionary, content);
}
