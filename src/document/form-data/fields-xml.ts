// Reads and writes fields as plain XML: an element for each partial name, as Acrobat exports them. A name that is no
// name of XML is in the attribute `original` of the XFDF transition namespace. An option is one element, so a field with
// several options has several elements.
import type { Element } from "@xmldom/xmldom";
import { elementsOf } from "../formats/xml.ts";
import { type FieldValue, joinNames, listOf, type NamedNode, treeOf } from "./field-value.ts";
import { escapeXml, xmlBytes } from "./xml-text.ts";

const TRANSITION = "http://ns.adobe.com/xfdf-transition/";
const NAME = /^[\p{L}_][\p{L}\p{N}._-]*$/u;

export const isFieldsXml = ({ localName }: Element): boolean => localName === "fields";

export function readFieldsXml(root: Element): FieldValue[] {
  const texts = new Map<string, string[]>();
  const read = (element: Element, parent: string) => {
    const name = joinNames(parent, element.getAttributeNS(TRANSITION, "original") || element.localName!);
    const children = elementsOf(element);
    if (children.length === 0) texts.set(name, [...(texts.get(name) ?? []), element.textContent ?? ""]);
    for (const child of children) read(child, name);
  };
  for (const element of elementsOf(root)) read(element, "");
  return [...texts].map(([name, some]) => ({ name, value: some.length === 1 ? some[0] : some }));
}

export function writeFieldsXml(values: readonly FieldValue[]): Uint8Array {
  const elements = [...treeOf(values).children.values()].map(elementOf).join("");
  return xmlBytes(`<fields xmlns:xfdf="${TRANSITION}">${elements}</fields>`);
}

function elementOf({ name, field, children }: NamedNode): string {
  const isName = NAME.test(name) && !/^xml/i.test(name);
  const tag = isName ? name : `_${name.replace(/[^\p{L}\p{N}._-]/gu, "_")}`;
  const start = isName ? tag : `${tag} xfdf:original="${escapeXml(name)}"`;
  if (children.size > 0) return `<${start}>${[...children.values()].map(elementOf).join("")}</${tag}>`;
  return listOf(field?.value ?? "")
    .map((text) => `<${start}>${escapeXml(text)}</${tag}>`)
    .join("");
}
