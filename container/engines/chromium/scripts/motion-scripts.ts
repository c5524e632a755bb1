// Runs in a page, in its own world and in ours. It is sent as its text, so it may use only what it defines itself.

/**
 * Ends animations and transitions that have an end, as they would end by themselves, and takes away those that follow
 * scrolling, which paper does not have. Paused and endless ones stay as they are.
 * @returns true if there were any
 */
export function finishMotion(root: Document | ShadowRoot): boolean {
  const shown = root.ownerDocument?.timeline ?? (root as Document).timeline;
  let hasMoved = false;
  for (const animation of root.getAnimations()) {
    const { timeline, effect, playState, playbackRate } = animation;
    const isEndless = playbackRate === 0 || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY;
    if (timeline !== null && timeline !== shown) animation.cancel();
    else if (playState === "running" && !isEndless) animation.finish();
    else continue;
    hasMoved = true;
  }
  for (const svg of root.querySelectorAll("svg")) {
    if (svg.ownerSVGElement) continue;
    const endOf = (element: SVGAnimationElement) => {
      try {
        const times = Number.parseFloat(element.getAttribute("repeatCount") ?? "1");
        return element.getStartTime() + (element.localName === "set" ? 0 : element.getSimpleDuration() * times);
      } catch {
        // It has not begun, or has no duration.
        return 0;
      }
    };
    const ends = Array.from(
      svg.querySelectorAll<SVGAnimationElement>("animate, animateMotion, animateTransform, set"),
      endOf,
    );
    const end = Math.max(0, ...ends.filter((time) => time < Number.POSITIVE_INFINITY));
    if (svg.getCurrentTime() >= end) continue;
    svg.setCurrentTime(end);
    hasMoved = true;
  }
  return hasMoved;
}
