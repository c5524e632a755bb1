// Completes the structure tree of a PDF as PDF/UA-1 requires (ISO 14289-1, 7.1 and 7.2): Chromium uses types of PDF 2.0
// without a role, items of lists without a body, and figures around pictures.
import type { PdfFile } from "../objects/pdf-file.ts";
import { readNumberTree, writeNumberTree } from "../objects/trees.ts";
import { Dictionary, Name, Reference, type Value } from "../objects/values.ts";

/** Types of PDF 2.0 (ISO 32000-2, 14.8.4), and the nearest ones of PDF 1.7. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ Aside: "Sect", DocumentFragment: "Div", Title: "P", FENote: "Note" },
  ...{ Em: "Span", Strong: "Span", Sub: "Span" },
};
const OF_ITEMS: readonly (string | undefined)[] = ["Lbl", "LBody"];

export function completeTags(file: PdfFile, signal: AbortSignal): void {
  const rootReference = file.catalog.get("StructTreeRoot");
  const root = file.dictionary(rootReference);
  if (!root || !(rootReference instanceof Reference)) return;
  const roles = file.dictionary(root.get("RoleMap"))?.clone() ?? new Dictionary();
  for (const [type, role] of Object.entries(ROLES)) if (!roles.has(type)) roles.set(type, Name.of(role));
  const parents = readNumberTree(file, root.get("ParentTree"));
  const seen = new Set<number>();
  const waiting = [...kidsOf(file, root)];
  for (let kid = waiting.pop(); kid !== undefined; kid = waiting.pop()) {
    signal.throwIfAborted();
    if (!(kid instanceof Reference) || seen.has(kid.number)) continue;
    seen.add(kid.number);
    const element = file.dictionary(kid);
    if (!element) continue;
    waiting.push(...kidsOf(file, element));
    if (file.name(element.get("S")) === "LI") addBody(file, parents, kid, element);
    if (isGroup(file, element)) file.put(kid, element.clone().set("S", Name.of("Div")));
  }
  file.put(rootReference, root.clone().set("RoleMap", roles).set("ParentTree", writeNumberTree(file, parents)));
}

const kidsOf = (file: PdfFile, element: Dictionary): readonly Value[] => {
  const kids = element.get("K");
  return file.array(kids) ?? (kids === undefined ? [] : [kids]);
};

/** Reports whether an element is a figure of HTML, which groups pictures or texts that are described themselves. */
const isGroup = (file: PdfFile, element: Dictionary): boolean =>
  file.name(element.get("S")) === "Figure" &&
  !element.has("Alt") &&
  !element.has("ActualText") &&
  kidsOf(file, element).some((kid) => file.dictionary(kid)?.has("S")) &&
  kidsOf(file, element).every((kid) => file.dictionary(kid)?.has("S"));

/**
 * Moves what is neither label nor body in a list item into a new body.
 * @param parents the parent tree (ISO 32000-1, 14.7.4.4), in which marked content gets the body as its element
 */
function addBody(file: PdfFile, parents: Map<number, Value>, reference: Reference, item: Dictionary): void {
  const kids = kidsOf(file, item);
  const typeOf = (kid: Value) => file.name(file.dictionary(kid)?.get("S"));
  const moved = kids.filter((kid) => !OF_ITEMS.includes(typeOf(kid)));
  const page = item.get("Pg");
  const pageKey = file.number(file.dictionary(page)?.get("StructParents"));
  const contents = pageKey === undefined ? undefined : file.array(parents.get(pageKey));
  const isMovable = (kid: Value) =>
    typeof kid === "number" ? contents !== undefined : kid instanceof Reference && typeOf(kid) !== undefined;
  if (moved.length === 0 || !moved.every(isMovable)) return;
  const entries = { Type: Name.of("StructElem"), S: Name.of("LBody"), P: reference, Pg: page, K: [...moved] };
  const body = file.add(Dictionary.of(entries));
  for (const kid of moved) if (kid instanceof Reference) file.put(kid, file.dictionary(kid)!.clone().set("P", body));
  const isMoved = new Set<Value>(moved);
  if (contents?.some((_, id) => isMoved.has(id))) {
    parents.set(
      pageKey!,
      contents.map((parent, id) => (isMoved.has(id) ? body : parent)),
    );
  }
  const last = kids.indexOf(moved.at(-1)!);
  const kept = kids.flatMap((kid, index) => (index === last ? [body] : isMoved.has(kid) ? [] : [kid]));
  file.put(reference, item.clone().set("K", kept));
}
