// The lists of a Word document (ECMA-376 part 1, 17.9).
import { MAIN } from "./styles.ts";
import { element, HEAD, xmlText } from "./xml-text.ts";

/** How the items of one level of a list are marked. */
export interface Marking {
  readonly format: "bullet" | "decimal" | "lowerLetter" | "upperLetter" | "lowerRoman" | "upperRoman";
  /** The marker; `#` stands for the number. */
  readonly text: string;
  /** Number of the first item. */
  readonly start: number;
}

/** Number of levels of a list. */
export const LEVELS = 9;
/** Indent of each level, and space of markers, in twentieths of a point. Items state their own. */
const STEP = 360;

/** @param lists the markings of the levels of each list, whose identifiers count from 1 */
export function numberingXml(lists: readonly ReadonlyMap<number, Marking>[]): string {
  const abstract = lists.map((levels, at) => {
    const all = Array.from({ length: LEVELS }, (_, level) => levelXml(level, levels.get(level)));
    return `<w:abstractNum w:abstractNumId="${at}"><w:multiLevelType w:val="hybridMultilevel"/>${all.join("")}</w:abstractNum>`;
  });
  const instances = lists.map((_, at) => `<w:num w:numId="${at + 1}"><w:abstractNumId w:val="${at}"/></w:num>`);
  return `${HEAD}<w:numbering xmlns:w="${MAIN}">${abstract.join("")}${instances.join("")}</w:numbering>`;
}

const BULLET: Marking = { format: "bullet", text: "•", start: 1 };

function levelXml(level: number, { format, text, start }: Marking = BULLET): string {
  const marker = format === "bullet" ? text : text.replace("#", `%${level + 1}`);
  return [
    `<w:lvl w:ilvl="${level}">`,
    ...[element("start", { val: start }), element("numFmt", { val: format })],
    `<w:lvlText w:val="${xmlText(marker)}"/><w:lvlJc w:val="left"/>`,
    `<w:pPr>${element("ind", { left: STEP * (level + 1), hanging: STEP })}</w:pPr></w:lvl>`,
  ].join("");
}
