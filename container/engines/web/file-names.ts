// Chooses the name of a downloaded file. The caller must remove characters that file systems forbid.

import { extensionOf } from "../../../src/document/contract/media-type.ts";

/**
 * Returns the name in Content-Disposition, else the last segment of the URL's path, else the host. A name from the URL
 * that has no extension gets the extension of the media type.
 */
export function nameOf(disposition: string | undefined, url: URL, type: string): string {
  const given = nameIn(disposition ?? "");
  const name = given ?? (decode(url.pathname.split("/").at(-1) ?? "") || url.hostname);
  const isNamed = given !== undefined || url.pathname.split("/").at(-1) !== "";
  if (isNamed && /\.[A-Za-z0-9]{1,10}$/.test(name)) return name;
  const extension = extensionOf(type.replace(/;.*/, "").trim().toLowerCase());
  return extension === undefined ? name : `${name}.${extension}`;
}

/** Returns the file name in a Content-Disposition header (RFC 6266). `filename*` takes precedence. */
function nameIn(disposition: string): string | undefined {
  const [, charset, extended] = /;\s*filename\*\s*=\s*([\w-]+)'[^']*'([^\s;]+)/i.exec(disposition) ?? [];
  if (extended !== undefined && /^utf-8$/i.test(charset!)) return decode(extended);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const name = quoted?.replace(/\\(.)/g, "$1") ?? token;
  // Node decodes header bytes as Latin-1, but servers send UTF-8.
  return name === undefined || name === "" ? undefined : Buffer.from(name, "latin1").toString("utf8");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
