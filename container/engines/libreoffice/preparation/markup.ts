// Reads tags of XML and HTML by their text, where a parser would have to hold the whole document.

/** Decodes XML (1.0, 4.3.3): by its byte order mark, or else by its declaration, or else as UTF-8. */
export function xmlText(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, 256);
  const isMarked = /^(\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.test(start);
  const declared = isMarked ? undefined : /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1];
  return decoderOf(start.startsWith("\xff\xfe") ? "utf-16le" : start.startsWith("\xfe\xff") ? "utf-16be" : declared)(
    bytes,
  );
}

/** Encodes XML in UTF-8, without the declaration of the encoding that it had before. */
export const xmlBytes = (text: string): Buffer => Buffer.from(text.replace(/^\s*<\?xml[^>]*\?>/, ""));

/** Returns a function that decodes an encoding by its label, or UTF-8 if there is no such encoding. */
export function decoderOf(label: string | undefined): (bytes: Uint8Array) => string {
  try {
    const decoder = new TextDecoder(label);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => new TextDecoder().decode(bytes);
  }
}

/** Returns the raw value of an attribute in a start tag, whatever its prefix. */
export function attributeOf(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*("[^"]*"|'[^']*')`).exec(tag) ?? [];
  return value?.slice(1, -1);
}

/** Matches start tags of an element, whatever their prefix. A bracket within a tag ends it: XML has none there. */
export const startTags = (element: string): RegExp =>
  new RegExp(`<(?:[\\w.-]{1,64}:)?${element}(?=[\\s/>])[^<>]*>`, "g");

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Replaces the entities that every XML document has. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);
