// Headers and footers of printed pages. The browser prints them from templates, without scripts and without requests.
// The functions run inside a page, in a world of our own, and are sent as source text, so they must not use outer
// variables.

import type { Session } from "../pipe.ts";
import type { Sides } from "../scripts/paper-scripts.ts";

/** The templates of headers and footers, in HTML. */
export interface RunningTitles {
  readonly header?: string;
  readonly footer?: string;
}

/** Arguments of {@link cleaned}. */
interface Cleaning {
  readonly template: string;
  /** True if the page has an address that a template can show. */
  readonly hasUrl: boolean;
  readonly zoom: number;
}

/** The browser prints a title of its own where a template is empty. */
const NOTHING = "<span></span>";
/**
 * The browser's own size is less than half a point, because it sizes its own template by script. Its templates begin at
 * the edge of the paper.
 */
const styleOf = ({ left, right }: Sides) =>
  `<style>#header, #footer { font-size: 10px; print-color-adjust: exact; padding-left: ${left}; ` +
  `padding-right: ${right} }</style>`;

/** Returns the settings of Page.printToPDF for the templates. @throws ProtocolError */
export async function printedTitles(
  { header, footer }: RunningTitles,
  {
    session,
    contextId,
    sides,
    ...about
  }: Omit<Cleaning, "template"> & { session: Session; contextId: number; sides: Sides },
) {
  if (header === undefined && footer === undefined) return {};
  const clean = async (template: string | undefined) => {
    if (template === undefined) return NOTHING;
    const expression = `(${cleaned})(${JSON.stringify({ template, ...about } satisfies Cleaning)})`;
    const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
    return `${styleOf(sides)}${result.value || NOTHING}`;
  };
  return { displayHeaderFooter: true, headerTemplate: await clean(header), footerTemplate: await clean(footer) };
}

/**
 * Returns a template without the parts that the browser ignores, and without references that make printing fail, such as
 * fonts and `@import`. The document that parses it is inert: it runs no script and loads nothing.
 */
function cleaned({ template, hasUrl, zoom }: Cleaning): string {
  const ACTIVE = "script, noscript, link, meta, base, iframe, frame, frameset, object, embed, template, video, audio";
  const ADDRESS = /^(src|srcset|href|xlink:href|poster|data|action|formaction|background)$/i;
  const OUTER_URL = /url\(\s*(?!["']?\s*(?:data:|#))(?:"(?:[^"\\]|\\.)*"|[^)]*)\s*\)/gi;
  const local = (css: string) => css.replaceAll(OUTER_URL, 'url("data:,")');
  const inert = new DOMParser().parseFromString(template, "text/html");
  for (const element of inert.querySelectorAll(ACTIVE)) element.remove();
  for (const style of inert.querySelectorAll("style")) {
    const sheet = new CSSStyleSheet();
    // A constructed sheet has no @import rules.
    sheet.replaceSync(style.textContent);
    // A string of CSS can contain the end tag, as an escape that is now resolved.
    style.textContent = Array.from(sheet.cssRules, ({ cssText }) => local(cssText).replaceAll("</", "<\\/")).join("\n");
  }
  for (const element of inert.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      const isOuter = ADDRESS.test(name) && !/^\s*(data:image\/|#)/i.test(value);
      const isStyle = name === "style";
      if (isStyle) element.setAttribute(name, local((element as HTMLElement).style.cssText));
      else if (/^on/i.test(name) || isOuter || local(value) !== value) element.removeAttribute(name);
    }
  }
  if (!hasUrl) for (const element of inert.querySelectorAll(".url")) element.classList.remove("url");
  if (zoom !== 1) for (const element of inert.body.children) (element as HTMLElement).style.zoom = String(zoom);
  const styles = Array.from(inert.head.querySelectorAll("style"), ({ outerHTML }) => outerHTML).join("");
  return styles + inert.body.innerHTML;
}
