// Tests that content hidden by its author is not in the PDF.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { docx, flatOpenDocument, paragraph } from "../../../../test/fixtures/office.ts";
import { repacked } from "../../../../test/fixtures/office-forms.ts";
import { oneRow, type Sheet, workbook } from "../../../../test/fixtures/workbooks.ts";
import { convert, documents, openOffices, save, zygote } from "../../../../test/support/libreoffice.ts";
import { SOFFICE } from "../profile.ts";

openOffices();

const shown: Sheet = { name: "Shown", content: oneRow("SHOWN") };
const hidden: Sheet = { name: "Hidden", content: oneRow("SECRET"), state: "hidden", printArea: "$A$1:$C$3" };
const very: Sheet = { ...hidden, name: "Very", state: "veryHidden" };

async function expectNoSecret(content: Uint8Array | string, extension: string): Promise<void> {
  const { text, bytes } = await convert(zygote, await save(content, extension), { tagged: true });
  expect(text).toContain("SHOWN");
  expect(text).not.toContain("SECRET");
  // Bookmarks and descriptions are strings outside streams, as UTF-16 in hexadecimal digits.
  expect(bytes.toString("latin1")).not.toContain(
    Buffer.from("SECRET", "utf16le").swap16().toString("hex").toUpperCase(),
  );
}

describe("a hidden sheet", () => {
  test.each<[string, Sheet[], number?]>([
    ["with a print area", [shown, hidden, very]],
    ["with the only print area", [{ ...hidden, name: "H" }, shown], 1],
    ["beside another print area", [{ ...shown, printArea: "$A$1:$B$2" }, hidden]],
    ["with two print areas", [shown, { ...hidden, printArea: "$A$1:$B$2,'Hidden'!$A$1:$C$1" }]],
    ["that is the active one", [hidden, shown]],
    ["that is the active one, and very hidden", [shown, very], 1],
    [
      "that is the active one, without a print area",
      [shown, { name: "H", content: hidden.content, state: "hidden" }],
      1,
    ],
  ])("%s", async (_, sheets, activeTab) => {
    await expectNoSecret(workbook(sheets, activeTab), "xlsx");
  });

  test("of a binary workbook", async () => {
    const path = await save(workbook([shown, hidden, very], 0), "xlsx");
    const profile = `-env:UserInstallation=file://${documents}/profile`;
    execFileSync(SOFFICE, [profile, "--headless", "--convert-to", "xls", "--outdir", documents, path], {
      stdio: "ignore",
    });
    await expectNoSecret(await readFile(path.replace(/xlsx$/, "xls")), "xls");
  });

  test("of an OpenDocument sheet, and a scenario", async () => {
    const table = (name: string, text: string, more = "", style = "") =>
      `<table:table table:name="${name}"${style} table:print-ranges="${name}.A1:${name}.B2">${more}<table:table-row><table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell></table:table-row></table:table>`;
    const style =
      '<office:automatic-styles><style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles>';
    const scenario = '<table:scenario table:scenario-ranges="A.A1:A.A2" table:is-active="false"/>';
    const tables = [
      table("A", "SHOWN"),
      table("B", "SECRET", "", ' table:style-name="h"'),
      table("C", "SECRET", scenario),
    ];
    const content = `${style}<office:body><office:spreadsheet>${tables.join("")}</office:spreadsheet></office:body>`;
    await expectNoSecret(flatOpenDocument("spreadsheet", content), "fods");
  });
});

const vanish = (text: string, properties = "") =>
  `<w:p>${properties}<w:r><w:rPr><w:vanish/></w:rPr><w:t>${text}</w:t></w:r></w:p>`;
const hiddenBox = `<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><mc:Choice Requires="wps"><w:drawing><wp:anchor simplePos="0" relativeHeight="2" behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1" distT="0" distB="0" distL="0" distR="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset></wp:positionV><wp:extent cx="1914400" cy="514400"/><wp:wrapNone/><wp:docPr id="7" name="box" descr="SECRET" hidden="1"/><a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1914400" cy="514400"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>${paragraph("SECRET")}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>`;

const block = (content: string) =>
  `<w:sdt><w:sdtPr><w:id w:val="5"/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;

test.each([
  ["hidden text", vanish("SECRET")],
  ["a hidden heading", vanish("SECRET", '<w:pPr><w:pStyle w:val="Heading1"/><w:rPr><w:vanish/></w:rPr></w:pPr>')],
  ["a hidden shape with a text", hiddenBox],
  ["hidden text beside other text in a content control", block(paragraph("x") + vanish("SECRET") + paragraph("y"))],
])("%s of a text document", async (_, body) => {
  await expectNoSecret(docx({ body: paragraph("SHOWN") + body + paragraph("end") }), "docx");
});

const hiddenRun = (content: string, properties = "<w:vanish/>") =>
  `<w:p><w:r><w:rPr>${properties}</w:rPr>${content}</w:r></w:p>`;
const vml = (text: string, style = "") =>
  `<w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" id="s" style="position:absolute;width:150pt;height:40pt${style}" path="m,l,21600r21600,l21600,xe"><v:textbox><w:txbxContent>${paragraph(text)}</w:txbxContent></v:textbox></v:shape></w:pict>`;
