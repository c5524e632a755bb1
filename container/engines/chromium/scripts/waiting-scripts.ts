// Waits inside a page until it is complete. The functions run in an isolated world, which shares only the DOM with the
// page's scripts. Each is sent as source text, so it must not use outer variables.

import { finishMotion } from "./motion-scripts.ts";
import type { QueryEvents } from "./page-scripts.ts";

/** Arguments of {@link waitForAll}. */
export interface Patience {
  readonly questions: QueryEvents;
  /** Time limit for the whole wait. */
  readonly timeoutMs: number;
}

/** Functions that {@link waitForAll} calls. */
interface Parts {
  readonly changesOf: typeof changesOf;
  readonly finishMotion: typeof finishMotion;
  readonly showAll: typeof showAll;
}

/** Returns the expression that waits until a page is complete. */
export function waiting(patience: Patience): string {
  return `(${waitForAll})(${JSON.stringify(patience)}, { changesOf: ${changesOf}, finishMotion: ${finishMotion}, showAll: ${showAll} })`;
}

/**
 * Loads lazy content and finishes animations of finite length. Waits for fonts, images and scripts. Includes frames of
 * the same origin.
 */
async function waitForAll({ questions, timeoutMs }: Patience, parts: Parts): Promise<void> {
  const LOOK_MS = 25;
  /** A page with scripts is complete after this number of consecutive checks without a change. */
  const QUIET_LOOKS = 4;
  /** The same number for a page that continuously requests animation frames: its next change can take longer. */
  const QUIET_LOOKS_WITH_FRAMES = 40;
  /** Maximum duration of scrolling through a page with scroll handlers. Slow, because handlers can be throttled. */
  const SCROLLING_MS = 1_000;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  const within = (page: Window): readonly Window[] => [page, ...Array.from(page.frames).filter(isOwn).flatMap(within)];
  const isOwn = (page: Window) => {
    try {
      return Boolean(page.document.documentElement);
    } catch {
      return false;
    }
  };
  const is = (question: string) =>
    within(window)
      .map((page) => page.dispatchEvent(new Event(question, { cancelable: true })))
      .includes(false);
  const isPending = ({ document }: Window) => {
    for (const late of document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading="lazy" i]')) {
      late.loading = "eager";
    }
    return document.fonts.status !== "loaded" || Array.from(document.images).some(({ complete }) => !complete);
  };

  const changes = parts.changesOf();
  const settled = async () => {
    /** Reports changes since the last call that cause no mutation events. */
    const isDifferent = () => {
      const before = state;
      state = changes.stateOf(within(window), is(questions.readsRules));
      return is(questions.hasDrawn) || state !== before;
    };
    let state = "";
    isDifferent();
    let wereFramesAwaited = false;
    for (let quiet = 0; ; await pause(LOOK_MS)) {
      const pages = within(window);
      const isScripted = is(questions.isScripted);
      const areFramesAwaited = is(questions.awaitsFrame);
      const moved = pages.map(({ document }) => parts.finishMotion(document));
      const hasMoved = [...moved, is(questions.movesInShadows)].includes(true);
      // Scripts receive an animation's end event in the next frame.
      if (hasMoved) await frame();
      const news = [is(questions.hasChangedShadows), changes.areMade(pages), wereFramesAwaited && !areFramesAwaited];
      wereFramesAwaited = areFramesAwaited;
      quiet = hasMoved || news.includes(true) || pages.some(isPending) ? 0 : quiet + 1;
      if (!isScripted && quiet > 0) return;
      if (quiet <= (areFramesAwaited ? QUIET_LOOKS_WITH_FRAMES : QUIET_LOOKS)) continue;
      if (!isDifferent()) return;
      quiet = 0;
    }
  };

  const work = async () => {
    // The browser selects the images for paper in the next frame.
    if (document.querySelector("source[media]")) await frame();
    // Makes lazy images and frames load.
    isPending(window);
    const [looksAtSight, followsScrolling] = [is(questions.observesVisibility), is(questions.followsScrolling)];
    if (looksAtSight || followsScrolling) await parts.showAll(followsScrolling ? SCROLLING_MS : 0, settled);
    await settled();
  };
  await Promise.race([work(), pause(timeoutMs)]);
}

