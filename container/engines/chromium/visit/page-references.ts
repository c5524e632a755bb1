// Page numbers of links: `target-counter(attr(href), page)` of CSS (CSS Generated Content 3, 2.6.1), which the browser
// does not know, and a generated table of contents. The functions run inside a page, in a world of our own, and are sent
// as source text, so they must not use outer variables.

import type { Session } from "../pipe.ts";

/** A table of contents that is placed before the content of a page. */
export interface TableOfContents {
  readonly title: string;
  /** Levels of headings, from 1 to 6. */
  readonly depth: number;
}

/** Numbers of the pages on which the targets of links are, by fragment. */
export type PageNumbers = Readonly<Record<string, number>>;

/** A session with a world of our own in the page. */
interface World {
  readonly session: Session;
  readonly contextId: number;
}

async function call<T>({ session, contextId }: World, expression: string): Promise<T | undefined> {
  const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
  return result.value as T | undefined;
}

/**
 * Prepares the references of a page, and inserts the table of contents.
 * @returns true if the page shows page numbers of links. They are then empty until {@link showNumbers}
 */
export async function prepareReferences(world: World, contents: TableOfContents | undefined): Promise<boolean> {
  if (contents) await call(world, `(${insertContents})(${JSON.stringify(contents)})`);
  return (await call<boolean>(world, `(${referTo})()`)) === true;
}

/** Shows page numbers. @returns true if a number has changed, so that the page must be printed again */
export const showNumbers = async (world: World, numbers: PageNumbers): Promise<boolean> =>
  (await call<boolean>(world, `(${show})(${JSON.stringify(numbers)})`)) === true;

function insertContents({ title, depth }: TableOfContents): void {
  const levels = Array.from({ length: depth }, (_, index) => `h${index + 1}`).join();
  const headings = Array.from(document.querySelectorAll<HTMLElement>(levels)).filter(
    (heading) => heading.textContent.trim() !== "" && heading.checkVisibility({ visibilityProperty: true }),
  );
  if (headings.length === 0) return;
  const nav = document.createElement("nav");
  nav.className = "toc";
  const heading = document.createElement("p");
  heading.className = "toc-title";
  heading.textContent = title;
  nav.append(heading);
  for (const [index, target] of headings.entries()) {
    target.id ||= `toc-${index + 1}`;
    const entry = document.createElement("a");
    entry.className = `toc-entry toc-level-${target.localName.slice(1)}`;
    entry.href = `#${encodeURIComponent(target.id)}`;
    const text = document.createElement("span");
    text.textContent = target.textContent.trim().replaceAll(/\s+/g, " ");
    entry.append(text);
    nav.append(entry);
  }
  const styles = new CSSStyleSheet();
  // In a layer, so that the author's rules take precedence.
  styles.replaceSync(`@layer pagewright-toc {
    nav.toc { break-after: page }
    .toc-title { font-size: 1.5em; font-weight: bold; margin: 0 0 1em }
    .toc-entry { display: flex; color: inherit; text-decoration: none; margin: 0.3em 0; break-inside: avoid }
    .toc-entry::after { content: target-counter(attr(href), page); margin-inline-start: auto; padding-inline-start: 1em }
    ${[2, 3, 4, 5, 6].map((level) => `.toc-level-${level} { padding-inline-start: ${(level - 1) * 1.5}em }`).join("\n")}
  }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  document.body.prepend(nav);
}

/** Replaces `target-counter()` by an attribute of our own. @returns true if there are any, and links to this page */
function referTo(): boolean {
  const CALL = /target-counters?\(\s*attr\(\s*href(?:\s+(?:url|type\(<url>\)))?\s*\)\s*,\s*page\s*(?:,[^)]*)?\)/gi;
  let found = 0;
  const replace = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) {
        const { style } = rule;
        const content = style.getPropertyValue("content");
        const changed = content.replaceAll(CALL, 'attr(data-pagewright-page, "")');
        if (changed !== content) {
          style.setProperty("content", changed, style.getPropertyPriority("content"));
          found++;
        }
      }
      if (rule instanceof CSSImportRule) readable(rule.styleSheet);
      else if ("cssRules" in rule) replace(rule.cssRules as CSSRuleList);
    }
  };
  const readable = (sheet: CSSStyleSheet | null) => {
    try {
      if (sheet) replace(sheet.cssRules);
    } catch {
      // Scripts cannot read a style sheet that comes from another origin.
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) readable(sheet);
  return found > 0 && document.querySelector('a[href*="#"]') !== null;
}

function show(numbers: PageNumbers): boolean {
  let isChanged = false;
  const here = document.URL.split("#")[0];
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href*="#"]')) {
    const [page, fragment = ""] = link.href.split("#");
    if (page !== here) continue;
    let name = fragment;
    try {
      name = decodeURIComponent(fragment);
    } catch {
      // A fragment with an invalid encoding is used as it is.
    }
    const number = numbers[name] ?? numbers[fragment];
    if (number === undefined && link.matches("nav.toc > .toc-entry")) {
      // The heading is on no page, for example because it is clipped away.
      (link.parentElement!.childElementCount > 2 ? link : link.parentElement!).remove();
      isChanged = true;
      continue;
    }
    const text = number === undefined ? null : String(number);
    if (link.getAttribute("data-pagewright-page") === text) continue;
    isChanged = true;
    if (text === null) link.removeAttribute("data-pagewright-page");
    else link.setAttribute("data-pagewright-page", text);
  }
  return isChanged;
}
