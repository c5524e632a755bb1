// Adds members with the line heights of replaced fonts to the collections of Noto CJK. Members share the outlines.
import { familyOf, type Replacement, STYLES, sourcesOf } from "../../src/document/fonts/replacements/replacements.ts";
import {
  type CollectionMember,
  readCollection,
  writeCollection,
} from "../../src/document/fonts/truetype/collection.ts";
import { setLines } from "../../src/document/fonts/truetype/made-font.ts";
import { familyNameOf, nameTable } from "../../src/document/fonts/truetype/name-table.ts";
import type { MadeFile } from "./fitted-fonts.ts";

/**
 * @param replacements with lines, of families in collections
 * @param read returns the bytes of a font file by its name without extension
 * @throws Error if a font is missing or is not as expected
 */
export function makeLined(replacements: readonly Replacement[], read: (name: string) => Uint8Array): MadeFile[] {
  return [...new Set(replacements.flatMap(sourcesOf))].map((name) => {
    const members = readCollection(read(name));
    if (!members) throw new Error(`${name} is not a font collection.`);
    const added = replacements
      .filter((one) => sourcesOf(one).includes(name))
      .map((one) => lined(members, one, sourcesOf(one).indexOf(name)));
    return { name, bytes: writeCollection([...members, ...added]) };
  });
}

function lined(members: readonly CollectionMember[], replacement: Replacement, style: number): CollectionMember {
  const source = members.find((member) => familyNameOf(member) === replacement.family);
  const [hhea, os2] = [source?.tables.get("hhea")?.slice(), source?.tables.get("OS/2")?.slice()];
  if (!source || !hhea || !os2) throw new Error(`${replacement.family} is not in its collection.`);
  setLines(source, hhea, os2, replacement.lines!);
  const name = nameTable(source, { family: familyOf(replacement), style: STYLES[style]! });
  const tables = new Map(source.tables).set("hhea", hhea).set("OS/2", os2).set("name", name);
  return { version: source.version, tables };
}
