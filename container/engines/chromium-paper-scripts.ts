// What is run inside a page to put it on paper: whether it is made for paper, and which size and margins its sheets get. Like the
// other scripts of a page, these are sent as their text: they may use only what they have inside.

import type { OwnPages } from "../../src/operations/html-to-pdf.ts";
import type { Questions } from "./chromium-page-scripts.ts";

/** A page that is made for paper says something of paper in its style sheets. */
export type Purpose = "paper" | "screen";

/** A style sheet as the browser got it. */
export interface SheetText {
  readonly url: string;
  readonly text: string;
}

/** What {@link setPaper} is told: of the page, as CSS has them (CSS Paged Media 3, 7). */
export interface Paper {
  /** Where it is made for screens, or the client asked for a layout. */
  readonly size: string;
  readonly margin: string;
  /** Where the client asked for no layout: what a document that is made for paper decides itself. */
  readonly ownPages?: OwnPages;
  readonly questions: Questions;
  /** Whether what moves or is still to come has been waited for. @default false */
  readonly isWaitedFor?: boolean;
  /** All style sheets of the page, where some of them cannot be read by scripts. */
  readonly sheets?: readonly SheetText[];
}

/**
 * @param askStill is {@link isStill}
 * @param askPurpose is {@link purposeOf}
 * @returns what the page is made for, once its paper is set; `restless` where something of it moves or is still to come, `hidden`
 * where style sheets have to be brought to tell: nothing is set then
 */
export function setPaper(
  { size, margin, ownPages, questions, isWaitedFor, sheets }: Paper,
  askStill: typeof isStill,
  askPurpose: typeof purposeOf,
): Purpose | "restless" | "hidden" {
  // Fonts and pictures that paper alone asks for are asked for in layout.
  document.documentElement?.getBoundingClientRect();
  if (!isWaitedFor && !askStill(questions)) return "restless";
  const purpose = ownPages ? askPurpose(sheets) : "screen";
  if (purpose === "hidden") return "hidden";
  const own = purpose === "paper" && ownPages ? ownPages : { size: false, margin: false };

  // Readers open no page that is larger (ISO 32000-1, annex C).
  const isTooLarge = (length: string) => {
    try {
      return CSSNumericValue.parse(length).to("in").value > 200;
    } catch {
      return false;
    }
  };
  // Where it is not the document's, it is the client's. Important, it stands above what a style sheet says that cannot be read;
  // those that can lose what names a page and is important too.
  const disarm = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule) {
        const { style } = rule;
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
      // It comes from another origin.
    }
  };
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) readable(sheet);
  const asked = purpose === "paper" ? { size: "auto", margin: "revert" } : { size, margin };
  const styles = new CSSStyleSheet();
  styles.replaceSync(`@page {
    ${own.size ? "" : `size: ${asked.size} !important; page-orientation: upright !important;`}
    ${own.margin ? "" : `margin: ${asked.margin} !important`} }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, styles];
  return purpose;
}

/** @returns whether nothing of the page moves or is still to come */
export function isStill({ isScripted }: Questions): boolean {
  const restless =
    'iframe, frame, object, embed, video, animate, animateMotion, animateTransform, set, [loading="lazy" i]';
  return (
    window.dispatchEvent(new Event(isScripted, { cancelable: true })) &&
    document.querySelector(restless) === null &&
    document.getAnimations().length === 0 &&
    document.fonts.status === "loaded" &&
    Array.from(document.images).every(({ complete }) => complete)
  );
}

/** @returns `hidden` where scripts cannot read what would tell, and it was not brought */
export function purposeOf(sheets?: readonly SheetText[]): Purpose | "hidden" {
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
