// Extracts documents of other formats that Word embeds in a .docx (altChunk, ISO 29500-1, 17.17.2) and that LibreOffice
// ignores. Replaces each one by a bookmark, at which zygote/corrections/chunks.cpp inserts it.

import { posix } from "node:path";
import { behindComments } from "../../../../src/document/contract/media-type.ts";
import { isHtmlPart, isWebArchive } from "../../../../src/document/formats/text-formats.ts";
import { isFlatOpc, partsOfFlatOpc } from "./flat-opc.ts";
import { attributeOf, startTags, withoutEntities, xmlBytes, xmlText } from "./markup.ts";
import { htmlText, labelled, pageOfArchive } from "./web-archive.ts";
import type { NewPart, ZipFile, ZipPart } from "./zip-file.ts";

/** A chunk as a file. Its name is also the name of its bookmark; the extension determines the format. */
export type ChunkFile = { readonly name: string } & (
  | { readonly content: Uint8Array | string }
  | { readonly parts: Iterable<NewPart> }
);

export interface Chunks {
  /** Changed parts of the package, by their original names. */
  readonly changed: ReadonlyMap<string, Buffer>;
  /** Files to insert, in document order. */
  readonly inserted: readonly ChunkFile[];
  /** Number of chunks that cannot be inserted, for example because of their format. */
  readonly left: number;
}

const MAX_CHUNKS = 500;
const RELATIONS = /^(.*?)_rels\/([^/]+)\.rels$/;
const CHUNK_TYPE = /\/aFChunk$/;
/**
 * Matches an altChunk element. The pattern allows only a few tags inside, to limit the search after an unclosed start
 * tag.
 */
const ELEMENT =
  /<((?:[\w.-]{1,64}:)?)altChunk(?=[\s/>])[^<>]*?(?:\/>|>[^<]{0,99}(?:<[^<>]{0,300}>[^<]{0,99}){0,6}?<\/\1altChunk\s*>)/g;

const mayHave = (content: Buffer) => content.includes("aFChunk");

/** Reports whether a package might have chunks, without reading its relationships. */
export const mayHaveChunks = (relations: ReadonlyMap<string, Buffer>): boolean => [...relations.values()].some(mayHave);

/** @returns undefined if the package has no chunks, the usual case */
export async function chunksOf(zip: ZipFile, relations: ReadonlyMap<string, Buffer>): Promise<Chunks | undefined> {
  const taking = new Taking(zip);
  for (const [name, content] of relations) {
    const [, folder, source] = RELATIONS.exec(name) ?? [];
    const targets = folder === undefined || !mayHave(content) ? new Map() : targetsIn(content, folder);
    if (targets.size > 0) await taking.takeFrom(`${folder}${source}`, targets);
  }
  return taking.changed.size > 0 ? taking : undefined;
}

/** Returns the names of the parts that are chunks, by relationship ID. */
function targetsIn(content: Buffer, folder: string): Map<string, string> {
  const chunks = [...xmlText(content).matchAll(startTags("Relationship"))]
    .map(([tag]) => tag)
    .filter((tag) => CHUNK_TYPE.test(attributeOf(tag, "Type") ?? ""));
  const target = (tag: string) => withoutEntities(attributeOf(tag, "Target") ?? "");
  return new Map(
    chunks.map((tag) => [attributeOf(tag, "Id") ?? "", posix.resolve(`/${folder}`, target(tag)).slice(1)]),
  );
}

class Taking implements Chunks {
  readonly changed = new Map<string, Buffer>();
  readonly inserted: ChunkFile[] = [];
  left = 0;
  readonly #zip: ZipFile;
  readonly #parts: ReadonlyMap<string, ZipPart>;

  constructor(zip: ZipFile) {
    this.#zip = zip;
    this.#parts = new Map(zip.parts.map((part) => [part.name, part]));
  }

  async takeFrom(source: string, targets: ReadonlyMap<string, string>): Promise<void> {
    const content = await this.#contentOf(source);
    if (content === undefined) return;
    const text = xmlText(content);
    let changed = "";
    let at = 0;
    for (const { 0: element, 1: prefix = "", index } of text.matchAll(ELEMENT)) {
      const name = await this.#take(targets.get(attributeOf(element, "id") ?? ""));
      changed += text.slice(at, index) + (name === undefined ? "" : bookmark(prefix, name, this.inserted.length));
      at = index + element.length;
    }
    if (at === 0) return;
    this.changed.set(source, xmlBytes(changed + text.slice(at)));
  }

  /** @returns the name of the chunk's file, or undefined if it cannot be inserted */
  async #take(target: string | undefined): Promise<string | undefined> {
    const number = this.inserted.length + 1;
    const content = number > MAX_CHUNKS || target === undefined ? undefined : await this.#contentOf(target);
    const file = content && this.#fileOf(`chunk-${number}`, target!, content);
    if (file) this.inserted.push(file);
    else this.left++;
    return file?.name;
  }

  #fileOf(name: string, target: string, content: Buffer): ChunkFile | undefined {
    const start = content.subarray(0, 4096);
    const text = start
      .toString("latin1")
      .replace(/^\xef\xbb\xbf/, "")
      .trimStart();
    if (text.startsWith("PK\x03\x04")) return { name: `${name}.docx`, content };
    if (text.startsWith("{\\rtf")) return { name: `${name}.rtf`, content };
    if (isFlatOpc(start)) return { name: `${name}.docx`, parts: partsOfFlatOpc(content) };
    if (isWebArchive(text)) return { name: `${name}.html`, content: pageOfArchive(content) };
    const isHtml = isHtmlPart(behindComments(text)) || /^<[\s\S]*?<html[\s>]/i.test(text);
    if (isHtml || /\.x?html?$/i.test(target)) {
      return { name: `${name}.html`, content: labelled(htmlText(content)) };
    }
    return /\.txt$/i.test(target) ? { name: `${name}.txt`, content: `\ufeff${htmlText(content)}` } : undefined;
  }

  async #contentOf(name: string): Promise<Buffer | undefined> {
    const part = this.#parts.get(name);
    return part && part.bytes <= MAX_BYTES ? this.#zip.content(part) : undefined;
  }
}

/** Maximum size of a part that is read. */
const MAX_BYTES = 64 * 2 ** 20;
/** First ID of new bookmarks. High, because IDs must differ from those of the document's bookmarks. */
const FIRST_NUMBER = 1_900_000_000;

/** Returns a paragraph with a bookmark around a zero-width space. LibreOffice would drop an empty last paragraph. */
function bookmark(w: string, name: string, number: number): string {
  const id = `${w}id="${FIRST_NUMBER + number}"`;
  const run = `<${w}r><${w}t>\u200b</${w}t></${w}r>`;
  return `<${w}p><${w}bookmarkStart ${id} ${w}name="${name}"/>${run}<${w}bookmarkEnd ${id}/></${w}p>`;
}
