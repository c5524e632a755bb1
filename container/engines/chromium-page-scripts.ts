// What is run inside a page, in a world of its own that shares the document and nothing else with the page's scripts. Each
// function is sent as its text: it may use only what it has inside.

/** What {@link prepare} is told. */
export interface Preparation {
  /** Whether the page looks at what can be seen of it, and has to be shown all. */
  readonly scroll: boolean;
  /** How long all of it may take. */
  readonly timeoutMs: number;
  /** Of the page, as CSS has them (CSS Paged Media 3, 7). */
  readonly size: string;
  readonly margin: string;
}

/** Loads what waits to be seen, and waits for fonts and pictures. */
export async function prepare({ scroll, timeoutMs, size, margin }: Preparation): Promise<void> {
  const SETTLED_AFTER_MS = 100;
  const FRAMES = 60;

  // The client's paper, not the document's. Important, it stands above what a style sheet says that cannot be read; those that can
  // lose what names a page and is important too.
  const styles = new CSSStyleSheet();
  styles.replaceSync(
    `@page { size: ${size} !important; margin: ${margin} !important; page-orientation: upright !important }`,
  );
  const disarm = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule) {
        for (const name of ["size", "margin", "page-orientation"]) rule.style.removeProperty(name);
      } else if (rule instanceof CSSImportRule) readable(rule.styleSheet);
      else if ("cssRules" in rule) disarm(rule.cssRules as CSSRuleList);
    }
  };
  const readable = (sheet: CSSStyleSheet | null) => {
    try {
      if (sheet) disarm(sheet.cssRules);
    } catch {
      // It comes from another origin.
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) readable(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];

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

  /** Scripts that build the page in steps. */
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
    if (scroll) await showAll();
    if (document.scripts.length > 0) await settled();
    await document.fonts.ready;
    await Promise.all(
      Array.from(document.images)
        .filter((image) => !image.complete)
        .map(loaded),
    );
  };
  await Promise.race([work(), new Promise((resolve) => setTimeout(resolve, timeoutMs))]);
}

/** What {@link observe} leaves in the page's own world: whether the page has asked what can be seen of it. */
export const LOOKS_AT_SIGHT = 'globalThis[Symbol.for("pagewright.looksAtSight")] === true';

/** Runs in the page's own world, before its scripts. */
export function observe(): void {
  const tell = () => {
    Object.defineProperty(window, Symbol.for("pagewright.looksAtSight"), { value: true, configurable: true });
  };
  const Observer = window.IntersectionObserver;
  window.IntersectionObserver = class IntersectionObserver extends Observer {
    constructor(...params: ConstructorParameters<typeof Observer>) {
      super(...params);
      tell();
    }
  };
  const listen = window.addEventListener;
  window.addEventListener = function (this: unknown, ...params: [string, ...unknown[]]) {
    if (params[0] === "scroll") tell();
    return Reflect.apply(listen, this ?? window, params);
  } as typeof window.addEventListener;
  // Nobody is there to answer, and a loop of questions is one loop less.
  window.alert = () => {};
  window.confirm = () => false;
  window.prompt = () => null;
  window.print = () => {};
}
