// Keeps the server out of a document's PDF: gives the document the name that the client sent and an address that is the
// same for every job, and makes links relative again that LibreOffice resolved against that address.

import { closeSync, constants, mkdirSync, openSync, readSync, symlinkSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { safeName } from "../../../src/core/file-name.ts";

/** The job's folder, which is the working directory of the process that opens the document. */
const HERE = "/proc/self/cwd/";
/** A link in the job's folder that leads to the folder itself. */
const UP = "up";
/** Number of parent folders that a relative link can name and still be told from an absolute one. */
const LEVELS = 12;
const FOLDER = "in";
const BEGIN = `${HERE}${`${UP}/`.repeat(LEVELS)}${FOLDER}/`;

/** Where a document is, for the programs that open it. */
export interface Place {
  /** Path of the document, relative to the job's folder. */
  readonly input: string;
  /** Absolute path under which LibreOffice opens the document. It is in every result that shows a path. */
  readonly address: string;
}

/**
 * Returns the name that a document has while it is converted: the client's, which fields can print, without characters
 * that paths or command lines interpret.
 * @param path of the file that stands for the document, whose extension is used if the name is empty
 */
export function nameOf(name: string, path: string): string {
  const safe = safeName(name).replace(/^[-.\s]+/, "");
  return safe === "" ? `input${/^\.[a-z]{1,5}$/.exec(extname(path).toLowerCase()) ?? ""}` : safe;
}

/** Makes room for a document in a job's folder. @param name see {@link nameOf} */
export function placeIn(folder: string, name: string): Place {
  mkdirSync(join(folder, FOLDER), { mode: 0o755 });
  symlinkSync(".", join(folder, UP));
  return { input: `${FOLDER}/${name}`, address: `${BEGIN}${name}` };
}

const CHUNK_BYTES = 2 ** 20;
/** Maximum length of a URL. A string that is longer is not one. */
const MOST_BYTES = 2 ** 16;
/** A literal string (ISO 32000-1, 7.3.4.2) that is a URL below the job's folder. */
const MADE = Buffer.from(`(${pathToFileURL(HERE).href}`);
const BACKSLASH = 0x5c;
const PARENTHESIS = 0x29;

/**
 * Makes URLs in a PDF relative (RFC 3986, 4.2) that begin with the address of the document's folder, or of a folder
 * above it. Each keeps its length by spaces behind the string, so every offset in the file stays right.
 * @param path of a PDF that {@link checkPdf} accepts and no other process writes to
 */
export async function restoreLinks(path: string, { address }: Place): Promise<void> {
  await using file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  const window = Buffer.alloc(CHUNK_BYTES + MOST_BYTES);
  for (let start = 0, kept = 0; ; ) {
    const { bytesRead } = await file.read(window, kept, window.length - kept, start + kept);
    const bytes = window.subarray(0, kept + bytesRead);
    const isLast = bytes.length < window.length;
    let next = isLast ? bytes.length : bytes.length - MADE.length + 1;
    for (let at = bytes.indexOf(MADE); at >= 0; at = bytes.indexOf(MADE, at + 1)) {
      const end = endOfString(bytes, at);
      if (end === undefined) {
        if (bytes.length - at < MOST_BYTES && !isLast) next = Math.min(next, at);
        continue;
      }
      const url = bytes.toString("latin1", at + 1, end);
      const restored = `(${relative(url, pathToFileURL(address).href)})`.padEnd(end + 1 - at);
      await file.write(Buffer.from(restored, "latin1"), 0, restored.length, start + at);
    }
    if (isLast) return;
    window.copyWithin(0, next, bytes.length);
    start += next;
    kept = bytes.length - next;
  }
}

/** Returns the index of the parenthesis that ends the literal string at an index. */
function endOfString(bytes: Buffer, at: number): number | undefined {
  for (let end = at + 1; end < Math.min(bytes.length, at + MOST_BYTES); end++) {
    if (bytes[end] === BACKSLASH) end++;
    else if (bytes[end] === PARENTHESIS) return end;
  }
  return undefined;
}

function relative(url: string, document: string): string {
  const [, place = "", fragment] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  if (fragment !== undefined && isSame(place, document)) return fragment;
  const base = document.slice(0, document.lastIndexOf("/")).split("/");
  const segments = place.split("/");
  const common = base.findIndex((segment, index) => segment !== segments[index]);
  const shared = common < 0 ? base.length : common;
  // LibreOffice escapes what separates in a link but cannot be in a name of Windows.
  const rest = segments.slice(shared).join("/").replaceAll("%5C", "/").replaceAll("%3F", "?");
  if (rest.startsWith("//")) return `file:${rest}${fragment ?? ""}`;
  const path = "../".repeat(base.length - shared) + rest;
  // A colon in the first segment would end a scheme. LibreOffice does the same for other escaped characters.
  return (/^[^/?]*[:%]/.test(path) ? `./${path}` : path) + (fragment ?? "");
}

/** Compares two URLs, whose writers need not escape the same characters. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return decodeURI(one) === decodeURI(other);
  } catch {
    return false;
  }
}
