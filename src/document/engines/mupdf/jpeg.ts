// Decodes JPEGs with MuPDF. Each JPEG is the only image of a generated PDF, so that no color space of a document
// affects its components.
import { EngineFailure } from "../../contract/failure.ts";
import { MupdfDocument } from "./document.ts";
import { decodeImage } from "./image.ts";
import type { Mupdf, MupdfOptions } from "./instance/mupdf.ts";
import { acquireMupdf } from "./instance/spare.ts";

const IMAGE = 4;
/** Heap of an idle engine. An engine with less heap cannot decode any image. */
const ENGINE_BYTES = 24 * 2 ** 20;
/** Memory per sample in addition to the result: the engine's copy, and the coefficients of a progressive JPEG. */
const BYTES_PER_SAMPLE = 4;

const SPACES: Readonly<Record<number, string>> = {
  1: "/DeviceGray",
  2: "[/DeviceN[/A/B]/DeviceGray 5 0 R]",
  3: "/DeviceRGB",
  4: "/DeviceCMYK",
};

export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  /**
   * Color transform of JPEGs without an Adobe marker: 1 for YCbCr or YCCK, 0 for none.
   * @default by the number of components
   */
  readonly transform?: number;
}

export class MupdfJpegDecoder implements Disposable {
  readonly #engine: Mupdf;
  readonly #options: MupdfOptions;

  private constructor(engine: Mupdf, options: MupdfOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** @throws EngineFailure `too-large` */
  static async open(options: MupdfOptions): Promise<MupdfJpegDecoder> {
    if (options.heapLimitBytes < ENGINE_BYTES) throw new EngineFailure("too-large", "not enough memory for an engine");
    return new MupdfJpegDecoder(await acquireMupdf(options), options);
  }

  /**
   * @returns 8-bit samples, row by row without padding: gray, RGB, or inks as in the file; undefined if the JPEG cannot
   * be decoded
   * @throws EngineFailure `too-large`
   */
  decode(jpeg: Uint8Array, frame: JpegFrame): Uint8Array | undefined {
    const { width, height, components } = frame;
    const needed = ENGINE_BYTES + jpeg.length + width * height * components * BYTES_PER_SAMPLE;
    if (needed > this.#options.heapLimitBytes) throw new EngineFailure("too-large", `a JPEG of ${width} x ${height}`);
    const document = MupdfDocument.open(this.#engine, pdfOf(jpeg, frame), this.#options);
    const image = decodeImage(document, IMAGE);
    // The messages of a damaged JPEG are no reason to close the engine.
    this.#engine.messageCount = 0;
    if (!document.release()) throw new EngineFailure("too-large", "the engine ran out of memory");
    return image?.components === components && image.samples.length === width * height * components
      ? image.samples
      : undefined;
  }

  [Symbol.dispose](): void {
    this.#engine.close();
  }
}

function pdfOf(jpeg: Uint8Array, { width, height, components, transform }: JpegFrame): Uint8Array {
  const parameters = transform === undefined ? "" : `/DecodeParms<</ColorTransform ${transform}>>`;
  const image =
    `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent 8/ColorSpace${SPACES[components]}` +
    `/Filter/DCTDecode${parameters}/Length ${jpeg.length}>>`;
  const objects: Uint8Array[][] = [
    [text("<</Type/Catalog/Pages 2 0 R>>")],
    [text("<</Type/Pages/Kids[3 0 R]/Count 1>>")],
    [text("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>")],
    [text(`${image}stream\n`), jpeg, text("\nendstream")],
    [text("<</FunctionType 4/Domain[0 1 0 1]/Range[0 1]/Length 5>>stream\n{pop}\nendstream")],
  ];
  const pieces = [text("%PDF-1.5\n")];
  const offsets: number[] = [];
  const size = () => pieces.reduce((sum, { length }) => sum + length, 0);
  for (const [index, object] of objects.entries()) {
    offsets.push(size());
    pieces.push(text(`${index + 1} 0 obj\n`), ...object, text("\nendobj\n"));
  }
  const start = size();
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  const trailer = `trailer<</Root 1 0 R/Size ${count}>>\nstartxref\n${start}\n%%EOF\n`;
  pieces.push(text(`xref\n0 ${count}\n0000000000 65535 f \n${entries}${trailer}`));
  return new Uint8Array(Buffer.concat(pieces));
}

const text = (characters: string): Uint8Array => Buffer.from(characters, "latin1");
