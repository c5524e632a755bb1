// Adds members with the line heights of replaced fonts to the collections of Noto CJK. Members share the outlines.
import {
  familyOf,
  type Replacement,
  STYLES,
  sourcesOf,
  wordFamilyOf,
  wordLinesOf,
} from "../../src/document/fonts/replacements/replacements.ts";
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
      .flatMap((one) => [lined(members, one, name), ...(one.isTallerInWord ? [tallerInWord(members, one, name)] : [])]);
    return { name, bytes: writeCollection([...members, ...added]) };
  });
}

function lined(members: readonly CollectionMember[], replacement: Replacement, name: string): CollectionMember {
  const source = members.find((member) => familyNameOf(member) === replacement.family);
  const [hhea, os2] = [source?.tables.get("hhea")?.slice(), source?.tables.get("OS/2")?.slice()];
  if (!source || !hhea || !os2) throw new Error(`${replacement.family} is not in its collection.`);
  setLines(source, hhea, os2, replacement.lines!);
  return renamed({ ...source, tables: new Map(source.tables).set("hhea", hhea).set("OS/2", os2) }, replacement, name);
}

/** LibreOffice takes lines from "hhea", and the extent of letters, which a PDF states for each font, from "OS/2". */
function tallerInWord(members: readonly CollectionMember[], replacement: Replacement, name: string): CollectionMember {
  const { tables, version } = lined(members, replacement, name);
  const hhea = tables.get("hhea")!;
  setLines({ tables }, hhea, tables.get("OS/2")!.slice(), wordLinesOf(replacement));
  return renamed({ version, tables: new Map(tables).set("hhea", hhea) }, replacement, name, wordFamilyOf(replacement));
}

function renamed(
  member: CollectionMember,
  replacement: Replacement,
  name: string,
  family = familyOf(replacement),
): CollectionMember {
  const style = STYLES[sourcesOf(replacement).indexOf(name)]!;
  return { ...member, tables: new Map(member.tables).set("name", nameTable(member, { family, style })) };
}
