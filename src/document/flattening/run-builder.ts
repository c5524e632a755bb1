// Collects consecutive transparent operations into runs; one image replaces each run. If a clip or form ends before the
// next opaque operation, moves the insertion point of the image out of it.
import type { Clip, ContentNode, InsertionPoint, Paint, TransparentRun } from "./scan/content-node.ts";

export class RunBuilder {
  readonly #splitsFills: boolean;
  readonly #runs: TransparentRun[] = [];
  /** Runs that no opaque operation has followed yet. */
  #pending: TransparentRun[] = [];

  constructor(splitsFills: boolean) {
    this.#splitsFills = splitsFills;
  }

  finish(): readonly TransparentRun[] {
    this.interrupt();
    return this.#runs;
  }

  /** Closes all pending runs before an opaque operation, because their images must be painted before it. */
  interrupt(): void {
    if (this.#pending.length === 0) return;
    for (const run of this.#pending) this.#runs.push(run);
    this.#pending = [];
  }

  add(paint: Paint): void {
    const { insertion } = paint;
    if (((paint.isFill || paint.isStroke) && this.#splitsFills) || paint.ownLayer !== undefined) {
      this.interrupt();
      this.#runs.push({ paints: [paint], insertion });
      return;
    }
    this.#pending.push({ paints: [paint], insertion });
    this.#merge();
  }

  /** Moves the insertion points of pending runs out of the clips that a `Q` ends. */
  restored(insertion: InsertionPoint): void {
    for (let index = this.#pending.length - 1; index >= 0; index--) {
      const run = this.#pending[index]!;
      if (run.insertion.node !== insertion.node || !isSameContent(run.insertion, insertion)) break;
      if (!isWithin(run.insertion.clip, insertion.clip)) break;
      run.insertion = insertion;
    }
    this.#merge();
  }

  /** @param insertion the insertion point after the operation that painted the form */
  leaveForm(node: ContentNode, insertion: InsertionPoint): void {
    for (const run of this.#pending) {
      if (run.insertion.node === node && isOutsideOf(run.insertion, insertion)) run.insertion = insertion;
    }
    this.#merge();
  }

  #merge(): void {
    const pending = this.#pending;
    while (pending.length > 1) {
      const last = pending.at(-1)!;
      const before = pending.at(-2)!;
      const { node, clip, layers, tagStart } = last.insertion;
      const { insertion } = before;
      if (
        insertion.node !== node ||
        insertion.clip !== clip ||
        insertion.layers !== layers ||
        insertion.tagStart !== tagStart
      )
        return;
      for (const paint of last.paints) before.paints.push(paint);
      before.insertion = last.insertion;
      pending.pop();
    }
  }
}

/** Reports whether both insertion points are in the same layer and the same structure element. */
const isSameContent = (a: InsertionPoint, b: InsertionPoint) => a.layers === b.layers && a.tagStart === b.tagStart;

/** Like {@link isSameContent}, for an insertion point in a form and an insertion point after the form. */
const isOutsideOf = (inner: InsertionPoint, outer: InsertionPoint) =>
  inner.layers === outer.layers && (inner.tagStart ?? outer.tagStart) === outer.tagStart;

/** Maximum number of nested clips that an image is moved out of, when `Q` ends them. */
const MAX_CLIPS = 200;

function isWithin(clip: Clip, outer: Clip): boolean {
  let at: Clip | undefined = clip;
  for (let count = 0; at && count < MAX_CLIPS; count++, at = at.outer) if (at === outer) return true;
  return false;
}
