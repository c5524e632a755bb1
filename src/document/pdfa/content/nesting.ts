// Flattens graphics states that are nested too deeply (ISO 19005-1, 6.1.12; -2, 6.1.13). The content from the first `q`
// beyond the limit to its `Q` becomes a form, in which the depth counts from zero. A form inherits and restores the
// graphics state, so the appearance does not change.
import { readOperations } from "../../content/content.ts";
import { Dictionary, Name } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";

/** Maximum depth of saved graphics states (ISO 32000-1, annex C.2). */
export const MAX_SAVED = 28;
/** Half the side of the bounding box of these forms: larger than any drawing, whatever its units. */
const FAR = 10_000_000;
/** Maximum depth of forms within forms. Deeper content stays unchanged. */
const MAX_FORMS = 50;
/** Prefix of the resource names of these forms, which documents do not use. */
const PREFIX = "NestedState";

interface Section {
  readonly start: number;
  readonly end: number;
}

/**
 * @param resources the resources of the content, to which the forms are added
 * @returns the new content; undefined if the nesting is within the limit
 */
export function flattenNesting(
  document: PdfaDocument,
  content: Uint8Array,
  resources: Dictionary,
): Uint8Array | undefined {
  let result: Uint8Array | undefined;
  const waiting: { bytes: Uint8Array; own: Dictionary; level: number; done: (bytes: Uint8Array) => void }[] = [
    {
      bytes: content,
      own: resources,
      level: 0,
      done: (bytes) => {
        result = bytes === content ? undefined : bytes;
      },
    },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { bytes, own, level, done } = next;
    const sections = level < MAX_FORMS ? deepSections(bytes) : [];
    // A form's resources must not contain the form itself.
    const before = own.clone();
    const objects = document.file.dictionary(own.get("XObject"))?.clone() ?? new Dictionary();
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (const { start, end } of sections) {
      const form = document.file.reserve();
      const inner = before.clone();
      objects.set(`${PREFIX}${form.number}`, form);
      parts.push(bytes.subarray(copied, start), Buffer.from(` /${PREFIX}${form.number} Do `, "latin1"));
      copied = end;
      const put = (body: Uint8Array) => document.file.put(form, newStream(body, { ...FORM, Resources: inner }));
      waiting.push({ bytes: bytes.slice(start, end), own: inner, level: level + 1, done: put });
    }
    if (sections.length > 0) own.set("XObject", objects);
    done(sections.length > 0 ? Buffer.concat([...parts, bytes.subarray(copied)]) : bytes);
  }
  return result;
}

const FORM = { Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [-FAR, -FAR, FAR, FAR] };

/** Returns the sections of content from a `q` beyond the limit to its `Q`. */
function deepSections(content: Uint8Array): Section[] {
  const sections: Section[] = [];
  let saved = 0;
  let from = -1;
  for (const { operator, start, end } of readOperations(content)) {
    if (operator === "q" && ++saved === MAX_SAVED + 1) from = start;
    if (operator !== "Q" || saved === 0) continue;
    if (saved-- === MAX_SAVED + 1) sections.push({ start: from, end });
  }
  if (saved > MAX_SAVED) sections.push({ start: from, end: content.length });
  return sections;
}
