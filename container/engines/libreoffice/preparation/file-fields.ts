// Replaces DrawingML fields that print the file's path by the client's file name, because
// zygote/corrections/own-address.cpp does not reach fields in table cells.

import { attributeOf, startTags, xmlBytes, xmlText } from "./markup.ts";

/** Prefix of the types that LibreOffice imports as file name fields; ISO 29500 defines no such type. */
const TYPE = "file";
const SIGNS = [` type="${TYPE}`, ` type='${TYPE}`];

/** Reports whether a part might contain file name fields. */
export const mayNameFile = (content: Buffer): boolean => SIGNS.some((sign) => content.includes(sign));

/** Replaces the fields. Returns only the changed parts, by part name. @param fileName the client's name for the file */
export function withFileName(parts: ReadonlyMap<string, Buffer>, fileName: string): Map<string, Buffer> {
  const changed = new Map<string, Buffer>();
  for (const [part, content] of parts) {
    if (!mayNameFile(content)) continue;
    const text = xmlText(content);
    const named = replaceFields(text, fileName);
    if (named !== text) changed.set(part, xmlBytes(named));
  }
  return changed;
}

function replaceFields(text: string, fileName: string): string {
  const kept: string[] = [];
  let at = 0;
  for (const { 0: tag, index } of text.matchAll(startTags("fld"))) {
    if (index < at || tag.endsWith("/>") || !attributeOf(tag, "type")?.startsWith(TYPE)) continue;
    const prefix = /^<([\w.-]+:)?/.exec(tag)![1] ?? "";
    const endTag = `</${prefix}fld>`;
    const end = text.indexOf(endTag, index);
    if (end < 0) break;
    const run = runOf(text.slice(index + tag.length, end), prefix, fileName);
    kept.push(text.slice(at, index), run);
    at = end + endTag.length;
  }
  return at === 0 ? text : [...kept, text.slice(at)].join("");
}

/** Returns a run with the given text in the formatting of a field (ISO 29500-1, 21.1.2.2.4 and 21.1.2.3.8). */
function runOf(field: string, prefix: string, text: string): string {
  const start = startTags("rPr").exec(field);
  const endTag = `</${prefix}rPr>`;
  const end = start?.[0].endsWith("/>") ? start.index + start[0].length : field.indexOf(endTag) + endTag.length;
  const format = start ? field.slice(start.index, end) : "";
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<${prefix}r>${format}<${prefix}t>${escaped}</${prefix}t></${prefix}r>`;
}
