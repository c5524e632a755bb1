// Writes a workbook (ECMA-376) sheet by sheet, so that any number of rows fits into memory.
import { writeArchive } from "../zip/archive.ts";
import { type EntryWriter, writeSmall, writeStream } from "../zip/entries.ts";
import { type Sheet, sheetXml } from "./sheet.ts";
import { Styles } from "./styles.ts";
import { xmlText } from "./xml-text.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Sheets are what all parts without a type of their own are, so that their number need not be known at the start. */
const CONTENT_TYPES =
  `${HEAD}<Types xmlns="${PACKAGE}/content-types">` +
  `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`;

const relationships = (targets: readonly (readonly [type: string, target: string])[]): string => {
  const all = targets.map(([type, target], at) => {
    const id = `rId${at + 1}`;
    return `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
  });
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
};

/** Yields the chunks of a workbook. @param sheets each is requested after the rows of the one before were written */
export const writeWorkbook = (sheets: AsyncIterable<Sheet>): AsyncGenerator<Uint8Array> =>
  writeArchive(entriesOf(sheets, new Date()));

async function* entriesOf(sheets: AsyncIterable<Sheet>, modified: Date): AsyncGenerator<EntryWriter> {
  const encoder = new TextEncoder();
  const small = (name: string, text: string) => writeSmall(encoder.encode(text), { name, modified });
  const styles = new Styles();
  const written: Sheet[] = [];
  yield small("[Content_Types].xml", CONTENT_TYPES);
  yield small("_rels/.rels", relationships([["officeDocument", "xl/workbook.xml"]]));
  for await (const sheet of sheets) {
    written.push(sheet);
    const chunks = sheetXml(sheet, styles);
    const { value: start = new Uint8Array() } = await chunks.next();
    yield writeStream(start, chunks, { name: `xl/worksheets/sheet${written.length}.xml`, modified });
  }
  const entries = written.map(
    (sheet, at) => `<sheet name="${xmlText(sheet.name())}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  yield small(
    "xl/workbook.xml",
    `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets>${entries.join("")}</sheets></workbook>`,
  );
  const sheetParts = written.map((_, at) => ["worksheet", `worksheets/sheet${at + 1}.xml`] as const);
  yield small("xl/_rels/workbook.xml.rels", relationships([...sheetParts, ["styles", "styles.xml"]]));
  yield small("xl/styles.xml", styles.xml());
}
