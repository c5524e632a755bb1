// The looks of text and paragraphs of a Word document, written in the order of the schema (ECMA-376 part 1, 17.3).
import { element, toggle, twips } from "./xml-text.ts";

/** All lengths are in points. What is undefined is as in the style. */
export interface RunLook {
  readonly font?: string | undefined;
  readonly size?: number | undefined;
  readonly isBold?: boolean | undefined;
  readonly isItalic?: boolean | undefined;
  readonly isUnderlined?: boolean | undefined;
  readonly isStruck?: boolean | undefined;
  /** Red, green and blue, in six hexadecimal digits. */
  readonly color?: string | undefined;
  /** Color of the background, in six hexadecimal digits. */
  readonly fill?: string | undefined;
  readonly position?: "superscript" | "subscript" | undefined;
  readonly isRightToLeft?: boolean | undefined;
}

export interface Tab {
  readonly at: number;
  readonly align: "left" | "center" | "right";
  readonly leader?: "dot" | undefined;
}

export interface ParagraphLook {
  readonly keepsNext?: boolean | undefined;
  readonly startsPage?: boolean | undefined;
  /** True to keep the first two lines together, and the last two. */
  readonly keepsPairs?: boolean | undefined;
  readonly isRightToLeft?: boolean | undefined;
  readonly align?: "start" | "center" | "end" | "both" | undefined;
  /** Exact distance of lines. 0 for lines as high as their contents. */
  readonly line?: number | undefined;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** Indents from the side where lines start, and from the other one. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** Indent of the first line beside that of the others; negative if it hangs. */
  readonly first?: number | undefined;
  readonly tabs?: readonly Tab[] | undefined;
  /** Color of the background, in six hexadecimal digits. */
  readonly fill?: string | undefined;
}

export function runProperties(look: RunLook, style = ""): string {
  const { font, size, isBold, isItalic, isUnderlined, isStruck, color, fill, position, isRightToLeft } = look;
  const halves = size === undefined ? undefined : Math.max(2, Math.min(3276, Math.round(size * 2)));
  const text = [
    style === "" ? "" : element("rStyle", { val: style }),
    font === undefined ? "" : element("rFonts", { ascii: font, eastAsia: font, hAnsi: font, cs: font }),
    toggle("b", isBold),
    toggle("bCs", isBold),
    toggle("i", isItalic),
    toggle("iCs", isItalic),
    toggle("strike", isStruck),
    color === undefined ? "" : element("color", { val: color }),
    halves === undefined ? "" : element("sz", { val: halves }) + element("szCs", { val: halves }),
    isUnderlined === undefined ? "" : element("u", { val: isUnderlined ? "single" : "none" }),
    fill === undefined ? "" : element("shd", { val: "clear", color: "auto", fill }),
    position === undefined ? "" : element("vertAlign", { val: position }),
    toggle("rtl", isRightToLeft),
  ].join("");
  return text === "" ? "" : `<w:rPr>${text}</w:rPr>`;
}

/** Where a paragraph belongs. */
export interface ParagraphPlace {
  readonly style?: string | undefined;
  readonly numbering?: { readonly id: number; readonly level: number } | undefined;
  /** Properties of the section that ends with the paragraph. @default none */
  readonly section?: string | undefined;
}

/** Programs have this name for the start of a line, which is on the right in right-to-left paragraphs. */
const ALIGN = { start: "left", center: "center", end: "right", both: "both" } as const;

export function paragraphProperties(look: ParagraphLook, { style, numbering, section }: ParagraphPlace = {}): string {
  const { keepsNext, startsPage, keepsPairs, isRightToLeft, align, tabs = [], fill } = look;
  const text = [
    style === undefined ? "" : element("pStyle", { val: style }),
    toggle("keepNext", keepsNext),
    toggle("pageBreakBefore", startsPage),
    toggle("widowControl", keepsPairs),
    numbering
      ? `<w:numPr>${element("ilvl", { val: numbering.level })}${element("numId", { val: numbering.id })}</w:numPr>`
      : "",
    fill === undefined ? "" : element("shd", { val: "clear", color: "auto", fill }),
    tabs.length === 0
      ? ""
      : `<w:tabs>${tabs.map(({ align: val, leader, at }) => element("tab", { val, leader, pos: twips(at) })).join("")}</w:tabs>`,
    toggle("bidi", isRightToLeft),
    spacing(look),
    indents(look),
    align === undefined ? "" : element("jc", { val: ALIGN[align] }),
    section ?? "",
  ].join("");
  return text === "" ? "" : `<w:pPr>${text}</w:pPr>`;
}

function spacing({ line, before, after }: ParagraphLook): string {
  const values = {
    before: before === undefined ? undefined : Math.max(0, twips(before)),
    after: after === undefined ? undefined : Math.max(0, twips(after)),
    line: line === undefined ? undefined : line === 0 ? 240 : Math.max(20, twips(line)),
    lineRule: line === undefined ? undefined : line === 0 ? "auto" : "exact",
  };
  return Object.values(values).some((value) => value !== undefined) ? element("spacing", values) : "";
}

function indents({ start, end, first }: ParagraphLook): string {
  const values = {
    left: start === undefined ? undefined : twips(start),
    right: end === undefined ? undefined : twips(end),
    hanging: first !== undefined && first < 0 ? twips(-first) : undefined,
    firstLine: first !== undefined && first >= 0 ? twips(first) : undefined,
  };
  return Object.values(values).some((value) => value !== undefined) ? element("ind", values) : "";
}
