// Whether a PDF still looks and reads like the one it was made from: pages, their sizes, pictures and text. One output, a list in
// JSON of the pages that do not. Knows nothing of why they should differ.
import { Mupdf, type MupdfOptions } from "../engines/mupdf.ts";
import { MupdfDocument } from "../engines/mupdf-document.ts";
import { MupdfPage } from "../engines/mupdf-page.ts";
import { prepareSpare, takeMupdf } from "../engines/mupdf-spare.ts";
import {
  type Characters,
  charactersOf,
  type Distance,
  distanceOf,
  lostCharacters,
  type Picture,
} from "../pdf/archival/page-look.ts";
import { EngineFailure, type Operation } from "./operation.ts";

export interface CompareParams {
  /** Of a long document only some pages are looked at when this has passed; spread over all of it. */
  readonly timeMs: number;
}

/** What two documents have not in common. */
export interface Comparison {
  /** Pages that were looked at. */
  readonly compared: number;
  /** The page that differs most of those that are still alike. */
  readonly furthest: Pick<Distance, "mean" | "worst">;
  readonly differences: readonly PageDifference[];
}

export interface PageDifference {
  /** From 1. */
  readonly pageNumber: number;
  /** `missing`: the second document has no such page, or it cannot be drawn. */
  readonly kind: "missing" | "size" | "picture" | "text";
  /** For the log. */
  readonly detail: string;
}

const DPI = 36;
/** A line thinner than a pixel is drawn as wide as one, in a picture it is a shade: what differs coarsely is looked at more closely. */
const CLOSER = 4;
/** Pixels of a page's longer side: large pages are drawn smaller, and tiny ones larger, as far as {@link FINEST_DPI}. */
const LONGEST_SIDE = 700;
const SHORTEST_SIDE = 96;
const FINEST_DPI = 288;
/** Points by which a page's sides may differ. */
const SIZE_TOLERANCE = 1;
/** Sides that PDF/A allows (ISO 19005-2, 6.1.13); pages beyond become smaller or larger, and those below show nothing. */
const SIDES = { shortest: 3, longest: 14_400 };
/** Beyond these the pages are not alike. They were set by {@link file://./../../decisions/0018-pdfa.md measuring}. */
const MOST = { mean: 8, worst: 64, emptied: 0, filled: 0 };
/** So many characters may be lost, and such a part of them. */
const LOST_CHARACTERS = 3;
const LOST_PART = 0.02;
/** These are looked at however long it takes. */
const LEAST_PAGES = 32;
/** A difference is told so many times. */
const MOST_DIFFERENCES = 1000;
/** An engine's heap never shrinks. */
const HEAP_MARK_BYTES = 192 * 2 ** 20;

/** @throws EngineFailure what made the first document unreadable */
export const comparePdfs: Operation<CompareParams> = async function* ([before, after], { timeMs }, context) {
  const ends = performance.now() + timeMs;
  // Whatever is seen on a screen has to be printed in PDF/A (ISO 19005-2, 6.3.2): that is no change of the page's look.
  const options = { heapLimitBytes: Math.floor(context.heapLimitBytes / 2), annotations: "on-screen" } as const;
  context.defer(() => prepareSpare(options));
  using original = Side.open(await before!.bytes(), await takeMupdf(options), options);
  using candidate = await openIfReadable(await after!.bytes(), options);
  const differences: PageDifference[] = [];
  const furthest = { mean: 0, worst: 0 };
  let compared = 0;
  for (const index of spread(Math.max(original.pageCount, candidate?.pageCount ?? 0))) {
    context.signal.throwIfAborted();
    if (differences.length >= MOST_DIFFERENCES) break;
    if (performance.now() > ends && compared >= LEAST_PAGES) break;
    compared++;
    const difference = await compare(original, candidate, index, furthest);
    if (difference) differences.push({ pageNumber: index + 1, ...difference });
  }
  differences.sort((one, other) => one.pageNumber - other.pageNumber);
  const comparison: Comparison = { compared, furthest, differences };
  yield { extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(comparison)) };
};

type Difference = Omit<PageDifference, "pageNumber">;
const ADDED: Difference = { kind: "missing", detail: "the original has no such page" };

/** How a page looks and reads. */
interface Look {
  /** Points. */
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly picture: Picture;
  readonly characters: Characters;
}

