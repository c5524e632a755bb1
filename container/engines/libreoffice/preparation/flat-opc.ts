// Converts a Flat OPC document (an Office Open XML package in one XML file) to the parts of a zip package. Office opens
// both, LibreOffice only the zip package.

import { attributeOf, withoutEntities, xmlText } from "./markup.ts";
import type { NewPart } from "./zip-file.ts";

/** Namespace of the elements `package`, `part`, `xmlData` and `binaryData`. */
const NAMESPACE = "http://schemas.microsoft.com/office/2006/xmlPackage";
const ROOT_WITHIN = 4096;
const MAX_PARTS = 65_535;
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONSHIPS = "application/vnd.openxmlformats-package.relationships+xml";

/** @param start the first bytes of a file */
export function isFlatOpc(start: Buffer): boolean {
  const text = xmlText(start).slice(0, ROOT_WITHIN);
  return text.trimStart().startsWith("<") && text.includes(NAMESPACE) && ROOT.test(text);
}

const ROOT = /<(?:([\w.-]{1,64}):)?package\s[^<>]*>/;

/** Yields the parts of the package, and last the part that declares their content types. */
export function* partsOfFlatOpc(bytes: Buffer): Generator<NewPart> {
  const text = xmlText(bytes);
  const root = ROOT.exec(text.slice(0, ROOT_WITHIN));
  if (!root) return;
  const prefix = root[1] === undefined ? "" : `${root[1]}:`;
  const types: string[] = [];
  // Elements can be found by searching for their tags: in well-formed parts, no other elements use the package's
  // prefix.
  const start = `<${prefix}part`;
  const end = `</${prefix}part>`;
  for (let at = text.indexOf(start); at >= 0 && types.length < MAX_PARTS; at = text.indexOf(start, at + 1)) {
    const to = text.indexOf(end, at);
    if (to < 0) return;
    const tag = tagAt(text, at);
    const name = withoutEntities(attributeOf(tag, "name") ?? "").replace(/^\/+/, "");
    const type = attributeOf(tag, "contentType");
    if (name !== "" && type !== undefined) {
      if (type !== RELATIONSHIPS) types.push(`<Override PartName="/${escaped(name)}" ContentType="${type}"/>`);
      yield { name, packed: contentOf(text.slice(at + tag.length, to), prefix, [root[0], tag]) };
    }
    at = to;
  }
  const list = `<Default Extension="rels" ContentType="${RELATIONSHIPS}"/>${types.join("")}`;
  const namespace = "http://schemas.openxmlformats.org/package/2006/content-types";
  const content = `${DECLARATION}<Types xmlns="${namespace}">${list}</Types>`;
  yield { name: "[Content_Types].xml", packed: Buffer.from(content) };
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function tagAt(text: string, at: number): string {
  const end = text.indexOf(">", at);
  return end < 0 ? text.slice(at) : text.slice(at, end + 1);
}

/** @param outer start tags of the enclosing elements; the content can use the namespaces that they declare */
function contentOf(part: string, prefix: string, outer: readonly string[]): Buffer {
  const binary = inner(part, `${prefix}binaryData`);
  if (binary) return Buffer.from(binary.content, "base64");
  const xml = inner(part, `${prefix}xmlData`);
  if (!xml) return Buffer.alloc(0);
  return Buffer.from(DECLARATION + withNamespaces(xml.content.trim(), [...outer, xml.tag]));
}

/** Returns an element's start tag and its content. */
function inner(part: string, element: string): { readonly tag: string; readonly content: string } | undefined {
  const start = part.indexOf(`<${element}`);
  const end = part.lastIndexOf(`</${element}`);
  if (start < 0 || end < start) return undefined;
  const tag = tagAt(part, start);
  return { tag, content: part.slice(start + tag.length, end) };
}

/**
 * Copies the namespace declarations of the given tags to the root element, unless the root declares the same prefix.
 */
function withNamespaces(xml: string, tags: readonly string[]): string {
  const at = xml.search(/<[A-Za-z_]/);
  if (at < 0) return xml;
  const root = tagAt(xml, at);
  const declared = new Map(tags.flatMap(namespacesIn));
  for (const [name] of namespacesIn(root)) declared.delete(name);
  const added = [...declared].map(([name, value]) => ` ${name}=${value}`).join("");
  const afterName = at + /^<[^\s/>]+/.exec(root)![0].length;
  return xml.slice(0, afterName) + added + xml.slice(afterName);
}

const namespacesIn = (tag: string): [name: string, value: string][] =>
  [...tag.matchAll(/\s(xmlns:[\w.-]+)\s*=\s*("[^"]*"|'[^']*')/g)].map(([, name = "", value = ""]) => [name, value]);
