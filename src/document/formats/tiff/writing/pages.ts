// Encodes several rasters as the pages of one TIFF. All directories follow the last page, because a directory names the
// position of the next one.
import type { Raster } from "../../../contract/raster.ts";
import { TiffEncoder } from "../write.ts";
import { directory, type Field, fileHeader, headerBytes, LONG, SHORT } from "./directory.ts";

/** Value of NewSubfileType (section 8): a page of several. */
const PAGE_OF_SEVERAL = 2;
const [NEW_SUBFILE_TYPE, PAGE_NUMBER, ICC_PROFILE] = [254, 297, 34675];
/** Offsets of classic TIFF have 32 bits. */
const CLASSIC_BYTES = 2 ** 32;
/** PageNumber has 16 bits. */
const MAX_NUMBERED = 65_535;

export interface TiffPages {
  /**
   * The whole file, except that the header is empty. Chunks are valid until the next one is requested.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Returns the final header. @throws Error before `body` has ended */
  head(): Uint8Array;
}

/**
 * Encodes pages, each as a TIFF of one page is encoded. Writes BigTIFF if the file exceeds 4 GiB.
 * @param pages each is read before the next one is requested
 * @param total number of pages
 */
export function encodeTiffPages(pages: AsyncIterable<Raster>, total: number): TiffPages {
  let header: Uint8Array | undefined;
  return {
    head: () => {
      if (!header) throw new Error("the body has not ended");
      return header;
    },
    body: (async function* () {
      // Space for the header of either kind.
      const space = headerBytes(true);
      yield new Uint8Array(space);
      const directories = new Directories(total);
      let offset = space;
      for await (const page of pages) {
        const encoder = new TiffEncoder(page, offset);
        try {
          for (const { samples } of page.bands("top-down")) yield* encoder.add(samples);
          directories.add(encoder.fields());
          offset = encoder.offset;
        } finally {
          encoder.release();
        }
      }
      const isBig = offset + directories.maxBytes >= CLASSIC_BYTES;
      const { first, chunks } = directories.written(isBig, offset);
      yield* chunks;
      header = fileHeader(isBig, first);
    })(),
  };
}

class Directories {
  readonly #total: number;
  readonly #pages: Field[][] = [];
  /** The profile of all pages, which is in the file once. */
  #profile: ArrayLike<number> = [];
  #directoryBytes = 0;

  constructor(total: number) {
    this.#total = total;
  }

  add(fields: readonly Field[]): void {
    const number = this.#pages.length;
    const isNumbered = this.#total <= MAX_NUMBERED;
    const numbering = isNumbered ? [{ tag: PAGE_NUMBER, type: SHORT, values: [number, this.#total] } as const] : [];
    const all: Field[] = [{ tag: NEW_SUBFILE_TYPE, type: LONG, values: [PAGE_OF_SEVERAL] }, ...fields, ...numbering];
    const placed = withProfileAt(0, all).sort((one, other) => one.tag - other.tag);
    const profile = placed.find(({ tag }) => tag === ICC_PROFILE);
    if (profile) this.#profile = profile.values;
    this.#pages.push(placed);
    this.#directoryBytes += directory(true, placed, 0).length;
  }

  /** Maximum size of everything that follows the last page. */
  get maxBytes(): number {
    return this.#directoryBytes + this.#profile.length + 2;
  }

  /** @param end offset of the end of the last page */
  written(isBig: boolean, end: number): { readonly first: number; readonly chunks: Iterable<Uint8Array> } {
    const profileAt = end + (end % 2);
    const first = profileAt + this.#profile.length + (this.#profile.length % 2);
    const before = new Uint8Array(first - end);
    before.set(Uint8Array.from(this.#profile), profileAt - end);
    const pages = this.#pages.map((fields) => withProfileAt(profileAt, fields));
    return {
      first,
      chunks: (function* () {
        yield before;
        let offset = first;
        for (const [index, fields] of pages.entries()) {
          const bytes = directory(isBig, fields, offset, index < pages.length - 1);
          yield bytes;
          offset += bytes.length;
        }
      })(),
    };
  }
}

const withProfileAt = (at: number, fields: readonly Field[]): Field[] =>
  fields.map((field) => (field.tag === ICC_PROFILE ? { ...field, at } : field));
