// Keeps server paths out of the PDF. Opens the document under the client's file name and a fixed path that is the same
// for every job. LibreOffice resolves relative links against that path; restores the relative links in the PDF.

import { constants, mkdirSync, symlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { safeName } from "../../../../src/document/contract/file-name.ts";

/** The job's folder, which is the working directory of the process that opens the document. */
const HERE = "/proc/self/cwd/";
/** A symbolic link in the job's folder that points to the folder itself. */
const UP = "up";
/**
 * Number of parent folders in the fixed path: relative links with up to this many `../` can be recognized. With more
 * folders, a relative link could be longer than the URL that it replaces.
 */
const LEVELS = 6;
const FOLDER = "in";
const BEGIN = `${HERE}${`${UP}/`.repeat(LEVELS)}${FOLDER}/`;

/** The paths of a document, for the programs that open it. */
export interface Place {
  /** Path of the document, relative to the job's folder. */
  readonly input: string;
  /**
   * Absolute path under which LibreOffice opens the document. A document that prints its path prints this one.
   */
  readonly address: string;
}

/**
 * Returns the document's file name during the conversion, which fields can print: the client's name without characters
 * that are special in paths or command lines.
 * @param path of the stored document, whose extension is used if the name is empty
 */
export function nameOf(name: string, path: string): string {
  const safe = safeName(name).replace(/^[-.\s]+/, "");
  return safe === "" ? `document${/^\.[a-z]{1,5}$/.exec(extname(path).toLowerCase()) ?? ""}` : safe;
}

/** @param name see {@link nameOf} */
export const placeOf = (name: string): Place => ({ input: `${FOLDER}/${name}`, address: `${BEGIN}${name}` });

/**
 * Returns the path of a document to insert, relative to the job's folder. It is in the main document's folder, so that
 * relative links in both documents have the same base. The name starts with a dot, unlike any name of a main document.
 */
export const chunkOf = (name: string): string => `${FOLDER}/.${name}`;

/** Creates the folders and links of the fixed path in a job's folder. */
export function makeRoom(folder: string): void {
  mkdirSync(join(folder, FOLDER), { mode: 0o755 });
  symlinkSync(".", join(folder, UP));
}

const CHUNK_BYTES = 2 ** 20;
/** Maximum length of a URL. A longer string is not treated as a URL. */
const MAX_BYTES = 2 ** 16;
/** Start of a literal string (ISO 32000-1, 7.3.4.2) that is the URL of a local file. */
const LOCAL = Buffer.from("(file:///");
const [OPEN, CLOSE, ESCAPE] = Buffer.from("()\\") as unknown as [number, number, number];

/**
 * Restores the relative URLs (RFC 3986, 4.2) that LibreOffice made absolute in a PDF. Pads each string with spaces to
 * its old length, so that all offsets in the file stay valid.
 * @param path of a PDF that {@link checkPdf} accepts and no other process writes to
 */
export async function restoreLinks(path: string, { address }: Place): Promise<void> {
  const document = pathToFileURL(address).href;
  await using file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  const window = Buffer.alloc(Math.min(CHUNK_BYTES + MAX_BYTES, (await file.stat()).size + 1));
  for (let start = 0, kept = 0; ; ) {
    const { bytesRead } = await file.read(window, kept, window.length - kept, start + kept);
    const bytes = window.subarray(0, kept + bytesRead);
    const isLast = bytes.length < window.length;
    let next = isLast ? bytes.length : bytes.length - LOCAL.length + 1;
    for (let at = bytes.indexOf(LOCAL); at >= 0; at = bytes.indexOf(LOCAL, at + 1)) {
      // Skips escaped parentheses, which do not start a string: a search for an end after each would take quadratic
      // time.
      if (bytes[at - 1] === ESCAPE) continue;
      const end = endOfString(bytes, at);
      if (end === undefined) {
        if (bytes.length - at < MAX_BYTES) next = Math.min(next, at);
        continue;
      }
      const url = bytes.toString("latin1", at + 1, end);
      const written = asWritten(url, document);
      if (written === url) continue;
      const restored = `(${written})`.padEnd(end + 1 - at);
      await file.write(Buffer.from(restored, "latin1"), 0, restored.length, start + at);
    }
    if (isLast) return;
    window.copyWithin(0, next, bytes.length);
    start += next;
    kept = bytes.length - next;
  }
}

/**
 * Returns the index of the parenthesis that ends the literal string at an index, if the bytes contain it. LibreOffice
 * escapes parentheses in strings, so bytes with an unescaped opening parenthesis are not a string.
 */
function endOfString(bytes: Buffer, at: number): number | undefined {
  for (let end = at + 1; end < Math.min(bytes.length, at + MAX_BYTES); end++) {
    if (bytes[end] === ESCAPE) end++;
    else if (bytes[end] === CLOSE) return end;
    else if (bytes[end] === OPEN) return undefined;
  }
  return undefined;
}

/** Returns a link as written in the document. @param document URL of the document */
function asWritten(url: string, document: string): string {
  const [, place = "", fragment = ""] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  if (url.startsWith(pathToFileURL(HERE).href)) {
    if (fragment !== "" && isSame(place, document)) return fragment;
    return relative(place, document.slice(0, document.lastIndexOf("/"))) + fragment;
  }
  // In PowerPoint's binary files, LibreOffice treats relative links as paths relative to the file system's root.
  const path = url.slice("file:///".length);
  return /\.(ppt|pps|pot)$/i.test(document) && !/^[a-z](:|\||%)/i.test(path) ? unescaped(path) : url;
}

/** @param base URL of a folder, without the final slash */
function relative(url: string, base: string): string {
  const folders = base.split("/");
  const segments = url.split("/");
  const different = folders.findIndex((folder, index) => folder !== segments[index]);
  const shared = different < 0 ? folders.length : different;
  const rest = unescaped(segments.slice(shared).join("/"));
  // A Windows UNC path.
  if (rest.startsWith("//")) return `file:${rest}`;
  const path = "../".repeat(folders.length - shared) + rest;
  // A colon in the first segment would look like a scheme. LibreOffice also adds `./` before escaped characters.
  return /^[^/?]*[:%]/.test(path) ? `./${path}` : path;
}

/**
 * Restores backslashes (as slashes) and question marks, which LibreOffice escapes. Windows file names cannot contain
 * these characters.
 */
const unescaped = (path: string): string => path.replaceAll("%5C", "/").replaceAll("%3F", "?");

/** Compares two URLs, regardless of escaping. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return decodeURI(one) === decodeURI(other);
  } catch {
    return false;
  }
}
