// Removes the content of hidden layers from content streams (ISO 32000-1, 8.11.3.2), and the marks of visible layers.

import { type ContentOperation, readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { nonPaintingEquivalent, TEXT_PLACING, TEXT_SHOWING } from "../content/operators.ts";
import type { LayerVisibility } from "../content/optional-content.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, type Value } from "../objects/values.ts";
import type { TextAdvances } from "./text-advances.ts";

/** The resources of a content stream. */
export interface LayerResources {
  /** Returns the properties of marked content by their resource name. */
  readonly propertiesOf: (name: string) => Value | undefined;
  readonly advances: TextAdvances;
}

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

interface Mark {
  readonly hides: boolean;
  readonly isRemoved: boolean;
}

/** @returns undefined if nothing changes */
export function editLayers(bytes: Uint8Array, resources: LayerResources, rules: LayerRules): EditedContent | undefined {
  const editor = new LayerEditor(resources, rules);
  for (const operation of readOperations(bytes)) editor.add(operation);
  const edits = [...editor.edits];
  return edits.length > 0
    ? { bytes: applyEdits(bytes, edits, bytes.length), removedIds: editor.removedIds }
    : undefined;
}

class LayerEditor {
  readonly edits = new Set<Edit>();
  readonly removedIds: number[] = [];
  readonly #resources: LayerResources;
  readonly #rules: LayerRules;
  /** Edits of hidden text whose advance sets the start of the next text. */
  #leading: { readonly edit: Edit; readonly advance: () => number | undefined }[] = [];
  readonly #open: Mark[] = [];
  #hidden = 0;

  constructor(resources: LayerResources, rules: LayerRules) {
    this.#resources = resources;
    this.#rules = rules;
  }

  add(operation: ContentOperation): void {
    const { operator } = operation;
    this.#resources.advances.follow(operation);
    if (operator === "BMC" || operator === "BDC") this.#begin(operation);
    else if (operator === "EMC") this.#end(operation);
    else if (operator === "MP" || operator === "DP") {
      if (this.#hidden > 0 && this.#rules.areFlat) this.#replace(operation, "");
    } else this.#paint(operation);
  }

  #begin(operation: ContentOperation): void {
    const { operator, operands } = operation;
    const [tag, name] = operands;
    const properties = operator === "BDC" && name instanceof Name ? this.#resources.propertiesOf(name.text) : name;
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
    if (isShown) this.#leading.push({ edit, advance: this.#resources.advances.of(operation) });
  }

  /** Visible text starts where the hidden text before it ends, so a space replaces the hidden text. */
  #keepAdvance(): void {
    for (const { edit, advance } of this.#leading) {
      this.edits.delete(edit);
      const adjustment = advance();
      if (adjustment !== undefined)
        this.edits.add({ ...edit, text: `${edit.text}[${serializeNumber(adjustment)}] TJ\n` });
      else if (this.#rules.areFlat) this.edits.add(edit);
    }
    this.#leading = [];
  }

  #replace({ start, end }: ContentOperation, text: string): Edit {
    const edit = { start, end, text: `${text}\n` };
    this.edits.add(edit);
    return edit;
  }
}
