// Makes file names from clients safe for storage, for downloads and for archives.

/** Maximum length in bytes of UTF-8. File systems allow 255, and an extension with a number must still fit. */
const MAX_NAME_BYTES = 200;

// Matches control characters, characters that Windows and shells forbid or treat as separators, and Unicode's direction
// overrides, which disguise extensions.
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must go
const UNSAFE = /[\u0000-\u001f\u007f"*:<>?|\\/\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Returns the base name of a path, without unsafe characters, at most {@link MAX_NAME_BYTES} bytes long.
 * @returns an empty string if nothing is left
 */
export function safeName(path: string): string {
  const base = path.split(/[\\/]/).findLast((segment) => segment.trim() !== "") ?? "";
  return shorten(bounded(base.replace(UNSAFE, "").trim()).toWellFormed().normalize("NFC").replace(/^\.+/, ""));
}

/** Returns the name without its last extension. */
export const stem = (name: string): string => name.replace(/(?<=.)\.[^.]*$/, "");

/** Returns the name with an extension, which a name that ends in it already does not get twice. */
export const withExtension = (name: string, extension: string): string =>
  `${withoutExtension(name, extension)}.${extension}`;

/** Returns the name without an extension, in whatever case. */
export const withoutExtension = (name: string, extension: string): string =>
  name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) : name;

/**
 * Shortens a name that is far too long, but keeps its extension. This limits the time of normalization, which grows
 * with the square of the number of marks on a letter.
 */
function bounded(name: string): string {
  if (name.length <= 8 * MAX_NAME_BYTES) return name;
  return name.slice(0, 4 * MAX_NAME_BYTES) + (EXTENSION.exec(name)?.[0] ?? "");
}

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

function shorten(name: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(name).length <= MAX_NAME_BYTES) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? "";
  const base = Array.from(name.slice(0, name.length - extension.length));
  let bytes = encoder.encode(base.join("")).length;
  while (bytes > MAX_NAME_BYTES - extension.length) bytes -= encoder.encode(base.pop()).length;
  return base.join("").trimEnd() + extension;
}

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/**
 * Returns the Content-Disposition of a download (RFC 6266). A name that is a token is unquoted and last, because some
 * clients take everything after `filename=` as the path. Any other name is sent twice: in quoted ASCII and in UTF-8.
 */
export function attachment(name: string): string {
  if (TOKEN.test(name)) return `attachment; filename=${name}`;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
