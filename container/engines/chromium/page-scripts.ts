// Functions that run inside a page, in an isolated world that shares only the document with the page's scripts. Each
// function is sent as its text, so it may use only what it defines itself.

/** Events that ask questions of the page's own world from our world. {@link observe} answers yes by canceling them. */
export interface Questions {
  /** Asks whether a script or an event handler of the page has run. */
  readonly isScripted: string;
  /** Asks whether the page has queried its visibility. */
  readonly looksAtSight: string;
}

export const QUESTIONS: Questions = {
  isScripted: "pagewright:is-scripted",
  looksAtSight: "pagewright:looks-at-sight",
};

/** Arguments of {@link waitForAll}. */
export interface Patience {
  readonly questions: Questions;
  /** Maximum duration of all waiting together. */
  readonly timeoutMs: number;
}

/** Loads what loads only when visible, and waits for fonts and pictures. */
export async function waitForAll({ questions, timeoutMs }: Patience): Promise<void> {
  const SETTLED_AFTER_MS = 100;
  const FRAMES = 60;
  const is = (question: string) => !window.dispatchEvent(new Event(question, { cancelable: true }));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /** Scrolls through the page: newly visible content is checked once a frame. */
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

/** Runs in the page's own world, before its scripts. Does not run if the page has no own world. */
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
  // Dialogs are disabled: nobody can answer them, and scripts can open them in an endless loop.
  window.alert = () => {};
  window.confirm = () => false;
  window.prompt = () => null;
  window.print = () => {};
}