const inlineBox = hiddenBox
  .replace(/<wp:anchor[^>]*>.*?(?=<wp:extent)/, "<wp:inline>")
  .replace("<wp:wrapNone/>", "")
  .replace("</wp:anchor>", "</wp:inline>");
const boxRun = /<mc:AlternateContent.*<\/mc:AlternateContent>/s.exec(hiddenBox)![0].replace(' hidden="1"', "");
const styles = (file: Uint8Array) =>
  repacked(file, (parts) => ({
    ...parts,
    "word/styles.xml": Buffer.from(parts["word/styles.xml"]!)
      .toString()
      .replace(
        "</w:styles>",
        '<w:style w:type="character" w:styleId="Base"><w:name w:val="Base"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:basedOn w:val="Base"/></w:style></w:styles>',
      ),
  }));

describe("LibreOffice would print", () => {
  test.each([
    ["hidden text alone in a content control", block(vanish("SECRET"))],
    [
      "hidden text in a content control that repeats a namespace",
      block(vanish("SECRET")).replace(
        "<w:sdt>",
        '<w:sdt xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">',
      ),
    ],
    ["hidden text in nested content controls", block(block(vanish("SECRET")))],
    [
      "hidden text beside other text of a paragraph in a content control",
      block(vanish("SECRET").replace("</w:p>", "<w:r><w:t>also SHOWN</w:t></w:r></w:p>")),
    ],
    [
      "hidden text in a content control in a cell",
      `<w:tbl><w:tr><w:tc>${block(vanish("SECRET"))}</w:tc></w:tr></w:tbl>`,
    ],
    [
      "text with a hidden character style in a content control",
      block(`<w:p><w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>SECRET</w:t></w:r></w:p>`),
    ],
    ["a VML text box in a run with a hidden style", hiddenRun(vml("SECRET"), '<w:rStyle w:val="Secret"/>')],
    [
      "hidden text in a content control around a cell",
      `<w:tbl><w:tr>${block(`<w:tc>${vanish("SECRET")}</w:tc>`)}<w:tc>${paragraph("x")}</w:tc></w:tr></w:tbl>`,
    ],
    [
      "hidden text in a content control in a text box",
      `<w:p><w:r>${boxRun.replace(paragraph("SECRET"), block(vanish("SECRET"))).replace('descr="SECRET"', "")}</w:r></w:p>`,
    ],
    [
      "the hidden choice of a content control",
      block(vanish("SECRET")).replace(
        "<w:id ",
        '<w:dropDownList><w:listItem w:value="SECRET" w:displayText="SECRET"/></w:dropDownList><w:id ',
      ),
    ],
    [
      "a VML text box in a hidden run with alternatives",
      `<w:p><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps"><w:r><w:rPr><w:vanish/></w:rPr>${vml("SECRET")}</w:r></mc:Choice></mc:AlternateContent></w:p>`,
    ],
    ["a VML text box with hidden visibility", `<w:p><w:r>${vml("SECRET", ";visibility:hidden")}</w:r></w:p>`],
    ["a VML text box in a hidden run", hiddenRun(vml("SECRET"))],
    ["a text box in a hidden run", hiddenRun(boxRun)],
    ["an inline text box that is hidden", inlineBox],
  ])("%s", async (_, body) => {
    await expectNoSecret(styles(docx({ body: paragraph("SHOWN") + body + paragraph("end") })), "docx");
  });

  test("nothing else is lost beside hidden content", async () => {
    const body = [
      block(vanish("SECRET") + paragraph("one")),
      block(vanish("SECRET").replace("</w:p>", "<w:r><w:t>two</w:t></w:r></w:p>")),
      block(paragraph("three")),
      block(`${vanish("x")}<n:p/>${paragraph("eight")}`).replace("<w:sdt>", '<w:sdt xmlns:n="urn:own">'),
      hiddenRun(vml("four"), '<w:vanish w:val="0"/>'),
      `<w:p><w:r>${vml("five", ";visibility:visible")}</w:r></w:p>`,
      `<w:p><w:r>${boxRun.replace("SECRET", "six").replace("SECRET", "six")}</w:r></w:p>`,
      "<!-- <w:p> --><w:p><w:r><w:t><![CDATA[seven</w:t>]]></w:t></w:r></w:p>",
    ];
    const { text } = await convert(zygote, await save(docx({ body: body.join("") }), "docx"));
    expect(text).not.toContain("SECRET");
    for (const word of ["one", "two", "three", "four", "five", "six", "seven</w:t>", "eight"])
      expect(text).toContain(word);
  });
});

