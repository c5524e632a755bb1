// Runs in a page's own JavaScript world, before the page's scripts, and observes them. Functions are sent to the page
// as source text, so they must not use outer variables.

import { finishMotion } from "./motion-scripts.ts";

/**
 * Names of events by which our isolated world queries the page's world. {@link observe} cancels an event to reply
 * "yes".
 */
export interface QueryEvents {
  /** Has a script or an event handler of the page run? */
  readonly isScripted: string;
  /** Has the page observed the visibility of elements? From then on, the page sees no element leave the view. */
  readonly observesVisibility: string;
  /** Does the page handle scroll events? */
  readonly followsScrolling: string;
  /** Has a shadow tree changed since the last query? */
  readonly hasChangedShadows: string;
  /** Finishes finite animations in shadow trees. Were there any? */
  readonly movesInShadows: string;
  /** Has the content of a canvas changed since the last query? */
  readonly hasDrawn: string;
  /** Has the page accessed the rules of a style sheet? From then on, it can change the rules at any time. */
  readonly readsRules: string;
  /** Is a callback of the page waiting for the next animation frame? */
  readonly awaitsFrame: string;
}

export const QUESTIONS: QueryEvents = {
  isScripted: "pagewright:is-scripted",
  observesVisibility: "pagewright:looks-at-sight",
  followsScrolling: "pagewright:follows-scrolling",
  hasChangedShadows: "pagewright:has-changed-shadows",
  movesInShadows: "pagewright:moves-in-shadows",
  hasDrawn: "pagewright:has-drawn",
  readsRules: "pagewright:reads-rules",
  awaitsFrame: "pagewright:awaits-frame",
};

/** Registers the function that replies to a query. */
type Answer = (question: string, isTrue: () => boolean) => void;

/** Returns the script that replies to queries. It does not run in a page without scripts. */
export function observing(questions: QueryEvents): string {
  const observers = [observeSight, observeRules, observeFrames, observeShadows, observeDrawing];
  return `(${observe})(${JSON.stringify(questions)}, [${observers}], ${finishMotion})`;
}

type Finish = typeof finishMotion;
type Observer = (questions: QueryEvents, answer: Answer, finish: Finish) => void;

function observe(questions: QueryEvents, observers: readonly Observer[], finish: Finish): void {
  const { addEventListener } = EventTarget.prototype;
  const answer = (question: string, isTrue: () => boolean) =>
    addEventListener.call(window, question, (event) => {
      if (isTrue()) event.preventDefault();
    });
  answer(questions.isScripted, () => true);
  for (const observer of observers) observer(questions, answer, finish);
  // Disables dialogs: no user can close them, and a script can open them in an endless loop.
  window.alert = () => {};
  window.confirm = () => false;
  window.prompt = () => null;
  window.print = () => {};
}

function observeSight(questions: QueryEvents, answer: Answer): void {
  let looks = false;
  let isKept = false;
  const Observer = window.IntersectionObserver;
  window.IntersectionObserver = class IntersectionObserver extends Observer {
    constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      const seen = new WeakMap<Element, number>();
      const isNews = ({ target, intersectionRatio, isIntersecting }: IntersectionObserverEntry) => {
        const before = seen.get(target);
        const isLess = before !== undefined && (!isIntersecting || intersectionRatio < before);
        if (isKept && isLess) {
          // Does not report to the page that the element left the view. Any part of it can come into view again.
          if (!isIntersecting) seen.set(target, 0);
          return false;
        }
        if (isIntersecting) seen.set(target, intersectionRatio);
        else seen.delete(target);
        return true;
      };
      const filtered = (entries: IntersectionObserverEntry[], observer: globalThis.IntersectionObserver) => {
        const news = entries.filter(isNews);
        if (news.length > 0) Reflect.apply(callback, observer, [news, observer]);
      };
      super(typeof callback === "function" ? filtered : callback, options);
      looks = true;
    }
  };
  answer(questions.observesVisibility, () => {
    isKept = looks;
    return looks;
  });
  const { addEventListener } = EventTarget.prototype;
  let follows = false;
  EventTarget.prototype.addEventListener = function (this: EventTarget | undefined, ...params) {
    const target = this ?? window;
    follows ||= params[0] === "scroll" && (target === window || target === document);
    return Reflect.apply(addEventListener, target, params);
  };
  answer(questions.followsScrolling, () => follows || Boolean(window.onscroll ?? document.onscroll));
}

