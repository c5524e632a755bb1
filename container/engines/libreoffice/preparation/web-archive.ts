// Converts a web archive (MHTML, RFC 2557), which programs also save as .doc and .xls, to an HTML page with embedded
// images. Office opens web archives, LibreOffice does not.

import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import { decoderOf, withoutEntities } from "./markup.ts";
import { type MimePart, type Multipart, readMime } from "./mime.ts";

/** Base URL of an archive without Content-Location (RFC 2557, 5). */
const NOWHERE = "thismessage:/";
/** Matches URLs in attributes and styles. */
const ADDRESS =
  /(\s(?:src|href|background|data|srcset|poster)\s*=\s*|\burl\(\s*)("[^"<>]{1,4096}"|'[^'<>]{1,4096}'|[^\s"'<>)]{1,4096})/gi;
/**
 * Matches the sheets of a workbook that Excel saved as HTML frames. Excel 2000 defined the elements; [MS-XLSX] does not
 * describe them.
 */
const SHEET = /<x:WorksheetSource\s[^<>]*HRef\s*=\s*["']?([^"'\s<>]{1,4096})/gi;
const FRAME = /<frame\s[^<>]*src\s*=\s*["']?([^"'\s<>]{1,4096})/gi;

/** Maximum number of characters that embedded images add to a page. A page can use one image many times. */
const MAX_PICTURE_CHARACTERS = 256 * 2 ** 20;
/** Maximum number of URLs in all pages. */
const MAX_ADDRESSES = 100_000;

/**
 * Returns HTML in UTF-8 with a matching `meta` charset.
 * @throws EngineFailure `unsupported` if the archive contains no HTML; `too-complex`; `too-large`
 */
export function pageOfArchive(bytes: Buffer): string {
  const archive = readMime(bytes);
  const root = rootOf(archive);
  if (!root) throw new EngineFailure("unsupported", "a web archive without HTML");
  return new Unpacking(archive.parts).page(root);
}

const isHtml = ({ type }: MimePart) => type === "text/html" || type === "application/xhtml+xml";

function rootOf({ start, parts }: Multipart): MimePart | undefined {
  return parts.find((part) => start !== undefined && part.id === start && isHtml(part)) ?? parts.find(isHtml);
}

class Unpacking {
  readonly #byAddress = new Map<string, MimePart>();
  readonly #pictures = new Map<MimePart, string>();
  #charactersLeft = MAX_PICTURE_CHARACTERS;
  #addressesLeft = MAX_ADDRESSES;

  constructor(parts: readonly MimePart[]) {
    for (const part of parts) {
      if (part.id !== undefined) this.#byAddress.set(`cid:${part.id}`, part);
      const location = part.location === undefined ? undefined : resolved(part.location, NOWHERE);
      if (location !== undefined && !this.#byAddress.has(location)) this.#byAddress.set(location, part);
    }
  }

  page(root: MimePart): string {
    const html = textOf(root);
    const frames = /<frameset\b/i.test(html) ? this.#frames(html, root) : [];
    const pages =
      frames.length === 0 ? [this.#linked(html, root)] : frames.map((frame) => this.#linked(textOf(frame), frame));
    return labelled(pages.join("\n"));
  }

  /** Returns the pages of a frameset: the sheets of a workbook, without the frame that shows the sheet tabs. */
  #frames(html: string, root: MimePart): MimePart[] {
    const [sheets, frames] = [SHEET, FRAME].map((pattern) =>
      [...html.matchAll(pattern)]
        .map(([, address]) => this.#partAt(address!, root))
        .filter((part) => part !== undefined),
    );
    return [...new Set((sheets!.length > 0 ? sheets! : frames!).filter((part) => isHtml(part) && part !== root))];
  }

  /** Replaces image URLs by data URLs. */
  #linked(html: string, page: MimePart): string {
    const pieces: string[] = [];
    let at = 0;
    for (const { 0: whole, 1: before = "", 2: value = "", index } of html.matchAll(ADDRESS)) {
      if (this.#addressesLeft-- === 0) throw new EngineFailure("too-complex", `more than ${MAX_ADDRESSES} addresses`);
      const quote = /^["']/.exec(value)?.[0] ?? "";
      const part = this.#partAt(value.slice(quote.length, value.length - quote.length), page);
      if (!part?.type.startsWith("image/")) continue;
      pieces.push(html.slice(at, index), before, quote, this.#dataOf(part), quote);
      at = index + whole.length;
    }
    return pieces.join("") + html.slice(at);
  }

  #partAt(address: string, page: MimePart): MimePart | undefined {
    const plain = withoutEntities(address).trim();
    if (plain.startsWith("#")) return undefined;
    if (/^cid:/i.test(plain)) return this.#byAddress.get(`cid:${unescaped(plain.slice(4))}`);
    const base = page.location === undefined ? undefined : resolved(page.location, NOWHERE);
    return this.#byAddress.get(resolved(plain, base ?? NOWHERE) ?? "");
  }

  /** Returns an image as a data URL (RFC 2397). */
  #dataOf(part: MimePart): string {
    const data = this.#pictures.get(part) ?? `data:${part.type};base64,${part.content().toString("base64")}`;
    this.#pictures.set(part, data);
    this.#charactersLeft -= data.length;
    if (this.#charactersLeft < 0) throw new EngineFailure("too-large", "the pictures of a web archive");
    return data;
  }
}

function resolved(address: string, base: string): string | undefined {
  return URL.canParse(address, base) ? new URL(address, base).href : undefined;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const textOf = (part: MimePart): string => htmlText(part.content(), part.charset);

/**
 * Decodes a page by its MIME charset, else by the encoding that the page declares, else as UTF-8 or Windows-1252.
 * @param charset of the page's MIME part, if any
 */
export function htmlText(content: Buffer, charset?: string): string {
  const named = charset ?? /<meta[^<>]*charset\s*=\s*["']?([\w.:-]+)/i.exec(content.toString("latin1", 0, 4096))?.[1];
  if (named !== undefined) return decoderOf(named)(content);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

/** Returns HTML whose only declared encoding is UTF-8. */
export function labelled(html: string): string {
  const unlabelled = html
    .replace(/<meta\s[^<>]*>/gi, (tag) => (/charset/i.test(tag) ? "" : tag))
    .replace(/^\s*<\?xml[^<>]*\?>/, "");
  const label = '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">';
  const head = /<head(?:\s[^<>]*)?>/i.exec(unlabelled);
  const at = head ? head.index + head[0].length : 0;
  return `${unlabelled.slice(0, at)}${label}${unlabelled.slice(at)}`;
}
