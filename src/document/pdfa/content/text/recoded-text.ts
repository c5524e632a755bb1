// Changes the character codes of text in certain fonts. Text keeps its codes if a form shows it in a font that the form
// inherits from its caller.
import { readOperations } from "../../../content/content.ts";
import { TEXT_SHOWING } from "../../../content/operators.ts";
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { serialize } from "../../../objects/serialize.ts";
import { Name, PdfString, Reference, type Value } from "../../../objects/values.ts";
import type { ContentStream } from "../content-stream.ts";

/** Functions that return a string with new codes, by the object number of the font. */
export type NewCodes = ReadonlyMap<number, (latin1: string) => string>;

/** @returns undefined if the content is unchanged */
export function recodedText(
  file: PdfFile,
  { bytes, resources, inherited }: ContentStream,
  newCodes: NewCodes,
): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let copied = 0;
  let recode: ((latin1: string) => string) | undefined;
  const saved: (typeof recode)[] = [];
  for (const { operator, operands, start, end } of readOperations(bytes)) {
    if (operator === "q") saved.push(recode);
    else if (operator === "Q") recode = saved.pop();
    else if (operator === "Tf") recode = newCodes.get(fontNumber(file, operands[0], [resources, inherited]));
    if (!recode || !TEXT_SHOWING.has(operator)) continue;
    const changed = operands.map((operand) => withCodes(operand, recode!));
    if (changed.every((operand, index) => operand === operands[index])) continue;
    const text = [...changed.map((operand) => serialize(operand, () => 0)), operator].join(" ");
    parts.push(bytes.subarray(copied, start), Buffer.from(` ${text} `, "latin1"));
    copied = end;
  }
  return parts.length > 0 ? Buffer.concat([...parts, bytes.subarray(copied)]) : undefined;
}

/** @returns the object number of the font; 0 for a direct object */
function fontNumber(file: PdfFile, name: Value | undefined, scopes: readonly ContentStream["inherited"][]): number {
  for (const scope of name instanceof Name ? scopes : []) {
    const font = file.dictionary(scope?.get("Font"))?.get((name as Name).text);
    if (font !== undefined) return font instanceof Reference ? font.number : 0;
  }
  return 0;
}

function withCodes(value: Value, recode: (latin1: string) => string): Value {
  if (Array.isArray(value)) {
    const changed = value.map((element) => (element instanceof PdfString ? withCodes(element, recode) : element));
    return changed.some((element, index) => element !== value[index]) ? changed : value;
  }
  if (!(value instanceof PdfString)) return value;
  const latin1 = recode(value.latin1);
  return latin1 === value.latin1 ? value : PdfString.ofLatin1(latin1);
}
