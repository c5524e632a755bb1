// Checks whether the parts of a zipped Office document are intact, and collects the parts that relate others to each
// other. LibreOffice leaves out parts of sheets and presentations that it cannot read, and prints empty pages.

import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import type { ZipFile } from "./zip-file.ts";

/** Maximum total size that is examined. A larger package may be a bomb. */
const MAX_BYTES = 64 * 2 ** 20;
/** Maximum total size of the parts that name others: the names in more of them are not looked at. */
const MAX_RELATION_BYTES = 4 * 2 ** 20;

/** Parts that name other parts (ISO 29500-2, 8.3 and 9.2). */
const NAMES_PARTS = /(^|[\\/])(\[content_types\]\.xml|_rels[\\/][^\\/]*\.rels)$/i;

export interface Examined {
  /** Name of a part of markup that cannot be read as it was written. Pictures, which a document can lack, are not. */
  readonly damaged?: string;
  /** Content types and relationships, by the names of their parts. */
  readonly relations: ReadonlyMap<string, Buffer>;
}

/** Receives the content of each part of markup. */
type Look = (content: Buffer, name: string) => void;

export async function examine(zip: ZipFile, look?: Look): Promise<Examined> {
  const relations = new Map<string, Buffer>();
  let left = MAX_BYTES;
  let relationsLeft = MAX_RELATION_BYTES;
  // No byte of a file belongs to two parts: hostile directories list one part many times.
  let packedLeft = zip.size;
  for (const part of zip.parts) {
    if (!/\.(xml|rels)$/i.test(part.name) || part.bytes > left || part.packedBytes > packedLeft) continue;
    left -= part.bytes;
    packedLeft -= part.packedBytes;
    const content = await zip.content(part);
    if (content === undefined) return { damaged: part.name, relations };
    look?.(content, part.name);
    if (!NAMES_PARTS.test(part.name) || content.length > relationsLeft) continue;
    relationsLeft -= content.length;
    relations.set(part.name, content);
  }
  return { relations };
}

/** Returns content types and relationships. @throws EngineFailure `damaged` */
export async function relationsOf(zip: ZipFile, look?: Look): Promise<Examined["relations"]> {
  const { damaged, relations } = await examine(zip, look);
  if (damaged !== undefined) throw new EngineFailure("damaged", `${damaged} in the package cannot be read`);
  return relations;
}
