// Runs inside a page, in the page's JavaScript world and in our isolated one. The function is sent as source text, so
// it must not use outer variables.

/**
 * Finishes animations and transitions of finite length. Cancels scroll-driven ones, because paper does not scroll.
 * Paused and endless animations stay unchanged.
 * @returns true if any animation has changed
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
        // The animation has not started, or has no duration.
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