/** Detects changes of pages. Does not detect changes in shadow trees. */
function changesOf() {
  /** Maximum number of rules to compare. Beyond it, only the number of rules is compared. */
  const MAX_RULES = 5_000;
  let hasNews = false;
  const isNews = ({ type, target, attributeName, oldValue, addedNodes, removedNodes }: MutationRecord) => {
    if (type === "attributes") return (target as Element).getAttribute(attributeName!) !== oldValue;
    if (type === "characterData") return target.nodeValue !== oldValue;
    const [[added], [removed]] = [Array.from(addedNodes), Array.from(removedNodes)];
    const isOne = addedNodes.length === 1 && removedNodes.length === 1;
    return !(isOne && added instanceof Text && removed instanceof Text && added.data === removed.data);
  };
  const observed = new Set<Document>();
  const observer = new MutationObserver((records) => {
    hasNews ||= records.some(isNews);
  });

  const rulesOf = (sheet: CSSStyleSheet): readonly CSSRule[] => {
    try {
      return sheet.disabled ? [] : Array.from(sheet.cssRules);
    } catch {
      // Scripts cannot read a style sheet that comes from another origin.
      return [];
    }
  };
  const stateOf = ({ document }: Window, withRules: boolean) => {
    const sheets = withRules ? [...document.styleSheets, ...document.adoptedStyleSheets] : [];
    const rules = sheets.flatMap(rulesOf);
    const fields = document.querySelectorAll<HTMLInputElement & HTMLOptionElement>("input, textarea, select, option");
    return [
      rules.length,
      ...rules.slice(0, MAX_RULES).map(({ cssText }) => cssText),
      ...Array.from(fields, (field) => [field.value, field.checked, field.indeterminate, field.selected].join()),
    ].join("\n");
  };
  return {
    /** Reports whether the documents have changed since the last call. */
    areMade(pages: readonly Window[]): boolean {
      for (const { document } of pages) {
        if (observed.has(document)) continue;
        observed.add(document);
        observer.observe(document, {
          ...{ subtree: true, childList: true, characterData: true, characterDataOldValue: true },
          ...{ attributes: true, attributeOldValue: true },
        });
      }
      const had = hasNews;
      hasNews = false;
      return had;
    },
    /** Returns the state of the pages that can change without a DOM mutation. */
    stateOf: (pages: readonly Window[], withRules: boolean): string =>
      pages.map((page) => stateOf(page, withRules)).join("\n"),
  };
}

/** Scrolls through the page to reveal content. Scrolls back without scroll events, so that the content stays. */
async function showAll(durationMs: number, settled: () => Promise<void>): Promise<void> {
  const FRAMES = 60;
  const STEP_MS = 100;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const { scrollX, scrollY, innerHeight } = window;
  const height = document.documentElement.scrollHeight;
  const step = Math.max(innerHeight, Math.ceil(height / FRAMES));
  const steps = Math.ceil(height / step);
  for (let n = 0; n < steps; n++) {
    window.scrollTo({ left: 0, top: n * step, behavior: "instant" });
    await frame();
    if (durationMs > 0) await pause(Math.min(STEP_MS, durationMs / steps));
  }
  if (steps > 1) await settled();
  const hide = (event: Event) => {
    if (event.target === document) event.stopImmediatePropagation();
  };
  for (const name of ["scroll", "scrollend"]) window.addEventListener(name, hide, { capture: true });
  window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
  await frame();
  await frame();
  for (const name of ["scroll", "scrollend"]) window.removeEventListener(name, hide, { capture: true });
}
