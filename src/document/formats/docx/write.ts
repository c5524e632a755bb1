// Writes a Word document (ECMA-376), whose text is written while it is read.
import { writeArchive } from "../zip/archive.ts";
import { type EntryWriter, writeSmall, writeStream } from "../zip/entries.ts";
import { MAIN } from "./styles.ts";
import { HEAD, xmlText } from "./xml-text.ts";

const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing";
const TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml";
export const NAMESPACES = `xmlns:w="${MAIN}" xmlns:r="${DOCUMENT}" xmlns:wp="${DRAWING}"`;
const FLUSH_CHARACTERS = 2 ** 16;

/** A part beside the text. */
export interface WordPart {
  readonly id: string;
  readonly type: "header" | "footer" | "footnotes" | "styles" | "numbering" | "settings" | "fontTable";
  /** Name of the file without extension. */
  readonly name: string;
  readonly xml: string;
}

/** Bytes of a picture. */
export interface WordImage {
  readonly id: string;
  readonly extension: "png" | "jpg";
  readonly bytes: Uint8Array;
}

export interface WordContents {
  /** Yields paragraphs, tables, and at the end the properties of the last section. */
  body(): AsyncIterable<string>;
  /** Yields the pictures. Called after the body ended. */
  images(): AsyncIterable<WordImage>;
  /** Returns the other parts. Called after the body ended. */
  parts(): readonly WordPart[];
  /** Returns the addresses of links by their identifiers. Called after the body ended. */
  links(): Iterable<readonly [id: string, address: string]>;
}

/** Yields the chunks of a document. */
export const writeWord = (contents: WordContents): AsyncGenerator<Uint8Array> =>
  writeArchive(entriesOf(contents, new Date()));

async function* entriesOf(contents: WordContents, modified: Date): AsyncGenerator<EntryWriter> {
  const encoder = new TextEncoder();
  const small = (name: string, text: string) => writeSmall(encoder.encode(text), { name, modified });
  yield small("_rels/.rels", relationships([relationship("rId1", "officeDocument", "word/document.xml")]));
  const chunks = encoded(contents.body());
  const { value: start = new Uint8Array() } = await chunks.next();
  yield writeStream(start, chunks, { name: "word/document.xml", modified });
  const related: string[] = [];
  for await (const { id, extension, bytes } of contents.images()) {
    related.push(relationship(id, "image", `media/${id}.${extension}`));
    yield writeSmall(bytes, { name: `word/media/${id}.${extension}`, modified });
  }
  const links = Array.from(contents.links(), ([id, address]) => relationship(id, "hyperlink", address, true));
  const parts = contents.parts();
  for (const { id, type, name, xml } of parts) {
    related.push(relationship(id, type, `${name}.xml`));
    yield small(`word/${name}.xml`, xml);
    if (type === "footnotes" && links.length > 0) yield small(`word/_rels/${name}.xml.rels`, relationships(links));
  }
  yield small("word/_rels/document.xml.rels", relationships([...related, ...links]));
  yield small("[Content_Types].xml", contentTypes(parts));
}

async function* encoded(body: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = `${HEAD}<w:document ${NAMESPACES}><w:body>`;
  for await (const some of body) {
    text += some;
    if (text.length < FLUSH_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(`${text}</w:body></w:document>`);
}

function relationship(id: string, type: string, target: string, isExternal = false): string {
  const mode = isExternal ? ' TargetMode="External"' : "";
  return `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${xmlText(target)}"${mode}/>`;
}

const relationships = (all: readonly string[]): string =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;

function contentTypes(parts: readonly WordPart[]): string {
  const override = (name: string, type: string) =>
    `<Override PartName="/word/${name}.xml" ContentType="${TYPE}.${type}+xml"/>`;
  return [
    `${HEAD}<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    '<Default Extension="png" ContentType="image/png"/><Default Extension="jpg" ContentType="image/jpeg"/>',
    override("document", "document.main"),
    ...parts.map(({ name, type }) => override(name, type)),
    "</Types>",
  ].join("");
}
