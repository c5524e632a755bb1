// Removes what hidden layers paint (ISO 32000-1, 8.11.3.2), but not their effect on the graphics state.
import type { ContentOperation } from "../../content/content.ts";
import { nonPaintingEquivalent } from "../../content/operators.ts";
import type { LayerVisibility } from "../../content/optional-content.ts";
import { Dictionary, Name } from "../../objects/values.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

/** Processes one content stream. */
export class VisibleContent {
  readonly #document: PdfaDocument;
  readonly #resources: Dictionary;
  readonly #isVisible: LayerVisibility;
  /** One entry per open marked-content sequence: true if it is hidden. */
  readonly #open: boolean[] = [];
  #hidden = 0;

  constructor(document: PdfaDocument, resources: Dictionary, isVisible: LayerVisibility) {
    this.#document = document;
    this.#resources = resources;
    this.#isVisible = isVisible;
  }

  /** @returns the replacement of the operation; undefined to keep it */
  see({ operator, operands }: ContentOperation): string | undefined {
    if (operator === "BMC" || operator === "BDC") {
      const isLayer = operator === "BDC" && operands[0] instanceof Name && operands[0].text === "OC";
      const hides = isLayer && !this.#shows(operands[1]);
      this.#open.push(hides);
      if (hides) this.#hidden++;
      return isLayer ? "/OC BMC" : undefined;
    }
    if (operator === "EMC") {
      if (this.#open.pop()) this.#hidden--;
      return undefined;
    }
    return this.#hidden > 0 ? nonPaintingEquivalent(operator, operands) : undefined;
  }

  #shows(property: ContentOperation["operands"][number] | undefined): boolean {
    if (property instanceof Dictionary) return this.#isVisible(property);
    if (!(property instanceof Name)) return true;
    const { file } = this.#document;
    const content = file.dictionary(this.#resources.get("Properties"))?.get(property.text);
    return content === undefined || this.#isVisible(content);
  }
}
