// Encodes page renderings as bytes, so that two documents can be rendered in parallel.
import { createHash } from "node:crypto";
import type { PageRendering } from "./document-rendering.ts";
import type { PagePixels } from "./page-distance.ts";

/** A stored rendering of a page. */
export interface StoredRendering extends Omit<PageRendering, "picture"> {
  /** Undefined if the raster did not fit into the memory limit; the page then has a digest. */
  readonly picture: PagePixels | undefined;
  readonly digest?: string;
}

/** The renderings of some pages of a document. */
export interface Renderings {
  readonly pageCount: number;
  /** The pages by index. */
  readonly pages: ReadonlyMap<number, StoredRendering>;
}

interface Header extends Pick<PageRendering, "width" | "height" | "dpi" | "text" | "unseen"> {
  readonly index: number;
  /** Pixels per row. */
  readonly columns: number;
  readonly rows: number;
  /** Digest of the samples if they are omitted. */
  readonly digest?: string;
  readonly characters: readonly (readonly [string, number])[];
}

/** Returns the header of a list of renderings. */
export const encodeCount = (pageCount: number): Uint8Array => record({ pageCount }, new Uint8Array(0));

/** @param withPicture true to include the raster; false for a digest, which can only show equality */
export function encodeRendering(index: number, look: PageRendering, withPicture: boolean): Uint8Array {
  const { width, height, dpi, picture, characters, text, unseen } = look;
  const { width: columns, height: rows, samples } = picture;
  const header: Header = { index, width, height, dpi, text, unseen, columns, rows, characters: [...characters] };
  return withPicture ? record(header, samples) : record({ ...header, digest: digestOf(picture) }, new Uint8Array(0));
}

export const digestOf = ({ width, height, samples }: PagePixels): string =>
  createHash("sha256").update(`${width} ${height} `).update(samples).digest("base64");

/** Returns a record: length of the header, header as JSON, samples. */
function record(header: object, samples: Uint8Array): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, samples]);
}

/** @param bytes the output of {@link encodeCount} and {@link encodeRendering} */
export function decodeRenderings(bytes: Uint8Array): Renderings {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const header = () => {
    const start = at + 4;
    at = start + data.readUInt32LE(at);
    return JSON.parse(data.toString("utf8", start, at));
  };
  const { pageCount } = header() as Pick<Renderings, "pageCount">;
  const pages = new Map<number, StoredRendering>();
  while (at < data.length) {
    const { index, columns, rows, characters, ...sizes } = header() as Header;
    const samples = sizes.digest === undefined ? data.subarray(at, at + columns * rows * 3) : undefined;
    at += samples?.length ?? 0;
    const picture = samples && { width: columns, height: rows, samples };
    pages.set(index, { ...sizes, picture, characters: new Map(characters) });
  }
  return { pageCount, pages };
}
