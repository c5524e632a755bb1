// Runs inside a page to prepare it for paper: detects whether the page is made for paper, and sets the size and margins
// of its sheets. The functions are sent as source text, so they must not use outer variables.

import type { OwnPages } from "../../../../src/operations/to-pdf/html-to-pdf.ts";
import type { QueryEvents } from "./page-scripts.ts";

/** A page's medium. A page made for paper has `@page` or print rules in its style sheets. */
export type CssMedium = "paper" | "screen";

/** Properties of a page that determine its scale. */
export interface Findings {
  readonly purpose: CssMedium;
  /** Ratio of the page's scrollable width to the window's width. */
  readonly overflow: number;
  /** The left and right margins of the document's own pages that apply, in CSS syntax. @default those of the client */
  readonly sides?: Sides;
}

export interface Sides {
  readonly left: string;
  readonly right: string;
}

/** A style sheet as the browser received it. */
export interface SheetText {
  readonly url: string;
  readonly text: string;
}

/** Arguments of {@link setPaper}. Sizes and margins are in CSS syntax (CSS Paged Media 3, 7). */
export interface Paper {
  /** Size and margin of a page that is made for screens, or for which the client requested a layout. */
  readonly size: string;
  readonly margin: string;
  /** Settings that a document made for paper can override. Set only if the client requested no layout. */
  readonly ownPages?: OwnPages;
  readonly questions: QueryEvents;
  /** True after waiting for animations and pending content. @default false */
  readonly isWaitedFor?: boolean;
  /** All style sheets of the page. Set if its scripts cannot read some of them. */
  readonly sheets?: readonly SheetText[];
}

/**
 * Sets the paper of a page.
 * @param askStill {@link isSettled}
 * @param askPurpose {@link detectMedium}
 * @returns the findings, if the paper was set. `restless`: content moves or is pending. `hidden`: style sheets must be
 * fetched first. In these two cases the paper was not set
 */
export function setPaper(
  { size, margin, ownPages, questions, isWaitedFor, sheets }: Paper,
  askStill: typeof isSettled,
  askPurpose: typeof detectMedium,
): Findings | "restless" | "hidden" {
  // Reading these widths triggers a layout, which requests the fonts and images that only paper needs.
  const { scrollWidth = 1, clientWidth = 1 } = document.scrollingElement ?? {};
  const isCut = [document.documentElement, document.body].some(
    (element) => element && /hidden|clip/.test(getComputedStyle(element).overflowX),
  );
  if (!isWaitedFor && !askStill(questions)) return "restless";
  const purpose = ownPages ? askPurpose(sheets) : "screen";
  if (purpose === "hidden") return "hidden";
  const own = purpose === "paper" && ownPages ? ownPages : { size: false, margin: false };

  // PDF readers reject larger pages than 200 inches (ISO 32000-1, annex C).
  const isTooLarge = (length: string) => {
    try {
      return CSSNumericValue.parse(length).to("in").value > 200;
    } catch {
      return false;
    }
  };
  // Sets the client's size and margin, unless the document's own apply. The declarations are `!important`, so that they
  // override style sheets that cannot be read. In readable style sheets, the declarations are removed, because those of
  // a named page would take precedence.
  let sides: Sides | undefined;
  const disarm = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule) {
        const { style, selectorText } = rule;
        const { marginLeft: left, marginRight: right } = style;
        if (own.margin && selectorText === "" && left !== "" && right !== "") sides = { left, right };
        const hasOwnSize =
          own.size &&
          !style
            .getPropertyValue("size")
            .split(/\s+(?![^(]*\))/)
            .some(isTooLarge);
        const taken = [...(hasOwnSize ? [] : ["size", "page-orientation"]), ...(own.margin ? [] : ["margin"])];
        for (const name of taken) style.removeProperty(name);
      } else if (rule instanceof CSSImportRule) readable(rule.styleSheet);
      else if ("cssRules" in rule) disarm(rule.cssRules as CSSRuleList);
    }
  };
  const readable = (sheet: CSSStyleSheet | null) => {
    try {
      if (sheet) disarm(sheet.cssRules);
    } catch {
      // Scripts cannot read a style sheet that comes from another origin.
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) readable(sheet);
  const asked = purpose === "paper" ? { size: "auto", margin: "revert" } : { size, margin };
  const styles = new CSSStyleSheet();
  styles.replaceSync(`@page {
    ${own.size ? "" : `size: ${asked.size} !important; page-orientation: upright !important;`}
    ${own.margin ? "" : `margin: ${asked.margin} !important`} }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  return { purpose, overflow: isCut ? 1 : scrollWidth / clientWidth, ...(sides ? { sides } : {}) };
}

/** @returns true if no content of the page moves or is pending */
export function isSettled({ isScripted }: QueryEvents): boolean {
  const restless =
    'iframe, frame, object, embed, video, animate, animateMotion, animateTransform, set, source[media], [loading="lazy" i]';
  return (
    window.dispatchEvent(new Event(isScripted, { cancelable: true })) &&
    document.querySelector(restless) === null &&
    document.getAnimations().length === 0 &&
    document.fonts.status === "loaded" &&
    Array.from(document.images).every(({ complete }) => complete)
  );
}

/**
 * Determines whether a page is made for paper. @returns `hidden` if this depends on style sheets that scripts cannot
 * read and that were not passed
 */
export function detectMedium(sheets?: readonly SheetText[]): CssMedium | "hidden" {
  const isAll = (media: MediaList, query: RegExp) =>
    media.length > 0 && Array.from(media).every((text) => query.test(text));
  const isForPrint = (media: MediaList) => isAll(media, /^((only\s+)?print|not\s+screen)\b/i);
  const isForScreens = (media: MediaList) => isAll(media, /^((only\s+)?(screen|speech)|not\s+print)\b/i);
  let isHidden = false;
  const forScreens = new Set<string>();

  const speaks = (rules: CSSRuleList): boolean =>
    Array.from(rules).some((rule) => {
      if (rule instanceof CSSPageRule) return true;
      if (rule instanceof CSSImportRule) {
        return isForPrint(rule.media) || (!isForScreens(rule.media) && ofSheet(rule.styleSheet));
      }
      if (!("cssRules" in rule)) return false;
      const inner = rule.cssRules as CSSRuleList;
      if (inner.length === 0 || (rule instanceof CSSMediaRule && isForScreens(rule.media))) return false;
      return (rule instanceof CSSMediaRule && isForPrint(rule.media)) || speaks(inner);
    });
  const ofSheet = (sheet: CSSStyleSheet | null): boolean => {
    if (!sheet || sheet.disabled) return false;
    if (isForScreens(sheet.media)) {
      if (sheet.href) forScreens.add(sheet.href);
      return false;
    }
    let rules: CSSRuleList;
    try {
      rules = sheet.cssRules;
    } catch {
      isHidden = true;
      return isForPrint(sheet.media);
    }
    return isForPrint(sheet.media) ? rules.length > 0 : speaks(rules);
  };
  if ([...document.styleSheets, ...document.adoptedStyleSheets].map(ofSheet).includes(true)) return "paper";
  if (!isHidden) return "screen";
  if (!sheets) return "hidden";
  const isBrought = ({ url, text }: SheetText) => {
    if (forScreens.has(url)) return false;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return speaks(sheet.cssRules);
  };
  return sheets.some(isBrought) ? "paper" : "screen";
}
