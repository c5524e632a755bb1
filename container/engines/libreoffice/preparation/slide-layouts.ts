// Hides slide layouts that no slide uses: LibreOffice imports the whole master again for each layout of a presentation,
// which can take seconds.

import { posix } from "node:path";
import { attributeOf, startTags, withoutEntities, xmlBytes, xmlText } from "./markup.ts";

const RELATIONS = /^(.*?)_rels\/([^/]*)\.rels$/i;
const MASTER = /\/slideMaster$/;
const LAYOUT = /\/slideLayout$/;

/** Relationships of one part, whose names are in lower case: case does not matter (ISO 29500-2, 6.3.5). */
interface Relations {
  readonly name: string;
  readonly text: string;
  readonly owner: string;
  readonly targets: readonly { readonly tag: string; readonly type: string; readonly target: string }[];
}

/**
 * Returns the changed relationships, by part name. Keeps one layout of a master whose layouts are all unused.
 * @param relations all relationships of a package, by part name
 */
export function withoutUnusedLayouts(relations: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const changed = new Map<string, Buffer>();
  if (![...relations.values()].some((content) => content.includes("/slideMaster"))) return changed;
  const parts = [...relations].flatMap(([name, content]) => relationsIn(name, xmlText(content)));
  const named = (type: RegExp, among: readonly Relations[]) =>
    new Set(among.flatMap(({ targets }) => targets.filter((one) => type.test(one.type)).map(({ target }) => target)));
  const masters = named(MASTER, parts);
  const used = named(
    LAYOUT,
    parts.filter(({ owner }) => !masters.has(owner)),
  );
  for (const { name, text, targets } of parts.filter(({ owner }) => masters.has(owner))) {
    const layouts = targets.filter(({ type }) => LAYOUT.test(type));
    const kept = layouts.find(({ target }) => used.has(target)) ?? layouts[0];
    const unused = new Set(layouts.filter((one) => one !== kept && !used.has(one.target)).map(({ tag }) => tag));
    if (unused.size === 0) continue;
    // Another type hides the layout. Without the tag, its end tag could be left.
    const hidden = text.replace(startTags("Relationship"), (tag) =>
      unused.has(tag) ? tag.replace(/\/slideLayout(?=["'])/, "/unusedSlideLayout") : tag,
    );
    changed.set(name, xmlBytes(hidden));
  }
  return changed;
}

function relationsIn(name: string, text: string): Relations[] {
  const [, folder, source] = RELATIONS.exec(name) ?? [];
  if (folder === undefined) return [];
  const targets = [...text.matchAll(startTags("Relationship"))].map(([tag]) => ({
    tag,
    type: attributeOf(tag, "Type") ?? "",
    target: posix.resolve(`/${folder}`, withoutEntities(attributeOf(tag, "Target") ?? "")).toLowerCase(),
  }));
  return [{ name, text, owner: `/${folder}${source}`.toLowerCase(), targets }];
}
