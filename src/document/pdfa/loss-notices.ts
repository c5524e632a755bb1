// Counts what a conversion to PDF/A removes besides visible content: scripts, other actions, sound and video. Does not
// change the document.
import { countedNotices } from "../contract/notice.ts";
import type { Dictionary } from "../objects/values.ts";
import { isAllowed } from "./document/actions.ts";
import type { PdfaDocument } from "./pdfa-document.ts";

/** Entries whose value is an action (ISO 32000-1, 12.6.2), or a list of actions. */
const ACTION_KEYS = new Set(["A", "PA", "OpenAction", "Next"]);
/** Annotation types that every level forbids (ISO 19005-1, 6.5.2; -2, 6.3.1). */
const MULTIMEDIA = new Set(["Sound", "Movie", "Screen", "3D", "RichMedia"]);

/** Reports the losses. Must be called before the repairs, which remove them. */
export function reportLosses(document: PdfaDocument): void {
  const { file } = document;
  const actions = new Set<Dictionary>();
  const media = new Set<Dictionary>();
  for (const { dictionary, key, above } of document.places) {
    const subtype = file.name(dictionary.get("Subtype"));
    if (MULTIMEDIA.has(subtype ?? "") && dictionary.has("Rect")) media.add(dictionary);
    // Fields must not have actions (ISO 19005-1, 6.6.2; -2, 6.4.1).
    const ofField = subtype === "Widget" ? file.dictionary(dictionary.get("A")) : undefined;
    if (ofField) actions.add(ofField);
    const kind = file.name(dictionary.get("S"));
    if (kind === undefined || !(ACTION_KEYS.has(key) || above === "AA" || kind === "JavaScript")) continue;
    if (above === "AA" || !isAllowed(document, dictionary)) actions.add(dictionary);
  }
  const scripts = [...actions].filter((action) => file.name(action.get("S")) === "JavaScript").length;
  document.report(...countedNotices("scripts-removed", scripts));
  document.report(...countedNotices("actions-removed", actions.size - scripts));
  document.report(...countedNotices("multimedia-removed", media.size));
}
