// Determines the encoding of an HTML file as browsers do (HTML, 13.2.3). Also recognizes UTF-8 without a declaration,
// as browsers do only for local files.

/** Within this many bytes, a declaration counts anywhere. After them, it counts only in the head, as in Chromium. */
const LABEL_WITHIN_BYTES = 1024;
/** Elements whose content is text without tags (HTML, 13.2.6.2). */
const TEXT_ELEMENTS = ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"];
const HEAD_ELEMENTS = ["html", "head", "meta", "title", "base", "link", "script", "noscript", "style", "object"];
/** Encodings of the HTML standard that Node's `TextDecoder` lacks. */
const OTHER_ENCODINGS: Readonly<Record<string, string>> = {
  "x-user-defined": "windows-1252",
  "iso-8859-16": "iso-8859-16",
};

const TAG = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >]*)))?/y;
const CHARSET_IN_CONTENT = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i;
const ENCODING_IN_XML = /^<\?xml[^>]*?encoding[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^">]+)"|'([^'>]+)')/;
/** Escape sequences at which Japanese text in ISO-2022-JP starts. Such text is also valid UTF-8. */
const JAPANESE_BEGINS = ["\u001b$@", "\u001b$B"];

/**
 * Returns the charset to send with an HTML file. Returns undefined if the browser must detect it.
 * @param start the first bytes of the file; they must include the whole head
 */
export function charsetOf(start: Buffer): string | undefined {
  const text = start.toString("latin1");
  // A byte order mark takes precedence over declarations.
  if (/^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/.test(text)) return undefined;
  // The standard requires all of `<?x` in UTF-16. Two bytes are enough, because no other text starts with them.
  if (text.startsWith("<\0")) return "utf-16le";
  if (text.startsWith("\0<")) return "utf-16be";
  const declared = declaredIn(text);
  if (declared !== undefined || !isUtf8(start)) return declared;
  return JAPANESE_BEGINS.some((begin) => text.includes(begin)) ? "iso-2022-jp" : "utf-8";
}

/** Finds the declared encoding in a Latin-1 string (HTML, 13.2.3.2). */
function declaredIn(text: string): string | undefined {
  let isInHead = true;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    TAG.lastIndex = at;
    const [tag, slash, name = ""] = TAG.exec(text) ?? [];
    if (tag === undefined) {
      at = behindDeclaration(text, at);
      continue;
    }
    const element = name.toLowerCase();
    isInHead &&= HEAD_ELEMENTS.includes(element);
    if (!isInHead && at >= LABEL_WITHIN_BYTES) break;
    const attributes = attributesAt(text, at + tag.length);
    // The text ends within this tag.
    if (attributes.end === text.length) break;
    if (slash === "" && element === "meta") {
      const encoding = encodingInMeta(attributes.found);
      if (encoding !== undefined) return encoding;
    }
    at = attributes.end;
    if (slash === "" && TEXT_ELEMENTS.includes(element)) at = behindText(text, element, at);
  }
  const [, double, single] = ENCODING_IN_XML.exec(text) ?? [];
  return encodingOf(double ?? single);
}

/** Returns the offset after a comment or another declaration, or after a `<` that starts neither. */
function behindDeclaration(text: string, at: number): number {
  const endOf = (mark: string, from: number) => {
    const end = text.indexOf(mark, from);
    return end < 0 ? text.length : end + mark.length;
  };
  // The end can share the dashes of the start, as in `<!-->`.
  if (text.startsWith("<!--", at)) return endOf("-->", at + 2);
  return "!/?".includes(text.charAt(at + 1)) ? endOf(">", at + 1) : at + 1;
}

function behindText(text: string, element: string, at: number): number {
  const end = new RegExp(`</${element}(?=[\\t\\n\\f\\r />])`, "ig");
  end.lastIndex = at;
  return end.exec(text)?.index ?? text.length;
}

function attributesAt(text: string, at: number): { readonly found: ReadonlyMap<string, string>; readonly end: number } {
  const found = new Map<string, string>();
  ATTRIBUTE.lastIndex = at;
  let end = at;
  for (let match = ATTRIBUTE.exec(text); match; match = ATTRIBUTE.exec(text)) {
    const [, name = "", double, single, bare] = match;
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, double ?? single ?? bare ?? "");
    end = ATTRIBUTE.lastIndex;
  }
  return { found, end };
}

function encodingInMeta(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get("charset");
  if (charset !== undefined) return encodingOf(charset);
  if (attributes.get("http-equiv")?.toLowerCase() !== "content-type") return undefined;
  const [, double, single, bare] = CHARSET_IN_CONTENT.exec(attributes.get("content") ?? "") ?? [];
  return encodingOf(double ?? single ?? bare);
}

/**
 * Returns the encoding for a label. If the label is UTF-16, returns UTF-8, because the label itself is readable as
 * ASCII.
 */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  const other = OTHER_ENCODINGS[label.trim().toLowerCase()];
  if (other !== undefined) return other;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    return undefined;
  }
}

function isUtf8(start: Buffer): boolean {
  try {
    // Only the start of the file was read, so its last character might be incomplete.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}
