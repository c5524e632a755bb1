// Looks of pages as bytes, so that those of one document can be made while another is. Knows no PDF.
import { createHash } from "node:crypto";
import type { PageLook } from "./document-look.ts";
import type { Picture } from "./page-look.ts";

/** A page that was seen. */
export interface SeenPage extends Omit<PageLook, "picture"> {
  /** Undefined where there was no room for it: then it has a digest. */
  readonly picture: Picture | undefined;
  readonly digest?: string;
}

/** What was seen of a document: of some of its pages. */
export interface Looks {
  readonly pageCount: number;
  /** By index. */
  readonly pages: ReadonlyMap<number, SeenPage>;
}

interface Header extends Pick<PageLook, "width" | "height" | "dpi"> {
  readonly index: number;
  /** Pixels. */
  readonly columns: number;
  readonly rows: number;
  /** Where its samples are left out. */
  readonly digest?: string;
  readonly characters: readonly (readonly [string, number])[];
}

/** The beginning of a list of looks. */
export const encodeCount = (pageCount: number): Uint8Array => record({ pageCount }, new Uint8Array(0));

/** @param withPicture or with what tells only whether another one is the same */
export function encodeLook(index: number, look: PageLook, withPicture: boolean): Uint8Array {
  const { width, height, dpi, picture, characters } = look;
  const { width: columns, height: rows, samples } = picture;
  const header: Header = { index, width, height, dpi, columns, rows, characters: [...characters] };
  return withPicture ? record(header, samples) : record({ ...header, digest: digestOf(picture) }, new Uint8Array(0));
}

export const digestOf = ({ width, height, samples }: Picture): string =>
  createHash("sha256").update(`${width} ${height} `).update(samples).digest("base64");

/** Length of the header, the header in JSON, samples. */
function record(header: object, samples: Uint8Array): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, samples]);
}

/** @param bytes nothing but what {@link encodeCount} and {@link encodeLook} made */
export function decodeLooks(bytes: Uint8Array): Looks {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const header = () => {
    const start = at + 4;
    at = start + data.readUInt32LE(at);
    return JSON.parse(data.toString("utf8", start, at));
  };
  const { pageCount } = header() as Pick<Looks, "pageCount">;
  const pages = new Map<number, SeenPage>();
  while (at < data.length) {
    const { index, columns, rows, characters, ...sizes } = header() as Header;
    const samples = sizes.digest === undefined ? data.subarray(at, at + columns * rows * 3) : undefined;
    at += samples?.length ?? 0;
    const picture = samples && { width: columns, height: rows, samples };
    pages.set(index, { ...sizes, picture, characters: new Map(characters) });
  }
  return { pageCount, pages };
}
