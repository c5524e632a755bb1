// Parses untrusted XML. Limits its size and depth, and rejects document types and entities.
import { DOMParser, type Document, type Element, type Node, XMLSerializer } from "@xmldom/xmldom";

export interface XmlLimits {
  readonly characters: number;
  readonly nodes: number;
  readonly depth: number;
}

const ELEMENT_NODE = 1;
/** Makes the serializer throw instead of writing XML that is not well-formed. */
export const WELL_FORMED = { requireWellFormed: true };

/** @returns undefined for XML that is not well-formed, has a document type, or exceeds a limit */
export function parseXml(text: string, limits: XmlLimits): Document | undefined {
  if (text.length > limits.characters || /<!(?:DOCTYPE|ENTITY)/i.test(text) || !isModest(text, limits))
    return undefined;
  const refuse = (level: string, message: string) => {
    if (level !== "warning") throw new SyntaxError(message);
  };
  try {
    return new DOMParser({ onError: refuse }).parseFromString(text, "text/xml");
  } catch {
    return undefined;
  }
}

/** Reports whether the depth and the number of nodes are within the limits, because readers of the tree are recursive. */
function isModest(text: string, limits: XmlLimits): boolean {
  let depth = 0;
  let nodes = 0;
  for (const tag of tagsOf(text)) {
    if (tag.startsWith("</")) depth--;
    else if (!tag.endsWith("/>") && !/^<[!?]/.test(tag)) depth++;
    if (depth > limits.depth || ++nodes > limits.nodes) return false;
  }
  return true;
}

function* tagsOf(text: string): Generator<string> {
  for (let start = text.indexOf("<"); start >= 0; ) {
    const end = text.indexOf(">", start);
    if (end < 0) return;
    yield text.slice(start, end + 1);
    start = text.indexOf("<", end);
  }
}

/** Serializes XML. Carriage returns become references, because parsers would change them (XML 1.0, 2.11). */
export const serializeXml = (node: Node): string =>
  new XMLSerializer().serializeToString(node).replaceAll("\r", "&#13;");

export const elementsOf = (node: Node): Element[] =>
  Array.from(node.childNodes).filter((child): child is Element => child.nodeType === ELEMENT_NODE);