test("hidden layers, hidden objects, notes and hidden slides of a presentation", async () => {
  const box = (layer: string, text: string, more = "") =>
    `<draw:frame draw:layer="${layer}"${more} svg:width="9cm" svg:height="2cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
  const style =
    '<office:automatic-styles><style:style style:name="not" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>';
  const layers =
    '<draw:layer-set><draw:layer draw:name="layout"/><draw:layer draw:name="off" draw:display="none"/></draw:layer-set>';
  const first = `<draw:page draw:name="One">${box("layout", "SHOWN")}${box("off", "SECRET")}${box("layout", "SECRET", ' draw:display="none"')}<presentation:notes>${box("layout", "SECRET")}</presentation:notes></draw:page>`;
  const second = `<draw:page draw:name="SECRET" draw:style-name="not">${box("layout", "SECRET")}</draw:page>`;
  const content = `${style}<office:master-styles>${layers}</office:master-styles><office:body><office:presentation>${first}${second}</office:presentation></office:body>`;
  await expectNoSecret(flatOpenDocument("presentation", content), "fodp");
});

test("hidden sections of a text", async () => {
  const content = `<office:body><office:text><text:p>SHOWN</text:p><text:section text:name="s" text:display="none"><text:h text:outline-level="1">SECRET</text:h></text:section><text:p>end</text:p></office:text></office:body>`;
  await expectNoSecret(flatOpenDocument("text", content), "fodt");
});

test.each([
  [
    "a shape for screens",
    '<text:p><draw:custom-shape draw:name="f" draw:display="screen" text:anchor-type="paragraph" svg:width="5cm" svg:height="2cm"><text:p>SECRET</text:p></draw:custom-shape></text:p>',
  ],
  ["an annotation", "<text:p>x<office:annotation><text:p>SECRET</text:p></office:annotation></text:p>"],
])("%s of an OpenDocument text", async (_, body) => {
  const content = `<office:body><office:text><text:p>SHOWN</text:p>${body}<text:p>end</text:p></office:text></office:body>`;
  await expectNoSecret(flatOpenDocument("text", content), "fodt");
});

test.each([
  [
    "an object for screens",
    '<draw:custom-shape draw:name="f" draw:display="screen" svg:x="1cm" svg:y="3cm" svg:width="5cm" svg:height="2cm"><text:p>SECRET</text:p></draw:custom-shape>',
    "",
  ],
  [
    "an object that is not displayed",
    '<draw:custom-shape draw:name="f" draw:display="none" svg:x="1cm" svg:y="3cm" svg:width="5cm" svg:height="2cm"><text:p>SECRET</text:p></draw:custom-shape>',
    "",
  ],
  ["a comment", "", "<office:annotation><text:p>SECRET</text:p></office:annotation>"],
])("%s of an OpenDocument sheet", async (_, shape, within) => {
  const content = `<office:body><office:spreadsheet><table:table table:name="A"><table:shapes>${shape}</table:shapes><table:table-row><table:table-cell office:value-type="string">${within}<text:p>SHOWN</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>`;
  await expectNoSecret(flatOpenDocument("spreadsheet", content), "fods");
});

const drawing = (...anchors: readonly string[]) =>
  `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">${anchors.join("")}</xdr:wsDr>`;
const anchored = (row: number, text: string, data: string, properties = "") =>
  `<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:to><xdr:col>4</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row + 2}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to><xdr:sp><xdr:nvSpPr><xdr:cNvPr id="${row}" name="Same"${properties}/><xdr:cNvSpPr/></xdr:nvSpPr><xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="400000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr><xdr:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:clientData${data}/></xdr:twoCellAnchor>`;

test("objects of a workbook that are hidden, or not printed", async () => {
  const anchors = [
    anchored(3, "SECRET", ' fPrintsWithSheet="0"'),
    anchored(7, "PRINTED", ""),
    anchored(11, "SECRET", "", ' hidden="1"'),
    anchored(15, "SECRET", ' fPrintsWithSheet="false"'),
    anchored(19, "ALSO", ' fPrintsWithSheet="1"'),
  ];
  const sheet: Sheet = { ...shown, content: `${shown.content}<drawing r:id="d"/>`, drawing: drawing(...anchors) };
  const path = await save(workbook([sheet, { ...sheet, name: "B" }]), "xlsx");
  const { text } = await convert(zygote, path);
  expect(text.match(/PRINTED|ALSO|SECRET/g)).toEqual(["PRINTED", "ALSO", "PRINTED", "ALSO"]);
});
