// `node scripts/bootstrap.mjs bench/subsets.ts FOLDER...`: subsets of the fonts in folders, by this project's code and
// by HarfBuzz, both in one process, call by call in turn. `HARFBUZZ_SUBSET` names harfbuzz-subset.wasm of the package
// harfbuzzjs. MuPDF draws each kept glyph before and after.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import * as mupdf from "mupdf";
import { cffTable, readCff } from "../src/document/fonts/cff/cff.ts";
import { subsetCff } from "../src/document/fonts/cff/subset-cff.ts";
import { subsetTrueType, writeSfnt } from "../src/document/fonts/truetype/subset-truetype.ts";
import { outlineOf, readTrueType, viewOf } from "../src/document/fonts/truetype/truetype.ts";
import { subsetType1 } from "../src/document/fonts/type1/subset-type1.ts";
import { readType1 } from "../src/document/fonts/type1/type1.ts";
import { HarfBuzz } from "./harfbuzz.ts";
import { row } from "./measure.ts";

const MOST_GLYPHS = 90;
const ROUNDS = process.argv.includes("--damaged") ? 1 : 3;
/** Damaged copies of each font, and how damaged they are. */
const DAMAGES = 8;
const WRONG_BYTES = 8;
const EM_PIXELS = 48;
const OTTO = 0x4f54544f;
const KINDS = ["TrueType", "TrueType, unhinted", "CFF, named", "CFF, CID", "OpenType CFF", "Type 1"] as const;
type Kind = (typeof KINDS)[number];
type Subsetter = (bytes: Uint8Array, glyphs: ReadonlySet<number>) => Uint8Array | undefined;

interface Candidate {
  cpuMs: number;
  /** After Flate, as a PDF stores them. */
  storedBytes: number;
  refused: number;
  /** Fonts in which a kept glyph is drawn in another way. */
  wrong: number;
}

interface Sum {
  fonts: number;
  originalBytes: number;
  readonly ours: Candidate;
  readonly theirs: Candidate;
}

const place = process.env.HARFBUZZ_SUBSET;
if (place === undefined) throw new Error("HARFBUZZ_SUBSET is not set");
const harfbuzz = await HarfBuzz.load(place);
console.log(`harfbuzz-subset.wasm: ${gzipSync(readFileSync(place), { level: 9 }).length} bytes in gzip`);

/** Wraps a bare CFF program: HarfBuzz reads it only as a table. */
const bareCff: Subsetter = (bytes, glyphs) => {
  const count = readCff(bytes)?.charStrings.count ?? 0;
  const maxp = new Uint8Array(6);
  viewOf(maxp).setUint32(0, 0x5000);
  viewOf(maxp).setUint16(4, count);
  const head = new Uint8Array(54);
  viewOf(head).setUint32(0, 0x10000);
  viewOf(head).setUint32(12, 0x5f0f3cf5);
  viewOf(head).setUint16(18, 1000);
  const tables = new Map([
    ["CFF ", bytes],
    ["head", head],
    ["maxp", maxp],
  ]);
  const made = harfbuzz.subset(writeSfnt(OTTO, tables), glyphs, { hints: true });
  return made && cffTable(made);
};

const CANDIDATES: Readonly<Record<Exclude<Kind, "Type 1">, readonly [ours: Subsetter, theirs: Subsetter]>> = {
  TrueType: [
    (bytes, glyphs) => subsetTrueType(bytes, { glyphs, characters: new Set(), byNumber: true }),
    (bytes, glyphs) => harfbuzz.subset(bytes, glyphs, { hints: true }),
  ],
  "TrueType, unhinted": [
    (bytes, glyphs) => subsetTrueType(bytes, { glyphs, characters: new Set(), byNumber: true, withoutHints: true }),
    (bytes, glyphs) => harfbuzz.subset(bytes, glyphs, { hints: false }),
  ],
  "CFF, named": [subsetCff, bareCff],
  "CFF, CID": [subsetCff, bareCff],
  "OpenType CFF": [subsetCff, (bytes, glyphs) => harfbuzz.subset(bytes, glyphs, { hints: true })],
};

const none = (): Candidate => ({ cpuMs: 0, storedBytes: 0, refused: 0, wrong: 0 });
const sums = new Map<Kind, Sum>(
  KINDS.map((kind) => [kind, { fonts: 0, originalBytes: 0, ours: none(), theirs: none() }]),
);
const folders = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isDamaging = process.argv.includes("--damaged");
for (const file of folders.flatMap(filesOf)) {
  const bytes = new Uint8Array(readFileSync(file));
  if (!isDamaging) measure(file, bytes);
  else for (let seed = 1; seed <= DAMAGES; seed++) measure(file, damaged(bytes, seed));
}
console.log(`CPU in ms per font and round, bytes after Flate; HarfBuzz holds ${harfbuzz.memoryBytes} bytes`);
console.log(row(["ours / HarfBuzz", "fonts", "original", "ours", "hb", "ours ms", "hb ms", "refused", "wrong"]));
for (const [kind, { fonts, originalBytes, ours, theirs }] of sums) {
  if (fonts === 0) continue;
  const perFont = ({ cpuMs }: Candidate) => (cpuMs / fonts / ROUNDS).toFixed(2);
  const counts = (key: "refused" | "wrong") => `${ours[key]}/${theirs[key]}`;
  const bytes = [originalBytes, ours.storedBytes, theirs.storedBytes].map(String);
  console.log(row([kind, String(fonts), ...bytes, perFont(ours), perFont(theirs), counts("refused"), counts("wrong")]));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ttf|otf|cff|cid|pfa|pfb|t1)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns a copy with wrong bytes, of which every fourth also ends early. */
