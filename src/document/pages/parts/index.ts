// All parts of a document, in call order: names are updated before the objects that use them, and scripts are collected
// last.

import type { Dictionary } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection, PartFactory, SelectedPage } from "../assemble.ts";
import { Actions } from "./actions.ts";
import { Annotations } from "./annotations.ts";
import { Attachments } from "./attachments.ts";
import { Catalog } from "./catalog.ts";
import { Destinations } from "./destinations.ts";
import { Form } from "./forms/form.ts";
import { FormResources } from "./forms/form-resources.ts";
import { KeptFields } from "./forms/kept-fields.ts";
import { LayerProperties } from "./layers.ts";
import { Metadata } from "./metadata.ts";
import { Outline } from "./outline.ts";
import { OutputIntents } from "./output-intents.ts";
import { PageLabels } from "./page-labels.ts";
import { Scripts } from "./scripts/document-scripts.ts";
import { Structure } from "./structure/structure.ts";
import { StructureNames } from "./structure/structure-names.ts";
import { Threads } from "./threads.ts";

const makeParts: PartFactory = () => {
  const destinations = new Destinations();
  const intents = new OutputIntents();
  const fields = new KeptFields();
  const scripts = new Scripts(fields, destinations);
  const actions = new Actions(destinations, fields, scripts);
  const resources = new FormResources(fields);
  const annotations = new Annotations(actions, resources);
  const structureNames = new StructureNames();
  return new DocumentParts([
    destinations,
    fields,
    actions,
    resources,
    annotations,
    new Form(fields, resources, actions),
    new Threads(),
    new Outline(actions),
    structureNames,
    new Catalog(actions, destinations),
    new Structure(structureNames, annotations),
    new PageLabels(),
    new Attachments(),
    intents,
    new Metadata(intents),
    scripts,
    new LayerProperties(),
  ]);
};

/** Creates all parts together, because they refer to each other. */
export const documentParts: readonly PartFactory[] = [makeParts];

class DocumentParts implements DocumentPart {
  readonly #parts: readonly DocumentPart[];

  constructor(parts: readonly DocumentPart[]) {
    this.#parts = parts;
  }

  open(taking: InputSelection): void {
    for (const part of this.#parts) part.open?.(taking);
  }

  page(page: Dictionary, taken: SelectedPage, taking: InputSelection): void {
    for (const part of this.#parts) part.page?.(page, taken, taking);
  }

  close(taking: InputSelection): void {
    for (const part of this.#parts) part.close?.(taking);
  }

  finish(result: AssemblyTarget): void {
    for (const part of this.#parts) part.finish?.(result);
  }
}
