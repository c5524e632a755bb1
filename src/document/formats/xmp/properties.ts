// Reads properties of XMP packets (ISO 16684-1). Searches the text instead of parsing XML, because packets are untrusted
// and often not well-formed. Reads a packet in linear time.

const DECLARATION = /xmlns:([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ATTRIBUTE = /\s([\w.-]+):([^\s<>/=:"']+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const ELEMENT = /<([\w.-]+):([^\s<>/=:"']+)(?:\s[^<>]*)?(?:\/>|>(?:([^<]*)<\/[^<>]*>)?)/g;
/** Matches an item of a list. In a list of languages, the item of the default language has `xml:lang="x-default"`. */
const ITEM = /<(?:[\w.-]+:)?li(?:\s([^<>]*))?>([^<]*)</g;
const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** A property in a packet: an attribute or an element. */
export interface XmpProperty {
  readonly namespaces: ReadonlySet<string>;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Text as it is written; undefined for an element that contains elements. */
  readonly value: string | undefined;
  /** Prefix and name, as in the end tag of an element. */
  readonly tag: string;
}

/**
 * Returns the text of a packet, which is UTF-8, UTF-16 or UTF-32 (7.1). Where no byte order mark comes first, the zeros
 * around its first character, `<`, show the encoding (XML 1.0, F.1).
 */
export function packetText(packet: Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0] = packet;
  const zeros = [a, b, c, d].map((byte) => (byte === 0 ? "0" : "1")).join("");
  if (zeros === "0001" || (zeros === "0011" && c === 0xfe)) return utf32(packet, false);
  if (zeros === "1000" || (zeros === "1100" && a === 0xff)) return utf32(packet, true);
  const isLittleEndian = (a === 0xff && b === 0xfe) || zeros === "1010";
  const isBigEndian = (a === 0xfe && b === 0xff) || zeros === "0101";
  const encoding = isLittleEndian ? "utf-16le" : isBigEndian ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(packet);
}

function utf32(packet: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  let text = "";
  for (let at = 0; at + 4 <= packet.length; at += 4) text += characterOf(view.getUint32(at, isLittleEndian));
  return text;
}

export function* propertiesIn(text: string): Generator<XmpProperty> {
  const namespaces = new Map<string, Set<string>>();
  for (const [, prefix, uri, other] of text.matchAll(DECLARATION)) {
    const known = namespaces.get(prefix!) ?? new Set();
    namespaces.set(prefix!, known.add(uri ?? other!));
  }
  for (const pattern of [ATTRIBUTE, ELEMENT]) {
    for (const { 0: all, 1: prefix, 2: name, 3: value, 4: other, index: start } of text.matchAll(pattern)) {
      const found = namespaces.get(prefix!);
      const property = { name: name!, start, end: start + all.length, tag: `${prefix}:${name}` };
      const text = value ?? other ?? (all.endsWith("/>") ? "" : undefined);
      if (found) yield { ...property, namespaces: found, value: text };
    }
  }
}

/**
 * Returns the texts of properties. If a text exists in several languages, selects the default language. Joins the items
 * of other lists.
 * @param wanted namespace and name of each property, separated by a space
 */
export function textsIn(packet: Uint8Array, wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
  const text = packetText(packet);
  const texts = new Map<string, string>();
  let listEnd = 0;
  for (const { namespaces, name, end, value, tag } of propertiesIn(text)) {
    const key = [...namespaces].map((uri) => `${uri} ${name}`).find((key) => wanted.has(key) && !texts.has(key));
    if (key === undefined || end < listEnd) continue;
    if (value === undefined) listEnd = text.indexOf(`</${tag}`, end);
    if (listEnd < 0) break;
    const content = unescaped(value ?? listText(text.slice(end, listEnd)))
      .trim()
      .toWellFormed();
    if (content !== "") texts.set(key, content);
  }
  return texts;
}

function listText(content: string): string {
  const items = [...content.matchAll(ITEM)].map(([, attributes = "", text]) => ({ attributes, text: text!.trim() }));
  const standard = items.find(({ attributes }) => attributes.includes("x-default"));
  return standard?.text ?? items.map(({ text }) => text).join("; ");
}

/** Replaces references to characters, and to the entities of XML, in a text as it is written. */
export const unescaped = (text: string): string =>
  text.replace(REFERENCE, (_, hexadecimal, decimal, name) =>
    name
      ? ENTITIES[name.toLowerCase()]!
      : characterOf(hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal)),
  );

const characterOf = (code: number): string => String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
