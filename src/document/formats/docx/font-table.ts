// The fonts of a Word document (ECMA-376 part 1, 17.8), so that a program without one chooses a similar one.
import { MAIN } from "./styles.ts";
import { element, HEAD, xmlText } from "./xml-text.ts";

export interface WordFont {
  readonly name: string;
  readonly kind: "serif" | "sans" | "fixed" | "unknown";
}

const FAMILY = { serif: "roman", sans: "swiss", fixed: "modern", unknown: "auto" } as const;

export function fontTableXml(fonts: readonly WordFont[]): string {
  const all = fonts.map(({ name, kind }) => {
    const pitch = element("pitch", { val: kind === "fixed" ? "fixed" : "variable" });
    return `<w:font w:name="${xmlText(name)}">${element("family", { val: FAMILY[kind] })}${pitch}</w:font>`;
  });
  return `${HEAD}<w:fonts xmlns:w="${MAIN}">${all.join("")}</w:fonts>`;
}
