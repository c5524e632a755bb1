// Finds XML and HTML tags with patterns, because a parser would need the whole document in memory.

/** Decodes XML (1.0, 4.3.3) by its byte order mark, else by its declaration, else as UTF-8. */
export function xmlText(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, 256);
  const isMarked = /^(\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.test(start);
  const declared = isMarked ? undefined : /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1];
  return decoderOf(start.startsWith("\xff\xfe") ? "utf-16le" : start.startsWith("\xfe\xff") ? "utf-16be" : declared)(
    bytes,
  );
}

/** Encodes XML as UTF-8, and removes the declaration of its previous encoding. */
export const xmlBytes = (text: string): Buffer => Buffer.from(text.replace(/^\s*<\?xml[^>]*\?>/, ""));

/** Returns a decoder for an encoding label, or for UTF-8 if the label is unknown. */
export function decoderOf(label: string | undefined): (bytes: Uint8Array) => string {
  try {
    const decoder = new TextDecoder(label);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return (bytes) => new TextDecoder().decode(bytes);
  }
}

/** Returns the raw value of an attribute in a start tag, with any prefix. */
export function attributeOf(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*("[^"]*"|'[^']*')`).exec(tag) ?? [];
  return value?.slice(1, -1);
}

/** Matches start tags of an element with any prefix. Does not match tags with `<` or `>` inside. */
export const startTags = (element: string): RegExp =>
  new RegExp(`<(?:[\\w.-]{1,64}:)?${element}(?=[\\s/>])[^<>]*>`, "g");

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Replaces the five predefined entities of XML. */
export const withoutEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);
