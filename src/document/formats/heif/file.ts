// Reads the structure of a HEIF file (ISO/IEC 23008-12), which HEIC and AVIF have: the properties of the primary picture,
// and the number of further pictures. The decoders read everything else.

/** Maximum depth of boxes in boxes, and number of boxes. */
const MAX_BOXES = 100_000;
/** Boxes whose contents are boxes. */
const CONTAINERS = new Set(["moov", "trak", "mdia", "minf", "stbl", "iprp", "ipco"]);
const CODED = /^(hvc1|hvc2|av01|avc1|grid|iovl|iden|jpeg|unci|lhv1)$/;

export interface HeifFile {
  /** Size before turns and mirroring; the largest of any picture in the file if no primary picture is found. */
  readonly width: number;
  readonly height: number;
  /** Counterclockwise quarter turns. */
  readonly turns: number;
  /** `across`: left and right are swapped. `down`: top and bottom are swapped. Happens after turning. */
  readonly mirroring?: "across" | "down";
  readonly profile?: Uint8Array;
  /** Color primaries and transfer function (ITU-T H.273). */
  readonly nclx?: { readonly primaries: number; readonly transfer: number };
  /** Number of further pictures that a viewer shows, or frames of a sequence. */
  readonly furtherFrames: number;
  /** True if the file has frames of a sequence, but no other picture. */
  readonly isOnlySequence: boolean;
}

interface Box {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Returns undefined if the structure is unreadable. */
export function readHeifFile(file: Uint8Array): HeifFile | undefined {
  const all = boxesOf(file);
  const meta = all.find(({ type }) => type === "meta");
  const movie = all.find(({ type }) => type === "moov");
  const items = meta && itemsOf(meta.data);
  const frames = movie ? framesOf(movie.data) : undefined;
  const primary = items?.primary ?? { width: 0, height: 0, turns: 0 };
  const largest = items?.largest ?? { width: 0, height: 0 };
  const { width, height } = primary.width > 0 ? primary : (frames ?? largest);
  if (width * height === 0) return undefined;
  const furtherFrames = Math.max((frames?.count ?? 1) - 1, (items?.shown ?? 1) - 1, 0);
  const isOnlySequence = frames !== undefined && (items?.primary.width ?? 0) === 0;
  return { ...primary, width: Math.max(width, 1), height: Math.max(height, 1), furtherFrames, isOnlySequence };
}

function boxesOf(bytes: Uint8Array): Box[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.length < MAX_BOXES; ) {
    let size = view.getUint32(at);
    let start = at + 8;
    if (size === 1 && at + 16 <= bytes.length) {
      size = Number(view.getBigUint64(at + 8));
      start = at + 16;
    } else if (size === 0) size = bytes.length - at;
    if (size < start - at) break;
    boxes.push({
      type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
      data: bytes.subarray(start, at + size),
    });
    at += size;
  }
  return boxes;
}

/** Returns the boxes of a type at any depth of containers. */
function within(bytes: Uint8Array, wanted: string): Uint8Array[] {
  return boxesOf(bytes).flatMap(({ type, data }) => {
    if (type === wanted) return [data];
    return CONTAINERS.has(type) ? within(data, wanted) : [];
  });
}

/** Reads the frames of an image sequence (ISO/IEC 14496-12, 8.5). */
function framesOf(movie: Uint8Array): { readonly width: number; readonly height: number; readonly count: number } {
  let [width, height, count] = [0, 0, 0];
  for (const track of within(movie, "trak")) {
    const handler = within(track, "hdlr")[0];
    if (!handler || !/^(pict|vide)$/.test(String.fromCharCode(...handler.subarray(8, 12)))) continue;
    const sizes = within(track, "stsz")[0];
    if (sizes && sizes.length >= 12) count = Math.max(count, wordAt(sizes, 8));
    const header = within(track, "tkhd")[0];
    if (!header || header.length < 8) continue;
    width = Math.max(width, wordAt(header, header.length - 8) >>> 16);
    height = Math.max(height, wordAt(header, header.length - 4) >>> 16);
  }
  return { width, height, count };
}

type Primary = Omit<HeifFile, "furtherFrames" | "isOnlySequence">;

