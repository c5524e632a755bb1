// Checks whether the parts of a zipped Office document are intact, because LibreOffice silently prints empty pages for
// damaged parts. Also collects the content types and relationships.

import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import type { ZipFile } from "./zip-file.ts";

/** Maximum total uncompressed size that is examined; a larger package might be a zip bomb. */
const MAX_BYTES = 64 * 2 ** 20;
/** Maximum total size of content types and relationships that are examined. */
const MAX_RELATION_BYTES = 4 * 2 ** 20;

/** Parts that refer to other parts (ISO 29500-2, 8.3 and 9.2). */
const NAMES_PARTS = /(^|[\\/])(\[content_types\]\.xml|_rels[\\/][^\\/]*\.rels)$/i;

export interface Examined {
  /**
   * Name of a damaged markup part. Damaged images are not reported, because the document is still useful without them.
   */
  readonly damaged?: string;
  /** Content types and relationships, by the names of their parts. */
  readonly relations: ReadonlyMap<string, Buffer>;
}

/** Reports whether all content types and relationships of a package were examined. If too large, some were not. */
export const isExamined = (zip: ZipFile, relations: Examined["relations"]): boolean =>
  zip.parts.every(({ name }) => !NAMES_PARTS.test(name) || relations.has(name));

/** Receives the content and name of each markup part. */
type Look = (content: Buffer, name: string) => void;

export async function examine(zip: ZipFile, look?: Look): Promise<Examined> {
  const relations = new Map<string, Buffer>();
  let left = MAX_BYTES;
  let relationsLeft = MAX_RELATION_BYTES;
  // Parts cannot overlap, so their compressed sizes add up to at most the file size. A hostile directory lists one part
  // many times.
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

/** Returns content types and relationships, by part name. @throws EngineFailure `damaged` */
export async function relationsOf(zip: ZipFile, look?: Look): Promise<Examined["relations"]> {
  const { damaged, relations } = await examine(zip, look);
  if (damaged !== undefined) throw new EngineFailure("damaged", `${damaged} in the package cannot be read`);
  return relations;
}
