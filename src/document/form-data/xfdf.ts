// Reads and writes the fields of XFDF files (ISO 19444-1).
import type { Element } from "@xmldom/xmldom";
import { elementsOf, serializeXml } from "../formats/xml.ts";
import { type FieldValue, joinNames, listOf, type NamedNode, treeOf } from "./field-value.ts";
import { escapeXml, isXml, xmlBytes } from "./xml-text.ts";

const XFDF = "http://ns.adobe.com/xfdf/";

export const isXfdf = ({ localName }: Element): boolean => localName === "xfdf";

export function readXfdf(root: Element): FieldValue[] {
  const values: FieldValue[] = [];
  const read = (element: Element, parent: string) => {
    const name = joinNames(parent, element.getAttribute("name") ?? "");
    const own = fieldValue(element, name);
    if (name !== "" && own) values.push(own);
    for (const child of childrenOf(element, "field")) read(child, name);
  };
  for (const fields of childrenOf(root, "fields")) for (const field of childrenOf(fields, "field")) read(field, "");
  return values;
}

function fieldValue(element: Element, name: string): FieldValue | undefined {
  const texts = childrenOf(element, "value").map(({ textContent }) => textContent ?? "");
  const [rich] = childrenOf(element, "value-richtext");
  const richText = rich && elementsOf(rich).map(serializeXml);
  if (texts.length === 0 && !rich) return undefined;
  const value =
    texts.length > 1 ? texts : (texts[0] ?? (richText?.length ? undefined : (rich?.textContent ?? undefined)));
  return { name, value, ...(richText && richText.length > 0 ? { richText: richText.join("") } : {}) };
}

const childrenOf = (element: Element, name: string): Element[] =>
  elementsOf(element).filter(({ localName }) => localName === name);

/** @param name file name of the PDF */
export function writeXfdf(values: readonly FieldValue[], name: string): Uint8Array {
  const fields = [...treeOf(values).children.values()].map(fieldOf).join("");
  const href = `<f href="${escapeXml(name)}"/>`;
  return xmlBytes(`<xfdf xmlns="${XFDF}" xml:space="preserve">${href}<fields>${fields}</fields></xfdf>`);
}

function fieldOf({ name, field, children }: NamedNode): string {
  const texts = listOf(field?.value).map((text) => `<value>${escapeXml(text)}</value>`);
  const rich = field?.richText === undefined ? "" : richValue(field.richText);
  const kids = [...children.values()].map(fieldOf);
  return `<field name="${escapeXml(name)}">${texts.join("")}${rich}${kids.join("")}</field>`;
}

/** Returns rich text as XML without its declaration. A PDF can have rich text that is not XML: only its text is written. */
function richValue(richText: string): string {
  const body = richText.replace(/^\ufeff?\s*<\?xml[^>]*\?>/, "").trim();
  return `<value-richtext>${isXml(body) ? body : escapeXml(body)}</value-richtext>`;
}
