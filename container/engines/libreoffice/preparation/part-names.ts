// Normalizes the part names of an Office Open XML package. Office compares names case-insensitively (ISO 29500-2,
// 6.3.5) and accepts backslashes, which some zip writers use. LibreOffice compares names case-sensitively, and rejects
// names that Windows forbids.

import { posix } from "node:path";
import { attributeOf, startTags, withoutEntities, xmlText } from "./markup.ts";
import type { NewPart, ZipFile } from "./zip-file.ts";

const CONTENT_TYPES = "[Content_Types].xml";
const RELATIONS = /^(.*?)_rels\/([^/]*)\.rels$/i;

/** Returns a name without characters that LibreOffice rejects. */
const clean = (name: string): string =>
  name
    .replaceAll("\\", "/")
    .replace(/^(\.?\/)+/, "")
    .replace(/[?<>"|:*]/g, "_");

/** Returns a name in lower case, except `[Content_Types].xml`, whose case LibreOffice requires. */
function folded(name: string): string {
  const lower = clean(name).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower === CONTENT_TYPES.toLowerCase() ? CONTENT_TYPES : lower;
}

/** Reports whether a folder or file of a name consists of dots, which no part's name does (ISO 29500-2, 6.2.2.2). */
const isOutside = (name: string): boolean => /(^|\/)\.+(\/|$)/.test(clean(name));

type Spelling = (name: string) => string;

/**
 * Maps the names of a package to normalized names.
 * @returns undefined if no name changes
 */
export function spellingOf(names: readonly string[], relations: ReadonlyMap<string, Buffer>): Spelling | undefined {
  const isPackage = names.some((name) => folded(name) === CONTENT_TYPES);
  if (!isPackage) return undefined;
  const cleaned = new Set(names.map(clean));
  const byFolded = new Set(names.map(folded));
  const expected = [...relations].flatMap(([name, content]) => [clean(name), ...namedIn(clean(name), content)]);
  const isMisspelled = (name: string) => !cleaned.has(name) && byFolded.has(folded(name));
  if ([CONTENT_TYPES, "_rels/.rels", ...expected].some(isMisspelled)) return folded;
  const isClean =
    names.every((name) => clean(name) === name && !isOutside(name)) && !expected.some((name) => name.includes("\\"));
  return isClean ? undefined : clean;
}

/**
 * Returns the names that a part of content types or relationships refers to. For relationships, includes the part that
 * they belong to.
 */
function namedIn(part: string, content: Buffer): string[] {
  const text = xmlText(content);
  const [, folder, source] = RELATIONS.exec(part) ?? [];
  if (folder === undefined) {
    return [...text.matchAll(startTags("Override"))].flatMap(([tag]) => namesIn(tag, "PartName", "/"));
  }
  const targets = [...text.matchAll(startTags("Relationship"))].flatMap(([tag]) =>
    namesIn(tag, "Target", `/${folder}`),
  );
  // LibreOffice finds relationships only in a folder spelled `_rels`.
  const own = `${folder}_rels/${part.slice(folder.length + "_rels/".length)}`;
  return [own, ...(source === "" ? [] : [`${folder}${source}`]), ...targets];
}

/**
 * Returns the name of the part that an attribute refers to. If the attribute has backslashes, also returns its value,
 * so that callers notice the backslashes.
 * @returns an empty list if the attribute refers to no part
 */
function namesIn(tag: string, attribute: string, folder: string): string[] {
  const value = attributeOf(tag, attribute);
  if (value === undefined || attributeOf(tag, "TargetMode") === "External") return [];
  const written = withoutEntities(value).replace(/#.*$/s, "");
  const name = posix.resolve(folder, written.replaceAll("\\", "/")).slice(1);
  return written.includes("\\") ? [name, written] : [name];
}

/** Yields the parts under their new names, with updated content types and relationships. */
export async function* respelled(
  zip: ZipFile,
  relations: ReadonlyMap<string, Buffer>,
  spelling: Spelling,
): AsyncGenerator<NewPart> {
  const written = new Set<string>();
  const known = new Set(zip.parts.map(({ name }) => folded(name)));
  // Parts cannot overlap, so their compressed sizes add up to at most the file size.
  let packedLeft = zip.size;
  for (const part of zip.parts) {
    // LibreOffice rejects a package with such a name.
    if (isOutside(part.name)) continue;
    const name = spelling(part.name);
    // ISO 29500-2, 6.3.5 forbids equivalent part names. If several parts have equivalent names, keeps only the first.
    if (written.has(folded(name)) || name === "" || name.endsWith("/") || part.packedBytes > packedLeft) continue;
    written.add(folded(name));
    packedLeft -= part.packedBytes;
    const content = relations.get(part.name);
    if (content) {
      yield { name, packed: Buffer.from(respelledText(clean(part.name), xmlText(content), spelling, known)) };
    } else {
      const packed = await zip.packed(part);
      if (packed) yield { name, packed, like: part };
    }
  }
}

function respelledText(part: string, text: string, spelling: Spelling, known: ReadonlySet<string>): string {
  const [, folder] = RELATIONS.exec(part) ?? [];
  const respell = (element: string, attribute: string, within: string) => (before: string) =>
    before.replace(startTags(element), (tag) => {
      const [name = ""] = namesIn(tag, attribute, within);
      if (!known.has(folded(name))) return tag;
      return tag.replace(new RegExp(`(\\s${attribute}\\s*=\\s*["'])([^"'#]*)`), (_, start: string, value: string) => {
        const isAbsolute = /^[\\/]/.test(value);
        return `${start}${isAbsolute ? "/" : ""}${spelling(value)}`;
      });
    });
  // The text is now UTF-8, regardless of its original encoding.
  const undeclared = text.replace(/^\s*<\?xml[^>]*\?>/, "");
  if (folder !== undefined) return respell("Relationship", "Target", `/${folder}`)(undeclared);
  return respell(
    "Override",
    "PartName",
    "/",
  )(undeclared).replace(startTags("Default"), (tag) =>
    tag.replace(/(\sExtension\s*=\s*["'])([^"']*)/, (_, start: string, value: string) => start + spelling(value)),
  );
}
