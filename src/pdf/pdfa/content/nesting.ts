// Graphics states that are saved too deep (ISO 19005-1, 6.1.12; -2, 6.1.13): what is between `q` and `Q` there becomes a form, in which
// counting begins anew. It has the graphics state of its place, and leaves it as it was: nothing looks different.
import { readOperations } from "../../content/content.ts";
import { Dictionary, Name } from "../../objects/values.ts";
import { type Archive, streamOf } from "../archive.ts";

/** ISO 32000-1, annex C.2. */
export const MAX_SAVED = 28;
/** Nothing is drawn farther away than this, in whatever units the content is. */
const FAR = 10_000_000;
/** Forms within forms; what is deeper stays. */
const MAX_FORMS = 50;
/** A name that no document has for a resource of its own. */
const PREFIX = "NestedState";

interface Section {
  readonly start: number;
  readonly end: number;
}

/**
 * @param resources of the content, to which the forms are added
 * @returns the new content; undefined where nothing is too deep
 */
export function flattenNesting(archive: Archive, content: Uint8Array, resources: Dictionary): Uint8Array | undefined {
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
    // Resources of a form must not have the form itself in them.
    const before = own.clone();
    const objects = archive.file.dictionary(own.get("XObject"))?.clone() ?? new Dictionary();
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (const { start, end } of sections) {
      const form = archive.file.reserve();
      const inner = before.clone();
      objects.set(`${PREFIX}${form.number}`, form);
      parts.push(bytes.subarray(copied, start), Buffer.from(` /${PREFIX}${form.number} Do `, "latin1"));
      copied = end;
      const put = (body: Uint8Array) => archive.file.put(form, streamOf(body, { ...FORM, Resources: inner }));
      waiting.push({ bytes: bytes.slice(start, end), own: inner, level: level + 1, done: put });
    }
    if (sections.length > 0) own.set("XObject", objects);
    done(sections.length > 0 ? Buffer.concat([...parts, bytes.subarray(copied)]) : bytes);
  }
  return result;
}

const FORM = { Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [-FAR, -FAR, FAR, FAR] };

/** From each `q` that is one too many to its `Q`. */
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
