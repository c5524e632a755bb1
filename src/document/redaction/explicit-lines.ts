// Replaces the operators that move to the next line by moves with a distance (ISO 32000-1, 9.4.2). MuPDF loses the
// leading of the text when it removes glyphs, so that the following lines would move.
import { readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { contentOf, decodeContent } from "../content/page-content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize, serializeNumber } from "../objects/serialize.ts";
import { Dictionary, PdfStream, plainBody, type Value } from "../objects/values.ts";
import { completePage } from "../pages/page-tree.ts";
import type { SourcePage } from "../pages/pages.ts";
import { formsIn } from "./shown-streams.ts";

const MAX_SAVED = 512;

/** Rewrites the content of a page and of its forms. @param done forms that have been rewritten */
export function makeLinesExplicit(file: PdfFile, page: SourcePage, done: Set<number>): void {
  const dictionary = completePage(file, page);
  const bytes = contentOf(file, dictionary.get("Contents"));
  const explicit = withExplicitLines(bytes);
  if (explicit !== bytes) {
    dictionary.set("Contents", file.add(streamOf(explicit)));
    file.put(page.reference, dictionary);
  }
  for (const form of formsIn(file, dictionary.get("Resources"), done)) {
    done.add(form.number);
    const stream = file.stream(form)!;
    const before = decodeContent(stream);
    const after = withExplicitLines(before);
    if (after !== before) file.put(form, streamOf(after, stream.dictionary.clone()));
  }
}

function streamOf(bytes: Uint8Array, dictionary = new Dictionary()): PdfStream {
  for (const key of ["Filter", "DecodeParms"]) dictionary.delete(key);
  return new PdfStream(dictionary, plainBody(bytes));
}

/** @returns the same bytes if they have no such operator */
function withExplicitLines(bytes: Uint8Array): Uint8Array {
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
