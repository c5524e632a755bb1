// Creates the sample Word document: an invitation with a heading, a list and a table.
import { strToU8, zipSync } from "fflate";

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml";

const FILES: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${WORD}.styles+xml"/></Types>`,
  "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
  "word/_rels/document.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  "word/styles.xml": `<w:styles ${NAMESPACE}><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Georgia" w:hAnsi="Georgia"/><w:sz w:val="23"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="300" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>${style("Title", 64, "9C3D1F")}${style("Heading1", 32, "46525C")}</w:styles>`,
  "word/document.xml": `<w:document ${NAMESPACE}><w:body>${body()}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1700" w:right="1500" w:bottom="1500" w:left="1500" w:header="700" w:footer="700" w:gutter="0"/></w:sectPr></w:body></w:document>`,
};

export function sampleDocx(): Uint8Array {
  const entries = Object.entries(FILES).map(([path, xml]) => [path, strToU8(HEAD + xml)] as const);
  // A fixed date, so that every build produces the same bytes.
  return zipSync(Object.fromEntries(entries), { mtime: new Date(2026, 0, 1), level: 9 });
}

function style(id: string, halfPoints: number, color: string): string {
  return `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:pPr><w:keepNext/><w:spacing w:before="240" w:after="120"/></w:pPr><w:rPr><w:b/><w:color w:val="${color}"/><w:sz w:val="${halfPoints}"/></w:rPr></w:style>`;
}

function body(): string {
  return [
    paragraph("You are invited", "Title"),
    paragraph(
      "On the last Saturday of May we open the old boathouse again. There will be bread from the wood oven, a very small orchestra, and a walk along the shore for those who would rather be outside.",
    ),
    paragraph("The afternoon", "Heading1"),
    table([
      ["Time", "What", "Where"],
      ["2 pm", "Coffee and introductions", "Boathouse"],
      ["3 pm", "Walk to the lighthouse and back", "Meet at the pier"],
      ["5 pm", "Music", "Boathouse"],
      ["7 pm", "Supper", "Long table by the water"],
    ]),
    paragraph("Please bring", "Heading1"),
    ...[
      "a warm sweater, because the wind turns in the evening",
      "one chair for each person",
      "a story about a boat",
    ].map((item) => paragraph(`–  ${item}`)),
    paragraph("Children and dogs are welcome. If it rains we will be wet together."),
  ].join("");
}

function paragraph(text: string, styleId?: string): string {
  const style = styleId ? `<w:pPr><w:pStyle w:val="${styleId}"/></w:pPr>` : "";
  return `<w:p>${style}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

function table(rows: readonly (readonly string[])[]): string {
  const line = '<w:bottom w:val="single" w:sz="4" w:color="D9C7A0"/>';
  const cells = (row: readonly string[], index: number) =>
    row
      .map((text) => {
        const run = index === 0 ? "<w:rPr><w:b/></w:rPr>" : "";
        return `<w:tc><w:tcPr><w:tcW w:w="2968" w:type="dxa"/><w:tcBorders>${line}</w:tcBorders></w:tcPr><w:p><w:r>${run}<w:t>${text}</w:t></w:r></w:p></w:tc>`;
      })
      .join("");
  return `<w:tbl><w:tblPr><w:tblW w:w="8906" w:type="dxa"/></w:tblPr>${rows.map((row, index) => `<w:tr>${cells(row, index)}</w:tr>`).join("")}</w:tbl><w:p/>`;
}