function observeRules(questions: QueryEvents, answer: Answer): void {
  const { prototype } = CSSStyleSheet;
  let hasRead = false;
  for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (!/rule|^replace/i.test(name)) continue;
    const { get, value } = own;
    const through = (original: (...params: unknown[]) => unknown) =>
      function (this: CSSStyleSheet, ...params: unknown[]) {
        hasRead = true;
        return Reflect.apply(original, this, params);
      };
    if (get) Object.defineProperty(prototype, name, { ...own, get: through(get) });
    else if (typeof value === "function") Object.defineProperty(prototype, name, { ...own, value: through(value) });
  }
  answer(questions.readsRules, () => hasRead);
}

function observeFrames(questions: QueryEvents, answer: Answer): void {
  const waiting = new Set<number>();
  const { requestAnimationFrame, cancelAnimationFrame } = window;
  window.requestAnimationFrame = (callback) => {
    if (typeof callback !== "function") return requestAnimationFrame.call(window, callback);
    const id = requestAnimationFrame.call(window, (time) => {
      waiting.delete(id);
      callback(time);
    });
    waiting.add(id);
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    waiting.delete(id);
    cancelAnimationFrame.call(window, id);
  };
  answer(questions.awaitsFrame, () => waiting.size > 0);
}

function observeShadows(questions: QueryEvents, answer: Answer, finish: Finish): void {
  let hasChanged = false;
  let isWatched = false;
  const roots: ShadowRoot[] = [];
  const known: WeakRef<ShadowRoot>[] = [];
  const changes = new MutationObserver(() => {
    hasChanged = true;
  });
  const everything = { subtree: true, childList: true, characterData: true, attributes: true };
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (init) {
    const root = attachShadow.call(this, init);
    if (isWatched) changes.observe(root, everything);
    else roots.push(root);
    known.push(new WeakRef(root));
    return root;
  };
  answer(questions.movesInShadows, () => {
    const shown = known.flatMap((root) => root.deref() ?? []).filter(({ isConnected }) => isConnected);
    return shown.map(finish).includes(true);
  });
  answer(questions.hasChangedShadows, () => {
    isWatched = true;
    for (const root of roots.splice(0)) changes.observe(root, everything);
    const had = hasChanged;
    hasChanged = false;
    return had;
  });
}

function observeDrawing(questions: QueryEvents, answer: Answer): void {
  /** Maximum side length at which canvases are compared. Larger canvases are scaled down. */
  const MAX_COMPARED = 1024;
  const looks = new WeakMap<HTMLCanvasElement, number>();
  const canvases: WeakRef<HTMLCanvasElement>[] = [];
  const add = (canvas: HTMLCanvasElement) => {
    if (!looks.has(canvas)) canvases.push(new WeakRef(canvas));
    looks.set(canvas, looks.get(canvas) ?? 0);
  };
  /** Returns a hash of a canvas's pixels, or 0 if content from another origin makes them unreadable. */
  const lookOf = (canvas: HTMLCanvasElement) => {
    const scale = Math.min(1, MAX_COMPARED / Math.max(canvas.width, canvas.height));
    const [width, height] = [Math.ceil(canvas.width * scale), Math.ceil(canvas.height * scale)];
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    try {
      context!.drawImage(canvas, 0, 0, width, height);
      const pixels = new Int32Array(context!.getImageData(0, 0, width, height).data.buffer);
      // Without the rotation, equal changes of several pixels would cancel each other out.
      return pixels.reduce((hash, pixel) => Math.imul(((hash << 5) | (hash >>> 27)) ^ pixel, 0x9e3779b1), 1);
    } catch {
      return 0;
    }
  };
  const { getContext, transferControlToOffscreen } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
    add(this);
    // By default, the browser discards a WebGL drawing buffer once it is displayed, before printing.
    const kept = /webgl/.test(kind) ? { ...options, preserveDrawingBuffer: true } : options;
    return Reflect.apply(getContext, this, [kind, kept]);
  } as typeof getContext;
  HTMLCanvasElement.prototype.transferControlToOffscreen = function () {
    add(this);
    return transferControlToOffscreen.call(this);
  };
  answer(questions.hasDrawn, () => {
    const shown = canvases.flatMap((canvas) => canvas.deref() ?? []).filter(({ isConnected }) => isConnected);
    const isNew = (canvas: HTMLCanvasElement) => {
      const before = looks.get(canvas);
      looks.set(canvas, lookOf(canvas));
      return looks.get(canvas) !== before;
    };
    return shown.map(isNew).includes(true);
  });
}
