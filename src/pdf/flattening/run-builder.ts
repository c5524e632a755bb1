// Gathers operations that paint one after the other into runs, and moves the place of their picture out of clips and forms as long
// as nothing else paints. Knows no content streams.
import type { Clip, ContentNode, ContentPlace, Paint, Run } from "./content-node.ts";

export class RunBuilder {
  readonly #splitsFills: boolean;
  readonly #runs: Run[] = [];
  /** Runs behind which nothing opaque was painted yet. */
  #pending: Run[] = [];

  constructor(splitsFills: boolean) {
    this.#splitsFills = splitsFills;
  }

  finish(): readonly Run[] {
    this.interrupt();
    return this.#runs;
  }

  /** Something opaque is painted: no picture may move behind it. */
  interrupt(): void {
    if (this.#pending.length === 0) return;
    for (const run of this.#pending) this.#runs.push(run);
    this.#pending = [];
  }

  add(paint: Paint): void {
    const { place } = paint;
    if (((paint.isFill || paint.isStroke) && this.#splitsFills) || paint.ownLayer !== undefined) {
      this.interrupt();
      this.#runs.push({ paints: [paint], place });
      return;
    }
    this.#pending.push({ paints: [paint], place });
    this.#merge();
  }

  /** `Q`: what was clipped may be wider again. */
  restored(place: ContentPlace): void {
    for (let index = this.#pending.length - 1; index >= 0; index--) {
      const run = this.#pending[index];
      if (run.place.node !== place.node || !isSameContent(run.place, place)) break;
      if (!isWithin(run.place.clip, place.clip)) break;
      run.place = place;
    }
    this.#merge();
  }

  /** @param place behind the operation that showed the form */
  leaveForm(node: ContentNode, place: ContentPlace): void {
    for (const run of this.#pending) {
      if (run.place.node === node && isOutsideOf(run.place, place)) run.place = place;
    }
    this.#merge();
  }

  #merge(): void {
    const pending = this.#pending;
    while (pending.length > 1) {
      const last = pending.at(-1)!;
      const before = pending.at(-2)!;
      const { node, clip, layers, tagStart } = last.place;
      const { place } = before;
      if (place.node !== node || place.clip !== clip || place.layers !== layers || place.tagStart !== tagStart) return;
      for (const paint of last.paints) before.paints.push(paint);
      before.place = last.place;
      pending.pop();
    }
  }
}

/** Whether both belong to the same layer and the same element of the structure. */
const isSameContent = (a: ContentPlace, b: ContentPlace) => a.layers === b.layers && a.tagStart === b.tagStart;

/** The same of a place in a form and one behind it. */
const isOutsideOf = (inner: ContentPlace, outer: ContentPlace) =>
  inner.layers === outer.layers && (inner.tagStart ?? outer.tagStart) === outer.tagStart;

/** Clips that are looked through: a picture need not move out of more. */
const MAX_CLIPS = 200;

function isWithin(clip: Clip, outer: Clip): boolean {
  let at: Clip | undefined = clip;
  for (let count = 0; at && count < MAX_CLIPS; count++, at = at.outer) if (at === outer) return true;
  return false;
}
