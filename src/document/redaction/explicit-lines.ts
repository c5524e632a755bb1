// Replaces the operators that move to the next line by moves with a distance (ISO 32000-1, 9.4.2), and selects the fonts
// that graphics states set (8.4.5). MuPDF loses the leading and these fonts when it removes glyphs, so that other text
// would move.
import { readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { contentOf, decodeContent } from "../content/page-content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize, serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Value } from "../objects/values.ts";
import { completePage } from "../pages/page-tree.ts";
import type { SourcePage } from "../pages/pages.ts";
import { formsIn } from "./shown-streams.ts";

const MAX_SAVED = 512;

/** Rewrites the content of a page and of its forms. @param done forms that have been rewritten */
export function makeLinesExplicit(file: PdfFile, page: SourcePage, done: Set<number>): void {
  const dictionary = completePage(file, page);
  const bytes = contentOf(file, dictionary.get("Contents"));
  const { fonts, resources } = fontsOfStates(file, dictionary.get("Resources"));
  const explicit = withExplicitLines(bytes, fonts);
  if (explicit !== bytes) {
    dictionary.set("Contents", file.add(streamOf(explicit))).set("Resources", resources);
    file.put(page.reference, dictionary);
  }
  for (const form of formsIn(file, dictionary.get("Resources"), done)) {
    done.add(form.number);
    const stream = file.stream(form)!;
    const before = decodeContent(stream);
    const own = fontsOfStates(file, stream.dictionary.get("Resources"));
    const after = withExplicitLines(before, own.fonts);
    if (after !== before) file.put(form, streamOf(after, stream.dictionary.clone().set("Resources", own.resources)));
  }
}

/** Returns the operators that select the fonts of graphics states, by name, and resources with these fonts. */
function fontsOfStates(file: PdfFile, value: Value | undefined) {
  const resources = file.dictionary(value);
  const all = file.dictionary(resources?.get("Font"))?.clone() ?? new Dictionary();
  const fonts = new Map<string, string>();
  for (const [name, state] of file.dictionary(resources?.get("ExtGState")) ?? []) {
    const [font, size] = file.array(file.dictionary(state)?.get("Font")) ?? [];
    if (font === undefined) continue;
    all.set(`${name}Font`, font);
    fonts.set(name, `${shown(Name.of(`${name}Font`))} ${serializeNumber(numberOf(size))} Tf`);
  }
  return { fonts, resources: fonts.size > 0 && resources ? resources.clone().set("Font", all) : (value ?? null) };
}

function streamOf(bytes: Uint8Array, dictionary = new Dictionary()): PdfStream {
  for (const key of ["Filter", "DecodeParms"]) dictionary.delete(key);
  return new PdfStream(dictionary, plainBody(bytes));
}

/** @returns the same bytes if they have no such operator */
function withExplicitLines(bytes: Uint8Array, fonts: ReadonlyMap<string, string>): Uint8Array {
  const edits: Edit[] = [];
  const saved: number[] = [];
  let leading = 0;
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    const replace = (text: string) => edits.push({ start, end, text });
    const next = `0 ${serializeNumber(-leading)} Td`;
    if (operator === "q" && saved.length < MAX_SAVED) saved.push(leading);
    else if (operator === "Q") leading = saved.pop() ?? leading;
    else if (operator === "TL") leading = numberOf(operands[0]);
    else if (operator === "TD") {
      leading = -numberOf(operands[1]);
      replace(`${serializeNumber(numberOf(operands[0]))} ${serializeNumber(numberOf(operands[1]))} Td`);
    } else if (operator === "gs") {
      const select = operands[0] instanceof Name ? fonts.get(operands[0].text) : undefined;
      if (select !== undefined) replace(`${shown(operands[0])} gs ${select}`);
    } else if (operator === "T*") replace(next);
    else if (operator === "'") replace(`${next} ${shown(operands[0])} Tj`);
    else if (operator === '"') {
      const [words, characters] = [operands[0], operands[1]].map((value) => serializeNumber(numberOf(value)));
      replace(`${words} Tw ${characters} Tc ${next} ${shown(operands[2])} Tj`);
    }
  }
  return edits.length === 0 ? bytes : applyEdits(bytes, edits, bytes.length);
}

const numberOf = (value: Value | undefined): number => (typeof value === "number" ? value : 0);
const shown = (value: Value | undefined): string => serialize(value ?? null, ({ number }) => number);
