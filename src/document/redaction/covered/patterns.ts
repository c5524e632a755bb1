// Finds the patterns that can show a secret under a mark: MuPDF removes nothing from patterns.
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Value } from "../../objects/values.ts";
import { pageDictionary, type SourcePage } from "../../pages/pages.ts";
import { resourcesIn } from "../shown-streams.ts";

/** Reports whether a page has tiling patterns with images, forms or text (ISO 32000-1, 8.7.3). */
export function hasTellingPatterns(file: PdfFile, page: SourcePage): boolean {
  const tells = (pattern: Value) => {
    const own = file.dictionary(file.dictionary(pattern)?.get("Resources"));
    return ["XObject", "Font"].some((key) => (file.dictionary(own?.get(key))?.size ?? 0) > 0);
  };
  return resourcesIn(file, pageDictionary(file, page).get("Resources")).some((resources) =>
    file.dictionary(resources.get("Pattern"))?.values().some(tells),
  );
}
