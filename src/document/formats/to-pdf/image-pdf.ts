// Writes images as a PDF, one page per image, while the images are read.
import { deflateSync } from "node:zlib";
import type { ColorSpace, ImagePage, ImagePart, ImageXObject, Orientation } from "./image-page.ts";
import { pageSize } from "./page-size.ts";

const CATALOG = 1;
const PAGES = 2;
/** 16-bit samples need version 1.5. A comment of bytes above 127 marks the file as binary (ISO 32000-1, 7.5.2). */
const HEADER = "%PDF-1.5\n%\xe2\xe3\xcf\xd3\n";

const ALTERNATES = { 1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK" } as const;
const DEVICES = { gray: "/DeviceGray", rgb: "/DeviceRGB", cmyk: "/DeviceCMYK" } as const;

/**
 * Gap in points between each edge of the page and the image. Without it, some viewers enlarge an image by one pixel,
 * because the image reaches the edge of a pixel. The gap is invisible.
 */
const INSET = 0.0001;

/**
 * Matrices by orientation, from the unit square of the stored image to the unit square of the displayed image: vectors
 * from the bottom left corner to the bottom right and top left corners, and the position of the bottom left corner.
 */
const MATRICES: Readonly<Record<Orientation, readonly [number, number, number, number, number, number]>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
};

/**
 * Yields the file in chunks, each valid until the next one is requested.
 * @param signal checked before each chunk of an image
 * @throws OutOfRange, EngineFailure for an unusable image, as soon as it is detected
 */
export async function* imagePdf(
  pictures: Iterable<ImagePage> | AsyncIterable<ImagePage>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const writer = new Writer();
  const pages: number[] = [];
  yield writer.text(HEADER);
  yield writer.object(CATALOG, `<</Type/Catalog/Pages ${PAGES} 0 R>>`);
  for await (const picture of pictures) {
    const { width, height } = pageSize(picture);
    const images: number[] = [];
    for (const { image } of picture.parts) images.push(yield* writer.image(image, signal));
    const contents = writer.next();
    yield writer.stream(contents, "", latin1(contentsOf(picture, width, height)));
    const names = images.map((number, index) => `/Im${index} ${number} 0 R`).join("");
    const page = writer.next();
    pages.push(page);
    yield writer.object(
      page,
      `<</Type/Page/Parent ${PAGES} 0 R/MediaBox[0 0 ${real(width)} ${real(height)}]` +
        `/Resources<</XObject<<${names}>>>>/Contents ${contents} 0 R>>`,
    );
  }
  const kids = pages.map((page) => `${page} 0 R`).join(" ");
  yield writer.object(PAGES, `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`);
  yield writer.end();
}

/**
 * Returns the contents of a page. An image fills the unit square (ISO 32000-1, 8.9.5); parts outside the page are
 * invisible.
 * @param pageWidth width in points, like pageHeight
 */
function contentsOf(picture: ImagePage, pageWidth: number, pageHeight: number): string {
  return picture.parts
    .map((part, index) => `q ${place(part, picture, pageWidth, pageHeight)} cm /Im${index} Do Q\n`)
    .join("");
}

/** Returns the matrix from the unit square to the position of the part on the page. */
function place(
  { x, y, image, isBottomUp = false }: ImagePart,
  picture: ImagePage,
  pageWidth: number,
  pageHeight: number,
): string {
  const [a, b, c, d, e, f] = MATRICES[picture.orientation];
  const isTurned = picture.orientation >= 5;
  const [insetX, insetY] = [INSET / (isTurned ? pageHeight : pageWidth), INSET / (isTurned ? pageWidth : pageHeight)];
  const left = x / picture.width + insetX;
  const width = image.width / picture.width - 2 * insetX;
  const bottom = 1 - (y + image.height) / picture.height + insetY;
  const height = image.height / picture.height - 2 * insetY;
  const [up, start] = isBottomUp ? [-height, bottom + height] : [height, bottom];
  const seenX = (u: number, v: number) => (a * u + c * v) * pageWidth;
  const seenY = (u: number, v: number) => (b * u + d * v) * pageHeight;
  return [
    seenX(width, 0),
    seenY(width, 0),
    seenX(0, up),
    seenY(0, up),
    seenX(left, start) + e * pageWidth,
    seenY(left, start) + f * pageHeight,
  ]
    .map(real)
    .join(" ");
}

/** Numbers objects and records their offsets. */
class Writer {
  /** Offsets by object number. */
  readonly #offsets: number[] = [0, 0, 0];
  #offset = 0;
  /** ICC profile of the previous page. The next page usually has the same profile. */
  #profile: { readonly bytes: Uint8Array; readonly number: number } | undefined;