/** @param meta contents of a `meta` box, which begin with a version */
function itemsOf(meta: Uint8Array) {
  const boxes = boxesOf(meta.subarray(4));
  const find = (wanted: string) => boxes.find(({ type }) => type === wanted)?.data;
  const [named, properties, references, infos] = [find("pitm"), find("iprp"), find("iref"), find("iinf")];
  const number = named ? (named[0] === 0 ? shortAt(named, 4) : wordAt(named, 4)) : 0;
  const own = properties ? boxesOf(properties) : [];
  const shared = boxesOf(own.find(({ type }) => type === "ipco")?.data ?? new Uint8Array(0));
  const linked = linksOf(own.filter(({ type }) => type === "ipma").map(({ data }) => data)).get(number) ?? [];
  const primary = propertiesOf(linked.flatMap((index) => shared[index - 1] ?? []));
  const sizes = shared.filter(({ type }) => type === "ispe").map(({ data }) => sizeOf(data));
  const largest = sizes.reduce((one, other) => (area(other) > area(one) ? other : one), { width: 0, height: 0 });
  return { primary, largest, shown: infos ? shownItems(infos, references) : 1 };
}

const area = ({ width, height }: { readonly width: number; readonly height: number }): number => width * height;
const sizeOf = (ispe: Uint8Array) => ({ width: wordAt(ispe, 4), height: wordAt(ispe, 8) });

function propertiesOf(boxes: readonly Box[]): Primary {
  let primary: Primary = { width: 0, height: 0, turns: 0 };
  for (const { type, data } of boxes) {
    const kind = String.fromCharCode(...data.subarray(0, 4));
    if (type === "ispe") primary = { ...primary, ...sizeOf(data) };
    else if (type === "irot") primary = { ...primary, turns: (data[0] ?? 0) & 3 };
    else if (type === "imir") primary = { ...primary, mirroring: ((data[0] ?? 0) & 1) === 1 ? "across" : "down" };
    else if (type === "colr" && (kind === "prof" || kind === "rICC"))
      primary = { ...primary, profile: data.subarray(4) };
    else if (type === "colr" && kind === "nclx") {
      primary = { ...primary, nclx: { primaries: shortAt(data, 4), transfer: shortAt(data, 6) } };
    }
  }
  return primary;
}

/** Reads the numbers of the properties of each item (ISO/IEC 23008-12, 9.3.1). */
function linksOf(tables: readonly Uint8Array[]): Map<number, number[]> {
  const links = new Map<number, number[]>();
  for (const table of tables) {
    const isLong = table[0] !== 0;
    const isWide = ((table[3] ?? 0) & 1) === 1;
    let at = 8;
    for (let left = wordAt(table, 4); left > 0 && at < table.length; left--) {
      const item = isLong ? wordAt(table, at) : shortAt(table, at);
      at += isLong ? 4 : 2;
      const count = table[at++] ?? 0;
      const properties = Array.from({ length: count }, (_, index) =>
        isWide ? shortAt(table, at + 2 * index) & 0x7fff : (table[at + index] ?? 0) & 0x7f,
      );
      at += count * (isWide ? 2 : 1);
      links.set(item, properties);
    }
  }
  return links;
}

/** Counts the items that are pictures of their own: not hidden, and no thumbnails, tiles or masks. */
function shownItems(infos: Uint8Array, references: Uint8Array | undefined): number {
  const parts = new Set<number>();
  const isLong = references !== undefined && references[0] !== 0;
  for (const { type, data } of boxesOf(references?.subarray(4) ?? new Uint8Array(0))) {
    const numberAt = (at: number) => (isLong ? wordAt(data, at) : shortAt(data, at));
    const step = isLong ? 4 : 2;
    if (type === "thmb" || type === "auxl") parts.add(numberAt(0));
    if (type !== "dimg") continue;
    const count = shortAt(data, step);
    for (let index = 0; index < count; index++) parts.add(numberAt(step + 2 + index * step));
  }
  return boxesOf(infos.subarray(infos[0] === 0 ? 6 : 8)).filter(({ type, data }) => {
    if (type !== "infe" || (data[0] ?? 0) < 2) return false;
    const isLongItem = data[0] === 3;
    const item = isLongItem ? wordAt(data, 4) : shortAt(data, 4);
    const at = isLongItem ? 10 : 8;
    const isHidden = ((data[3] ?? 0) & 1) === 1;
    return !isHidden && !parts.has(item) && CODED.test(String.fromCharCode(...data.subarray(at, at + 4)));
  }).length;
}

const shortAt = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
const wordAt = (bytes: Uint8Array, at: number): number => shortAt(bytes, at) * 65_536 + shortAt(bytes, at + 2);
