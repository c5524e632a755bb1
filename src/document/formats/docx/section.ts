// Writes the properties of sections: pages, margins, columns (ECMA-376 part 1, 17.6).
import { element, twips } from "./xml-text.ts";

/** Part and kind of a header or footer. */
export interface Furniture {
  readonly part: "header" | "footer";
  readonly type: "default" | "first" | "even";
  /** Identifier of the relationship. */
  readonly id: string;
}

/** All lengths are in points. */
export interface Section {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Distances of headers and footers from the edges. */
  readonly header: number;
  readonly footer: number;
  /** Places of columns from the left margin, in their order. */
  readonly columns: readonly { readonly width: number; readonly space: number }[];
  readonly isRightToLeft: boolean;
}

export interface SectionStart {
  readonly type: "nextPage" | "continuous";
  /** @default those of the section before */
  readonly furniture?: readonly Furniture[];
  /** Number of the first page. @default the next one */
  readonly firstNumber?: number | undefined;
}

export function sectionProperties(section: Section, { type, furniture = [], firstNumber }: SectionStart): string {
  const { width, height, left, right, top, bottom, header, footer, columns, isRightToLeft } = section;
  const margin = (points: number) => Math.max(0, twips(points));
  const edges = { top: twips(top), right: margin(right), bottom: twips(bottom), left: margin(left) };
  return [
    "<w:sectPr>",
    ...furniture.map(({ part, type: kind, id }) => `<w:${part}Reference w:type="${kind}" r:id="${id}"/>`),
    element("type", { val: type }),
    element("pgSz", {
      ...{ w: Math.max(20, twips(width)), h: Math.max(20, twips(height)) },
      orient: width > height ? "landscape" : undefined,
    }),
    element("pgMar", { ...edges, header: margin(header), footer: margin(footer), gutter: 0 }),
    firstNumber === undefined ? "" : element("pgNumType", { start: firstNumber }),
    columnsXml(columns),
    furniture.some((one) => one.type === "first") ? "<w:titlePg/>" : "",
    isRightToLeft ? "<w:bidi/>" : "",
    "</w:sectPr>",
  ].join("");
}

function columnsXml(columns: Section["columns"]): string {
  if (columns.length < 2) return '<w:cols w:space="720"/>';
  const all = columns.map(({ width, space }) =>
    element("col", { w: Math.max(20, twips(width)), space: Math.max(0, twips(space)) }),
  );
  return `<w:cols w:num="${columns.length}" w:space="0" w:equalWidth="0">${all.join("")}</w:cols>`;
}