  next(): number {
    return this.#offsets.push(0) - 1;
  }

  text(text: string): Uint8Array {
    return this.#count(latin1(text));
  }

  object(number: number, body: string): Uint8Array {
    this.#begin(number);
    return this.text(`${number} 0 obj\n${body}\nendobj\n`);
  }

  stream(number: number, entries: string, data: Uint8Array): Uint8Array {
    this.#begin(number);
    const before = latin1(`${number} 0 obj\n<<${entries}/Length ${data.length}>>\nstream\n`);
    const after = latin1("\nendstream\nendobj\n");
    const bytes = new Uint8Array(before.length + data.length + after.length);
    bytes.set(before);
    bytes.set(data, before.length);
    bytes.set(after, before.length + data.length);
    return this.#count(bytes);
  }

  /** @returns the object number of the image */
  async *image(image: ImageXObject, signal: AbortSignal): AsyncGenerator<Uint8Array, number> {
    const softMask = image.softMask ? yield* this.image(image.softMask, signal) : undefined;
    const colorSpace = yield* this.colorSpace(image.colorSpace);
    const number = this.next();
    const length = image.size === undefined ? this.next() : undefined;
    const entries = [
      `/Type/XObject/Subtype/Image/Width ${image.width}/Height ${image.height}`,
      `/ColorSpace${colorSpace}/BitsPerComponent ${image.bitsPerComponent}/Filter/${image.filter}`,
      image.decodeParms ? `/DecodeParms${image.decodeParms}` : "",
      image.decode ? `/Decode[${image.decode.map(real).join(" ")}]` : "",
      image.colorKey ? `/Mask[${image.colorKey.join(" ")}]` : "",
      softMask === undefined ? "" : `/SMask ${softMask} 0 R`,
      `/Length ${length === undefined ? image.size : `${length} 0 R`}`,
    ];
    this.#begin(number);
    yield this.text(`${number} 0 obj\n<<${entries.join("")}>>\nstream\n`);
    const start = this.#offset;
    for await (const chunk of image.data()) {
      signal.throwIfAborted();
      yield this.#count(chunk);
    }
    const size = this.#offset - start;
    yield this.text("\nendstream\nendobj\n");
    if (length !== undefined) yield this.object(length, String(size));
    else if (size !== image.size) throw new Error(`an image of ${size} bytes instead of ${image.size}`);
    return number;
  }

  /** @returns the color space in PDF syntax */
  async *colorSpace(space: ColorSpace): AsyncGenerator<Uint8Array, string> {
    switch (space.kind) {
      case "icc":
        return `[/ICCBased ${yield* this.profile(space.profile, space.components)} 0 R]`;
      case "calibrated":
        return space.array;
      case "indexed": {
        const base = yield* this.colorSpace(space.base);
        return (
          `[/Indexed${base.startsWith("/") ? "" : " "}${base} ` +
          `${space.palette.length / 3 - 1}<${hex(space.palette)}>]`
        );
      }
      default:
        return DEVICES[space.kind];
    }
  }

  *profile(bytes: Uint8Array, components: 1 | 3 | 4): Generator<Uint8Array, number> {
    if (this.#profile && isSame(this.#profile.bytes, bytes)) return this.#profile.number;
    const number = this.next();
    const entries = `/N ${components}/Alternate${ALTERNATES[components]}/Filter/FlateDecode`;
    yield this.stream(number, entries, deflateSync(bytes));
    this.#profile = { bytes, number };
    return number;
  }

  /** Returns the end of the file, with a cross-reference table (ISO 32000-1, 7.5.4). */
  end(): Uint8Array {
    const offset = this.#offset;
    const entries = this.#offsets.slice(1).map((at) => `${String(at).padStart(10, "0")} 00000 n \n`);
    const size = this.#offsets.length;
    return this.text(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries.join("")}` +
        `trailer\n<</Size ${size}/Root ${CATALOG} 0 R>>\nstartxref\n${offset}\n%%EOF\n`,
    );
  }

  #begin(number: number): void {
    this.#offsets[number] = this.#offset;
  }

  #count(bytes: Uint8Array): Uint8Array {
    this.#offset += bytes.length;
    return bytes;
  }
}

/** Converts characters up to 255 to bytes. */
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Formats a number without an exponent, to six decimal places (ISO 32000-1, 7.3.3). */
const real = (value: number) => String(Number(value.toFixed(6)));

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const isSame = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && (a === b || a.every((byte, index) => byte === b[index]));
