// Converts file names from clients to names that are safe for storage, downloads and archives.

/** Maximum length in UTF-8 bytes. File systems allow 255; the other 55 are reserved for a number and an extension. */
const MAX_NAME_BYTES = 200;

// Matches control characters, characters that Windows and shells forbid or treat as separators, and Unicode's direction
// overrides, which disguise extensions.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const UNSAFE = /[\u0000-\u001f\u007f"*:<>?|\\/\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Returns the base name of a path without unsafe characters, at most {@link MAX_NAME_BYTES} long.
 * @returns an empty string if all characters are unsafe
 */
export function safeName(path: string): string {
  const base = path.split(/[\\/]/).findLast((segment) => segment.trim() !== "") ?? "";
  return shorten(shortenLong(base.replace(UNSAFE, "").trim()).toWellFormed().normalize("NFC").replace(/^\.+/, ""));
}

/** Maximum number of folders of a path. */
const MAX_FOLDERS = 32;

/**
 * Returns the folders of a path, each with a slash at its end, without unsafe characters. Only for comparison with the
 * paths of other files of the client.
 * @returns an empty string if there are none
 */
export const safeFolder = (path: string): string =>
  path
    .split(/[\\/]/)
    .slice(0, -1)
    .slice(-MAX_FOLDERS)
    .map(safeName)
    .filter((name) => name !== "")
    .map((name) => `${name}/`)
    .join("");

/** Returns the name without its last extension. */
export const stem = (name: string): string => name.replace(/(?<=.)\.[^.]*$/, "");

/** Returns the last extension in lower case, without the dot; empty if there is none. */
export const extensionIn = (name: string): string => /(?<=.)\.([^.]*)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** Appends an extension, unless the name already ends in it. */
export const withExtension = (name: string, extension: string): string =>
  `${withoutExtension(name, extension)}.${extension}`;

/** Removes an extension, ignoring case. */
export const withoutExtension = (name: string, extension: string): string =>
  name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) : name;

/**
 * Shortens an excessively long name, but keeps its extension. Normalization takes time quadratic in the number of
 * combining marks on a letter, so its input must be short.
 */
function shortenLong(name: string): string {
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
 * Returns the Content-Disposition of a download (RFC 6266). If the name is a token, it is unquoted and ends the header,
 * because some clients use everything after `filename=` as the path. Any other name is sent twice: as quoted ASCII and
 * as UTF-8.
 */
export function attachment(name: string): string {
  if (TOKEN.test(name)) return `attachment; filename=${name}`;
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
