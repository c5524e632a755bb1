// Finds the page in a zip archive of a web page with its files.
import type { ArchiveEntry } from "./contents.ts";

/** The page of an archive. */
export interface Website {
  readonly page: ArchiveEntry;
  /** Folder of the page, with a slash at the end; empty for the top of the archive. */
  readonly folder: string;
}

/** Matches files that macOS and Windows add to archives. */
const CLUTTER = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/;
const PAGE = /^(?:([^/]+)\/)?index\.html?$/i;
/** Parts that every Office document, OpenDocument or EPUB has. */
const OFFICE_PART = /^(\[Content_Types\]\.xml|mimetype|META-INF\/manifest\.xml|content\.xml)$/i;

/** Reports whether an archive can be an Office document, according to its parts. */
export const mayBeOffice = (entries: readonly ArchiveEntry[]): boolean =>
  entries.some(({ name }) => OFFICE_PART.test(name));

/** Returns the `index.html` at the top, or in the only folder at the top; undefined for any other archive. */
export function websiteIn(entries: readonly ArchiveEntry[]): Website | undefined {
  const files = entries.filter(({ kind, name }) => kind === "file" && !CLUTTER.test(name));
  if (mayBeOffice(files)) return undefined;
  const pages = files.filter(({ name }) => PAGE.test(name));
  const top = pages.find(({ name }) => !name.includes("/"));
  if (top) return { page: top, folder: "" };
  const folders = new Set(files.map(({ name }) => /^([^/]*)\//.exec(name)?.[1]));
  const [page] = pages;
  return page && folders.size === 1 ? { page, folder: page.name.slice(0, page.name.indexOf("/") + 1) } : undefined;
}

/** Reports whether a name of an entry leads out of the archive: an absolute path, a drive, or a parent folder. */
export const leadsOut = (name: string): boolean =>
  /^[/\\]|^[A-Za-z]:|[\0]/.test(name) || name.split(/[/\\]/).includes("..");