function damaged(bytes: Uint8Array, seed: number): Uint8Array {
  const copy = bytes.slice(0, seed % 4 === 0 ? Math.floor(bytes.length * 0.9) : bytes.length);
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  for (let count = 0; count < WRONG_BYTES; count++) copy[Math.floor(next() * copy.length)] = Math.floor(next() * 256);
  return copy;
}

function measure(file: string, bytes: Uint8Array): void {
  const type1 = readType1(bytes);
  if (type1) {
    measureType1(bytes, [...type1.glyphs.keys()]);
    return;
  }
  const trueType = readTrueType(bytes);
  const isWrapped = bytes.length > 4 && viewOf(bytes).getUint32(0) === OTTO;
  const cff = trueType ? undefined : readCff((isWrapped ? cffTable(bytes) : bytes) ?? bytes);
  const count = trueType?.glyphCount ?? cff?.charStrings.count;
  if (count === undefined) {
    if (!isDamaging) console.log(`${file}: not read`);
    return;
  }
  const drawn = Array.from({ length: count }, (_, glyph) => glyph).filter(
    (glyph) => !trueType || (outlineOf(trueType, glyph)?.length ?? 0) > 0,
  );
  const glyphs = chosen(drawn);
  const kinds: Kind[] = trueType
    ? ["TrueType", "TrueType, unhinted"]
    : [isWrapped ? "OpenType CFF" : cff!.isCid ? "CFF, CID" : "CFF, named"];
  for (const kind of kinds) compare(file, bytes, glyphs, kind as Exclude<Kind, "Type 1">);
}

/** Every second glyph, or as many as a page of text shows. */
function chosen<T>(all: readonly T[]): Set<T> {
  const step = Math.max(2, all.length / MOST_GLYPHS);
  return new Set(Array.from({ length: Math.ceil(all.length / step) }, (_, index) => all[Math.floor(index * step)]!));
}

function compare(file: string, bytes: Uint8Array, glyphs: ReadonlySet<number>, kind: Exclude<Kind, "Type 1">): void {
  const sum = sums.get(kind)!;
  sum.fonts++;
  const stored = deflateSync(bytes, { level: 9 }).length;
  sum.originalBytes += stored;
  const before = pictures(bytes, glyphs);
  const candidates = [sum.ours, sum.theirs];
  const made: (Uint8Array | undefined)[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    CANDIDATES[kind].forEach((subset, index) => {
      const started = process.cpuUsage();
      made[index] = subset(bytes, glyphs);
      const { user, system } = process.cpuUsage(started);
      candidates[index]!.cpuMs += (user + system) / 1000;
    });
  }
  made.forEach((subset, index) => {
    const candidate = candidates[index]!;
    // One that is not made leaves the original.
    candidate.storedBytes += subset ? Math.min(stored, deflateSync(subset, { level: 9 }).length) : stored;
    if (!subset) candidate.refused++;
    else if (before !== pictures(subset, glyphs)) candidate.wrong++;
    else return;
    if (!isDamaging)
      console.log(`${file}: ${kind}: ${["ours", "hb"][index]} ${subset ? "draws another glyph" : "refuses"}`);
  });
}

function measureType1(bytes: Uint8Array, names: readonly string[]): void {
  const sum = sums.get("Type 1")!;
  sum.fonts++;
  const stored = deflateSync(bytes, { level: 9 }).length;
  sum.originalBytes += stored;
  let made: Uint8Array | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.cpuUsage();
    made = subsetType1(bytes, [...chosen(names)])?.bytes;
    const { user, system } = process.cpuUsage(started);
    sum.ours.cpuMs += (user + system) / 1000;
  }
  sum.ours.storedBytes += made ? deflateSync(made, { level: 9 }).length : stored;
  if (!made) sum.ours.refused++;
  sum.theirs.storedBytes += stored;
  sum.theirs.refused++;
}

/** Returns every glyph as MuPDF draws it, in one text, or what it says instead. */
function pictures(bytes: Uint8Array, glyphs: ReadonlySet<number>): string {
  try {
    const font = new mupdf.Font("font", bytes);
    const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, 2 * EM_PIXELS, 2 * EM_PIXELS], false);
    const parts = [...glyphs].map((glyph) => {
      pixmap.clear(255);
      const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
      const text = new mupdf.Text();
      text.showGlyph(font, [EM_PIXELS, 0, 0, -EM_PIXELS, EM_PIXELS / 2, 1.5 * EM_PIXELS], glyph, 0);
      device.fillText(text, mupdf.Matrix.identity, mupdf.ColorSpace.DeviceGray, [0], 1);
      device.close();
      const picture = Buffer.from(pixmap.getPixels()).toString("latin1");
      device.destroy();
      text.destroy();
      return picture;
    });
    pixmap.destroy();
    font.destroy();
    return parts.join("");
  } catch (error) {
    return String(error);
  }
}
