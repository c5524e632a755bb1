// The styles of a Word document (ECMA-376 part 1, 17.7). Their looks are those that the document uses most.
import { type ParagraphLook, paragraphProperties, type RunLook, runProperties } from "./looks.ts";
import { element, HEAD, xmlText } from "./xml-text.ts";

export const MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

export type StyleName = keyof typeof STYLES;
export type StyleLook = RunLook & ParagraphLook;

/** Names of styles by their identifiers. Programs know these names in each language. */
const STYLES = {
  Normal: "Normal",
  Title: "Title",
  Heading1: "heading 1",
  Heading2: "heading 2",
  Heading3: "heading 3",
  Heading4: "heading 4",
  Heading5: "heading 5",
  Heading6: "heading 6",
  ListParagraph: "List Paragraph",
  Caption: "caption",
  HTMLPreformatted: "HTML Preformatted",
  FootnoteText: "footnote text",
  Header: "header",
  Footer: "footer",
} as const;

/** @param looks the looks of the styles that the document uses; those of `Normal` are complete */
export function stylesXml(looks: ReadonlyMap<StyleName, StyleLook>): string {
  const normal = looks.get("Normal") ?? {};
  const defaults = runProperties({ font: normal.font, size: normal.size });
  const styles = Object.entries(STYLES).map(([id, name]) => paragraphStyle(id as StyleName, name, looks));
  return [
    `${HEAD}<w:styles xmlns:w="${MAIN}">`,
    `<w:docDefaults><w:rPrDefault>${defaults}</w:rPrDefault><w:pPrDefault/></w:docDefaults>`,
    ...styles,
    '<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/>',
    '<w:uiPriority w:val="1"/><w:semiHidden/></w:style>',
    characterStyle("Hyperlink", "Hyperlink", ""),
    characterStyle("FootnoteReference", "footnote reference", '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'),
    '<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/>',
    '<w:uiPriority w:val="99"/><w:semiHidden/><w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar>',
    '<w:top w:w="0" w:type="dxa"/><w:left w:w="0" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/>',
    '<w:right w:w="0" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style></w:styles>',
  ].join("");
}

function paragraphStyle(id: StyleName, name: string, looks: ReadonlyMap<StyleName, StyleLook>): string {
  const isNormal = id === "Normal";
  const look = looks.get(id) ?? {};
  const level = /^Heading(\d)$/.exec(id)?.[1];
  const keeps = isNormal ? { keepsPairs: true } : level || id === "Title" ? { keepsNext: true } : {};
  const properties = paragraphProperties({ ...look, ...keeps });
  const outline = level === undefined ? "" : element("outlineLvl", { val: Number(level) - 1 });
  const paragraph =
    outline === "" ? properties : (properties || "<w:pPr></w:pPr>").replace("</w:pPr>", `${outline}</w:pPr>`);
  return [
    `<w:style w:type="paragraph"${isNormal ? ' w:default="1"' : ""} w:styleId="${id}">`,
    element("name", { val: name }),
    isNormal ? "" : '<w:basedOn w:val="Normal"/>',
    level === undefined && id !== "Title" ? "" : '<w:next w:val="Normal"/>',
    `<w:qFormat/>${paragraph}${runProperties(look)}</w:style>`,
  ].join("");
}

const characterStyle = (id: string, name: string, properties: string): string =>
  `<w:style w:type="character" w:styleId="${id}">${element("name", { val: xmlText(name) })}<w:basedOn w:val="DefaultParagraphFont"/>${properties}</w:style>`;
