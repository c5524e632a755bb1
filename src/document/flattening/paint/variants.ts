// Builds variants of a page's content: up to an operation, or without some operations. Drawing two variants shows the
// effect of an operation.

import { applyEdits, type Edit } from "../../content/edits.ts";
import { apply, type Box, inverse, type Matrix } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type Reference } from "../../objects/values.ts";
import { closeOperators, hidePainting } from "../edits.ts";
import { namesOf } from "../resource-names.ts";
import type { ContentNode, Kid, LayerScope, Paint } from "../scan/content-node.ts";
import { NEUTRAL, NEUTRAL_NAME, type OffscreenDocument, type PageVariant } from "./offscreen-document.ts";

export interface VariantOptions {
  /** The last operation to include. @default the last one of the page */
  readonly upTo?: Paint | undefined;
  /** Operations whose painting is removed. */
  readonly without?: readonly Paint[];
  /** Operations to paint without transparency. */
  readonly opaque?: readonly Paint[];
  /** A fill to extend over the whole page within its clip. */
  readonly unbounded?: Paint;
  /** Optional content to show even if its layer is off. */
  readonly revealed?: LayerScope | undefined;
}

/** A box larger than any page, in units of user space. */
const FAR: Box = [-50_000, -50_000, 50_000, 50_000];

export class Variants {
  readonly #file: PdfFile;
  readonly #stage: OffscreenDocument;
  readonly #root: ContentNode;

  constructor(file: PdfFile, stage: OffscreenDocument, root: ContentNode) {
    this.#file = file;
    this.#stage = stage;
    this.#root = root;
  }

  make(wanted: VariantOptions): PageVariant {
    this.#stage.begin();
    const edits = new NodeEdits();
    for (const paint of wanted.without ?? []) edits.add(paint.node, hidePainting(paint));
    for (const { node, pathStart } of wanted.opaque ?? []) {
      edits.add(node, [{ start: pathStart, end: pathStart, text: ` /${NEUTRAL_NAME} gs ` }]);
    }
    if (wanted.unbounded) edits.add(wanted.unbounded.node, unbounded(wanted.unbounded));
    const revealed: number[] = [];
    for (let scope = wanted.revealed; scope; scope = scope.outer) {
      if (scope.mark) edits.add(scope.mark.node, [{ ...scope.mark, text: "/Artifact BMC" }]);
      if (scope.objectNumber) revealed.push(scope.objectNumber);
    }
    const cuts = cutsOf(wanted.upTo);
    const work = () => {
      const { content, forms } = this.#emit(this.#root, edits, cuts, wanted);
      return this.#stage.variant(content, forms);
    };
    return revealed.length === 0 ? work() : this.#stage.reveal(revealed, work);
  }

  #emit(node: ContentNode, edits: NodeEdits, cuts: ReadonlyMap<ContentNode, Cut>, wanted: VariantOptions) {
    const cut = cuts.get(node);
    const forms = new Map<string, Reference>();
    const own = [...edits.of(node)];
    const last = wanted.upTo?.sequence ?? Number.POSITIVE_INFINITY;
    for (const kid of node.kids) {
      if (kid.first > last || !(edits.isTouched(kid.node) || cuts.has(kid.node))) continue;
      const name = `FlattenKid${kid.node.id}`;
      forms.set(name, this.#form(kid, edits, cuts, wanted));
      own.push({ start: kid.start, end: kid.end, text: ` /${name} Do ` });
    }
    const end = cut?.at ?? node.bytes.length;
    const tail = cut ? closeOperators(cut.saved, cut.marked) : "";
    return { content: applyEdits(node.bytes, own, end, tail), forms };
  }

  #form({ node }: Kid, edits: NodeEdits, cuts: ReadonlyMap<ContentNode, Cut>, wanted: VariantOptions): Reference {
    const { content, forms } = this.#emit(node, edits, cuts, wanted);
    const resources = (node.resources ?? new Dictionary()).clone();
    const objects = namesOf(this.#file, resources, "XObject");
    for (const [name, reference] of forms) objects.set(name, reference);
    resources.set("XObject", objects);
    resources.set("ExtGState", namesOf(this.#file, resources, "ExtGState").set(NEUTRAL_NAME, NEUTRAL));
    const dictionary = node.form!.dictionary.clone().set("Resources", resources);
    for (let scope = wanted.revealed; scope; scope = scope.outer)
      if (scope.objectNumber === node.form!.objectNumber) dictionary.delete("OC");
    return this.#stage.form(dictionary, content);
  }
}

interface Cut {
  readonly at: number;
  readonly saved: number;
  readonly marked: number;
}

/**
 * Returns the offsets at which each content stream ends: after the operation in its own stream, and after the form that
 * contains it in each enclosing stream.
 */
function cutsOf(last: Paint | undefined): Map<ContentNode, Cut> {
  const cuts = new Map<ContentNode, Cut>();
  if (!last) return cuts;
  const { saved, marked } = last.insertion;
  cuts.set(last.node, { at: last.end, saved, marked });
  for (let { parent } = last.node; parent; parent = parent.node.parent) {
    const { end, saved, marked } = parent.kid;
    cuts.set(parent.node, { at: end, saved, marked });
  }
  return cuts;
}

/** The edits of each content stream. A stream is rewritten if it, or a form in it, has edits. */
export class NodeEdits {
  readonly #edits = new Map<ContentNode, Edit[]>();
  readonly #touched = new Set<ContentNode>();

  add(node: ContentNode, edits: readonly Edit[]): void {
    const known = this.#edits.get(node) ?? [];
    for (const edit of edits) known.push(edit);
    this.#edits.set(node, known);
    for (let at: ContentNode | undefined = node; at && !this.#touched.has(at); at = at.parent?.node)
      this.#touched.add(at);
  }

  of(node: ContentNode): readonly Edit[] {
    return this.#edits.get(node) ?? [];
  }

  isTouched(node: ContentNode): boolean {
    return this.#touched.has(node);
  }
}

/** Returns edits that replace the shape of a fill by the whole plane. */
function unbounded(paint: Paint): Edit[] {
  const back = inverse(paint.insertion.matrix);
  if (!back) return [];
  const fill = ` ${rectangle(back)} f `;
  if (paint.kind === "path") return [{ start: paint.end - paint.operator.length, end: paint.end, text: ` n${fill}` }];
  return [...hidePainting(paint), { start: paint.end, end: paint.end, text: fill }];
}

function rectangle(matrix: Matrix): string {
  const [x0, y0, x1, y1] = FAR;
  const corners = [apply(matrix, x0, y0), apply(matrix, x1, y0), apply(matrix, x1, y1), apply(matrix, x0, y1)];
  const [first, ...others] = corners.map(([x, y]) => `${x.toFixed(3)} ${y.toFixed(3)}`);
  return `${first} m ${others.map((corner) => `${corner} l`).join(" ")} h`;
}
