// What is run inside a page, in a world of its own that shares the document and nothing else with the page's scripts. Each
// function is sent as its text: it may use only what it has inside.

/** Events by which our world asks the page's own, where {@link observe} answers by not letting them pass. */
export interface Questions {
  /** Whether a script of the page's has run, or a handler. */
  readonly isScripted: string;
  /** Whether it has asked what can be seen of it. */
  readonly looksAtSight: string;
}

export const QUESTIONS: Questions = {
  isScripted: "pagewright:is-scripted",
  looksAtSight: "pagewright:looks-at-sight",
};

/** What {@link waitForAll} is told. */
export interface Patience {
  readonly questions: Questions;
  /** How long all of it may take. */
  readonly timeoutMs: number;
}

/** Loads what waits to be seen, and waits for fonts and pictures. */
export async function waitForAll({ questions, timeoutMs }: Patience): Promise<void> {
  const SETTLED_AFTER_MS = 100;
  const FRAMES = 60;
  const is = (question: string) => !window.dispatchEvent(new Event(question, { cancelable: true }));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /** What comes into sight is looked at once a frame. */
  const showAll = async () => {
    const { scrollX, scrollY, innerHeight } = window;
    const height = document.documentElement.scrollHeight;
    const step = Math.max(innerHeight, Math.ceil(height / FRAMES));
    for (let top = 0; top < height; top += step) {
      window.scrollTo({ left: 0, top, behavior: "instant" });
      await frame();
    }
    window.scrollTo({ left: scrollX, top: scrollY, behavior: "instant" });
    await frame();
  };

  const settled = () =>
    new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, SETTLED_AFTER_MS);
      new MutationObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(resolve, SETTLED_AFTER_MS);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });

  const loaded = (image: HTMLImageElement) =>
    new Promise((resolve) => {
      image.addEventListener("load", resolve);
      image.addEventListener("error", resolve);
    });

  const work = async () => {
    for (const late of document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading="lazy" i]')) {
      late.loading = "eager";
    }
    if (is(questions.looksAtSight)) await showAll();
    // Scripts may build the page in steps.
    if (is(questions.isScripted)) await settled();
    await document.fonts.ready;
    await Promise.all(
      Array.from(document.images)
        .filter((image) => !image.complete)
        .map(loaded),
    );
  };
  await Promise.race([work(), new Promise((resolve) => setTimeout(resolve, timeoutMs))]);
}

/** Runs in the page's own world, before its scripts; where it has none, not at all. */
export function observe({ isScripted, looksAtSight }: Questions): void {
  const listen = window.addEventListener;
  const confirm = (question: string) => listen.call(window, question, (event) => event.preventDefault());
  confirm(isScripted);
  const Observer = window.IntersectionObserver;
  window.IntersectionObserver = class IntersectionObserver extends Observer {
    constructor(...params: ConstructorParameters<typeof Observer>) {
      super(...params);
      confirm(looksAtSight);
    }
  };
  window.addEventListener = function (this: unknown, ...params: [string, ...unknown[]]) {
    if (params[0] === "scroll") confirm(looksAtSight);
    return Reflect.apply(listen, this ?? window, params);
  } as typeof window.addEventListener;
  // Nobody is there to answer, and a loop of questions is one loop less.
  window.alert = () => {};
  window.confirm = () => false;
  window.prompt = () => null;
  window.print = () => {};
}
