// Removes the content of hidden layers from content streams (ISO 32000-1, 8.11.3.2), and the marks of visible layers.

import { type ContentOperation, readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { nonPaintingEquivalent, TEXT_PLACING, TEXT_SHOWING } from "../content/operators.ts";
import type { LayerVisibility } from "../content/optional-content.ts";
import { Dictionary, Name, type Value } from "../objects/values.ts";

/** Properties of marked content, by resource name. */
export type PropertiesOf = (name: string) => Value | undefined;

export interface LayerRules {
  readonly isVisible: LayerVisibility;
  /** True if visible content leaves its layers, and hidden content also loses its tags. */
  readonly areFlat: boolean;
}

export interface EditedContent {
  readonly bytes: Uint8Array;
  /** Identifiers of hidden marked content that was removed. */
  readonly removedIds: readonly number[];
}

/** The text rendering mode of text that is not painted. */
const INVISIBLE = 3;

interface Mark {
  readonly hides: boolean;
  readonly isRemoved: boolean;
}

/** @returns undefined if nothing changes */
export function editLayers(
  bytes: Uint8Array,
  propertiesOf: PropertiesOf,
  rules: LayerRules,
): EditedContent | undefined {
  const editor = new LayerEditor(propertiesOf, rules);
  for (const operation of readOperations(bytes)) editor.add(operation);
  const edits = [...editor.edits];
  return edits.length > 0
    ? { bytes: applyEdits(bytes, edits, bytes.length), removedIds: editor.removedIds }
    : undefined;
}

class LayerEditor {
  readonly edits = new Set<Edit>();
  readonly removedIds: number[] = [];
  readonly #propertiesOf: PropertiesOf;
  readonly #rules: LayerRules;
  /** Edits of hidden text whose advance sets the start of the next text. */
  #leading: { readonly edit: Edit; readonly operation: ContentOperation }[] = [];
  readonly #open: Mark[] = [];
  #hidden = 0;
  #mode = 0;
  readonly #modes: number[] = [];

  constructor(propertiesOf: PropertiesOf, rules: LayerRules) {
    this.#propertiesOf = propertiesOf;
    this.#rules = rules;
  }

  add(operation: ContentOperation): void {
    const { operator, operands } = operation;
    if (operator === "q") this.#modes.push(this.#mode);
    else if (operator === "Q") this.#mode = this.#modes.pop() ?? this.#mode;
    else if (operator === "Tr") this.#mode = Number(operands[0]) || 0;
    else if (operator === "BMC" || operator === "BDC") this.#begin(operation);
    else if (operator === "EMC") this.#end(operation);
    else if (operator === "MP" || operator === "DP") {
      if (this.#hidden > 0 && this.#rules.areFlat) this.#replace(operation, "");
    } else this.#paint(operation);
  }

  #begin(operation: ContentOperation): void {
    const { operator, operands } = operation;
    const [tag, name] = operands;
    const properties = operator === "BDC" && name instanceof Name ? this.#propertiesOf(name.text) : name;
    const isLayer = operator === "BDC" && tag instanceof Name && tag.text === "OC" && name instanceof Name;
    const hides = isLayer && properties !== undefined && !this.#rules.isVisible(properties);
    if (hides) this.#hidden++;
    const isRemoved = this.#rules.areFlat && (isLayer || this.#hidden > 0);
    this.#open.push({ hides, isRemoved });
    if (!isRemoved) return;
    this.#replace(operation, "");
    const id = properties instanceof Dictionary ? properties.get("MCID") : undefined;
    if (typeof id === "number") this.removedIds.push(id);
  }

  #end(operation: ContentOperation): void {
    const mark = this.#open.pop();
    if (mark?.hides) this.#hidden--;
    if (mark?.isRemoved) this.#replace(operation, "");
  }

  #paint(operation: ContentOperation): void {
    const { operator, operands } = operation;
    const replacement = this.#hidden > 0 ? nonPaintingEquivalent(operator, operands) : undefined;
    const isShown = TEXT_SHOWING.has(operator);
    if (TEXT_PLACING.has(operator)) this.#leading = [];
    if (replacement === undefined) {
      if (isShown) this.#keepAdvance();
      return;
    }
    const edit = this.#replace(operation, replacement);
    if (isShown) this.#leading.push({ edit, operation });
  }

  /** Visible text starts where the hidden text before it ends, so the hidden text stays, but is not painted. */
  #keepAdvance(): void {
    for (const { edit, operation } of this.#leading) {
      this.edits.delete(edit);
      if (!this.#rules.areFlat) continue;
      this.edits.add({ start: operation.start, end: operation.start, text: `${INVISIBLE} Tr ` });
      this.edits.add({ start: operation.end, end: operation.end, text: ` ${this.#mode} Tr ` });
    }
    this.#leading = [];
  }

  #replace({ start, end }: ContentOperation, text: string): Edit {
    const edit = { start, end, text: `${text}\n` };
    this.edits.add(edit);
    return edit;
  }
}