async function compare(
  original: Side,
  candidate: Side | undefined,
  index: number,
  furthest: { mean: number; worst: number },
): Promise<Difference | undefined> {
  const before = await original.look(index, 1);
  // What was not readable before cannot have become worse.
  if (!before) return index < original.pageCount ? undefined : ADDED;
  const after = await candidate?.look(index, 1);
  if (!after) return { kind: "missing", detail: "not there, or it cannot be drawn" };
  const sides = [before.width - after.width, before.height - after.height];
  const [short, long] = [Math.min(before.width, before.height), Math.max(before.width, before.height)];
  const isAllowed = short >= SIDES.shortest && long <= SIDES.longest;
  if (isAllowed && sides.some((difference) => Math.abs(difference) > SIZE_TOLERANCE)) {
    return { kind: "size", detail: `${before.width} x ${before.height} became ${after.width} x ${after.height}` };
  }
  const { count, lost } = lostCharacters(before.characters, after.characters);
  if (lost > LOST_CHARACTERS && lost > count * LOST_PART) {
    return { kind: "text", detail: `${lost} of ${count} characters lost` };
  }
  if (short < SIDES.shortest) return undefined;
  let distance = distanceBetween(before, after);
  if (!isLike(distance)) {
    const closer = [await original.look(index, CLOSER), await candidate?.look(index, CLOSER)];
    if (closer[0] && closer[1]) distance = distanceBetween(closer[0], closer[1]);
  }
  if (!isLike(distance)) return { kind: "picture", detail: JSON.stringify(distance) };
  furthest.mean = Math.max(furthest.mean, distance.mean);
  furthest.worst = Math.max(furthest.worst, distance.worst);
  return undefined;
}

const isLike = (distance: Distance): boolean =>
  Object.entries(MOST).every(([key, most]) => distance[key as keyof Distance] <= most);

const distanceBetween = (before: Look, after: Look): Distance =>
  distanceOf(before.picture, sameSize(after.picture, before.picture), before.dpi);

/** Sides that differ by a fraction of a point can differ by a pixel. */
function sameSize(picture: Picture, { width, height }: Picture): Picture {
  if (picture.width === width && picture.height === height) return picture;
  const samples = new Uint8Array(width * height * 3).fill(255);
  const rowBytes = 3 * Math.min(width, picture.width);
  for (let row = 0; row < Math.min(height, picture.height); row++) {
    const from = row * picture.width * 3;
    samples.set(picture.samples.subarray(from, from + rowBytes), row * width * 3);
  }
  return { width, height, samples };
}

/** All indexes, in an order in which the first n of them are spread evenly, whatever n. */
function* spread(count: number): Generator<number> {
  if (count > 0) yield 0;
  if (count > 1) yield count - 1;
  // Van der Corput's sequence: the binary digits of a counter, reversed.
  const bits = Math.ceil(Math.log2(count + 1));
  for (let counter = 1; counter < 2 ** bits; counter++) {
    let index = 0;
    for (let bit = 0; bit < bits; bit++) if (counter & (1 << bit)) index |= 1 << (bits - 1 - bit);
    if (index > 0 && index < count - 1) yield index;
  }
}

/** One of the two documents, open. */
class Side implements Disposable {
  readonly #document: MupdfDocument;

  private constructor(document: MupdfDocument) {
    this.#document = document;
  }

  static open(bytes: Uint8Array, engine: Mupdf, options: MupdfOptions): Side {
    return new Side(MupdfDocument.open(engine, bytes, options));
  }

  get pageCount(): number {
    return this.#document.pageCount;
  }

  /**
   * @param closer as many dots per inch as usual
   * @returns undefined where it cannot be drawn
   */
  async look(index: number, closer: number): Promise<Look | undefined> {
    if (index >= this.pageCount) return undefined;
    const { engine } = this.#document;
    if (engine.dead || engine.heapBytes > HEAP_MARK_BYTES) await this.#document.reopen();
    try {
      const page = new MupdfPage(this.#document, index);
      try {
        const codePoints = page.text().flatMap(({ characters }) => characters.map(({ codePoint }) => codePoint));
        const { width, height } = page;
        const dpi = resolutionFor(page) * closer;
        return { width, height, dpi, picture: pictureOf(page, dpi), characters: charactersOf(codePoints) };
      } finally {
        page.close();
      }
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#document.close();
  }
}

function resolutionFor({ width, height }: MupdfPage): number {
  const coarsest = (LONGEST_SIDE * 72) / Math.max(width, height);
  const finest = Math.min(FINEST_DPI, (SHORTEST_SIDE * 72) / Math.min(width, height));
  return Math.min(coarsest, Math.max(DPI, finest));
}

function pictureOf(page: MupdfPage, dpi: number): Picture {
  const raster = page.raster({ colorModel: "rgb", dpi });
  const samples = new Uint8Array(raster.width * raster.height * 3);
  for (const band of raster.bands()) {
    const bytes = band.rows * raster.width * 3;
    samples.set(band.samples.subarray(0, bytes), band.top * raster.width * 3);
  }
  return { width: raster.width, height: raster.height, samples };
}

/** @returns undefined where it is not: then every page is missing */
async function openIfReadable(bytes: Uint8Array, options: MupdfOptions): Promise<Side | undefined> {
  const engine = await Mupdf.create(options);
  try {
    return Side.open(bytes, engine, options);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return undefined;
  }
}
