// Tests the kernel's zlib streams: their inflated bytes, at the limits of DEFLATE, and their structure.
import { describe, expect, test } from "vitest";
import {
  type DeflateKernel,
  OUTPUT_BYTES,
  type RowForm,
  startDeflate,
} from "../../../../../src/document/formats/deflate/deflate-kernel.ts";
import { encodePng } from "../../../../../src/document/formats/png/write.ts";
import { encodeTiff } from "../../../../../src/document/formats/tiff/write.ts";
import { collect, type Kind, syntheticRaster } from "../../../../support/synthetic-rasters.ts";
import { traceZlib, type ZlibTrace } from "../../../../support/zlib-trace.ts";

interface Rows {
  readonly samples: Uint8Array;
  readonly rowBytes: number;
  /** @default 1 */
  readonly pixelBytes?: number;
}

/** Passes rows to the kernel as the encoders do, `together` rows at a time, or as many as the kernel accepts. */
function feed(kernel: DeflateKernel, { samples, rowBytes }: Rows, together = kernel.chunkRows): Buffer {
  const parts: Buffer[] = [];
  const step = Math.min(together, kernel.chunkRows) * rowBytes;
  for (let at = 0; at < samples.length; at += step) {
    const rows = samples.subarray(at, at + step);
    kernel.rows.set(rows);
    kernel.encode(rows.length / rowBytes);
    if (kernel.size >= OUTPUT_BYTES) parts.push(Buffer.from(kernel.take()));
  }
  kernel.finish();
  parts.push(Buffer.from(kernel.take()));
  return Buffer.concat(parts);
}

function deflate(form: RowForm, rows: Rows, together?: number): Buffer {
  const kernel = startDeflate(form, rows.rowBytes, rows.pixelBytes ?? 1);
  try {
    return feed(kernel, rows, together);
  } finally {
    kernel.release();
  }
}

/** Returns the trace of unfiltered samples, and expects that inflating returns the same samples. */
function traced(rows: Rows): ZlibTrace {
  const trace = traceZlib(deflate("samples", rows));
  expect(Buffer.compare(trace.bytes, rows.samples)).toBe(0);
  return trace;
}

/** Returns pseudorandom numbers from 0 to 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

function noise(length: number, seed = 1): Uint8Array {
  const next = random(seed);
  return Uint8Array.from({ length }, () => next() * 256);
}

/** Undoes PNG's filters (PNG 3rd ed. clause 9). Returns the filters that were used. */
function unfilter(filtered: Buffer, rowBytes: number, pixelBytes: number): [samples: Buffer, filters: Set<number>] {
  const rows = filtered.length / (rowBytes + 1);
  const samples = Buffer.alloc(rows * rowBytes);
  const filters = new Set<number>();
  for (let row = 0; row < rows; row++) {
    const type = filtered[row * (rowBytes + 1)]!;
    filters.add(type);
    for (let i = 0; i < rowBytes; i++) {
      const at = row * rowBytes + i;
      const left = i < pixelBytes ? 0 : samples[at - pixelBytes]!;
      const top = row === 0 ? 0 : samples[at - rowBytes]!;
      const corner = row === 0 || i < pixelBytes ? 0 : samples[at - rowBytes - pixelBytes]!;
      const estimate = left + top - corner;
      const [a = 0, b = 0, c = 0] = [left, top, corner].map((value) => Math.abs(estimate - value));
      const paeth = a <= b && a <= c ? left : b <= c ? top : corner;
      samples[at] = filtered[row * (rowBytes + 1) + 1 + i]! + [0, left, top, (left + top) >> 1, paeth][type]!;
    }
  }
  return [samples, filters];
}

describe("matches", () => {
  test("reach 32768 bytes back, and no further", () => {
    for (const [rowBytes, reached] of [
      [16384, true],
      [16385, false],
    ] as const) {
      const [one, other] = [noise(rowBytes, 1), noise(rowBytes, 2)];
      const trace = traced({ samples: Buffer.concat([one, other, one, other, one, other]), rowBytes });
      expect(trace.distances.has(32768)).toBe(reached);
      expect(Math.max(0, ...trace.distances)).toBeLessThanOrEqual(32768);
      // Data without repetitions cannot be compressed, so they are stored.
      expect(trace.blocks.includes(0)).toBe(true);
    }
  });

  test("reach as far after the window has moved on", () => {
    const parts = Array.from({ length: 60 }, (_, i) => noise(16384, 1 + (i % 2)));
    const trace = traced({ samples: Buffer.concat(parts), rowBytes: 16384 });
    expect(trace.distances.has(32768)).toBe(true);
    expect(deflate("samples", { samples: Buffer.concat(parts), rowBytes: 16384 }, 1).length).toBeLessThan(60000);
  });

  test("are 258 bytes long at most, or as many whole pixels", () => {
    for (const pixelBytes of [1, 3, 4]) {
      const row = noise(12 * 700, pixelBytes);
      const samples = Buffer.concat([row, row, row]);
      const { lengths } = traced({ samples, rowBytes: row.length, pixelBytes });
      expect(Math.max(...lengths)).toBe(258 - (258 % pixelBytes));
    }
  });

  test.each([1, 2, 3, 4, 5, 257, 258, 259, 260, 261, 262, 515, 516, 517, 518, 519, 520])(
    "end with a run of %i",
    (run) => {
      for (const pixelBytes of [1, 3, 4]) {
        for (const color of [Uint8Array.of(7, 7, 7, 7), Uint8Array.of(7, 8, 9, 10)]) {
          const pixel = color.subarray(0, pixelBytes);
          const row = Buffer.concat([noise(pixelBytes * 9), Buffer.alloc(run * pixelBytes, pixel)]);
          const samples = Buffer.concat([row, row.toReversed()]);
          traced({ samples, rowBytes: row.length, pixelBytes });
          const filtered = traceZlib(deflate("filtered", { samples, rowBytes: row.length, pixelBytes }));
          expect(Buffer.compare(unfilter(filtered.bytes, row.length, pixelBytes)[0], samples)).toBe(0);
        }
      }
    },
  );
});

describe("blocks", () => {
  test("of noise are stored, and hardly longer than it", () => {
    for (const pixelBytes of [1, 3, 4]) {
      const samples = noise(3 * 400_000);
      const stream = deflate("samples", { samples, rowBytes: 12000, pixelBytes });
      expect(stream.length).toBeLessThan(samples.length * 1.002);
      expect(new Set(traceZlib(stream).blocks)).toContain(0);
    }
  });

  test("of few bytes have fixed codes", () => {
    expect(traced({ samples: Uint8Array.of(1, 2, 3), rowBytes: 3, pixelBytes: 3 }).blocks).toEqual([1]);
    expect(traced({ samples: new Uint8Array(1), rowBytes: 1 }).blocks).toEqual([1]);
  });

  test("are of the kind that suits each part of a picture", () => {
    const text = syntheticRaster("text", { width: 3000, height: 300, colorModel: "gray" }).samples;
    const samples = Buffer.concat([noise(600_000), text, noise(600_000), Buffer.alloc(3000)]);
    const { blocks } = traced({ samples, rowBytes: 3000 });
    expect(blocks).toContain(0);
    expect(blocks).toContain(2);
  });

  test("have complete codes of at most 15 bits, however unequal the frequencies", () => {
    const next = random(5);
    // Each value is half as frequent as the previous one.
    const samples = Uint8Array.from({ length: 3 * 300_000 }, () => Math.min(255, -Math.log2(next()) * 1.5));
    const { longestCode } = traced({ samples, rowBytes: 9000, pixelBytes: 1 });
    expect(longestCode).toBeLessThanOrEqual(15);
    expect(longestCode).toBeGreaterThan(11);
  });

  test("follow each other in one stream after another, which share nothing", () => {
    const rows = { samples: noise(50_000), rowBytes: 1000 };
    const kernel = startDeflate("samples", rows.rowBytes, 1);
    for (let i = 0; i < 3; i++) {
      if (i > 0) kernel.begin();
      expect(Buffer.compare(traceZlib(feed(kernel, rows)).bytes, rows.samples)).toBe(0);
    }
    kernel.release();
  });
});

describe("filters", () => {
  /** Returns pixels computed from the left, upper and upper left pixels, with a little noise. */
  function picture(
    pixelBytes: number,
    paint: (left: number, top: number, corner: number, next: () => number) => number,
  ) {
    const [width, height] = [400, 150];
    const rowBytes = width * pixelBytes;
    const samples = new Uint8Array(rowBytes * height);
    const next = random(9);
    for (let at = 0; at < samples.length; at++) {
      const isEdge = at < rowBytes || at % rowBytes < pixelBytes;
      samples[at] = isEdge
        ? 255 * next()
        : paint(samples[at - pixelBytes]!, samples[at - rowBytes]!, samples[at - rowBytes - pixelBytes]!, next);
    }
    return { samples, rowBytes, pixelBytes };
  }
  const wobble = (next: () => number) => next() * 5 - 2;

  test.each([
    ["Sub", 1, (left: number, _top: number, _corner: number, next: () => number) => left + wobble(next)],
    ["Up", 2, (_left: number, top: number, _corner: number, next: () => number) => top + wobble(next)],
    ["Average", 3, (left: number, top: number, _: number, next: () => number) => ((left + top) >> 1) + wobble(next)],
    [
      "Paeth",
      4,
      (left: number, top: number, corner: number, next: () => number) => {
        const nearest = [left, top, corner].toSorted(
          (a, b) => Math.abs(left + top - corner - a) - Math.abs(left + top - corner - b),
        )[0]!;
        return nearest + (next() < 0.5 ? 1 : 0);
      },
    ],
  ] as const)("are undone to the same samples, %s where it is best", (_name, type, paint) => {
    for (const pixelBytes of [1, 3, 4]) {
      const rows = picture(pixelBytes, paint);
      const [samples, filters] = unfilter(traceZlib(deflate("filtered", rows)).bytes, rows.rowBytes, pixelBytes);
      expect(Buffer.compare(samples, rows.samples)).toBe(0);
      expect(filters).toContain(type);
    }
  });

  test("leave a row that equals the one above to zeros", () => {
    const row = noise(3000);
    const samples = Buffer.concat(new Array<Uint8Array>(200).fill(row));
    const stream = deflate("filtered", { samples, rowBytes: 3000, pixelBytes: 3 });
    const [same] = unfilter(traceZlib(stream).bytes, 3000, 3);
    expect(Buffer.compare(same, samples)).toBe(0);
    expect(stream.length).toBeLessThan(3000 + 199 * 8 + 200);
  });
});

describe("memory", () => {
  test("is that of some rows", () => {
    for (const pixelBytes of [1, 3, 4]) {
      const kernel = startDeflate("filtered", 20_400 * pixelBytes, pixelBytes);
      expect(kernel.rows.buffer.byteLength).toBeLessThan(2 * 2 ** 20);
      kernel.release();
    }
  });

  test("cannot be had for a row of a gigabyte", () => {
    expect(() => startDeflate("filtered", 2 ** 30, 1)).toThrow(RangeError);
  });
});

describe("several pictures at a time", () => {
  const kinds: readonly Kind[] = ["noise", "text", "gradient", "gray-in-rgb"];
  const raster = (kind: Kind) => syntheticRaster(kind, { width: 611, height: 700, colorModel: "rgb" });
  const forms = [
    ["PNG", (kind: Kind) => encodePng(raster(kind))],
    ["TIFF", (kind: Kind) => encodeTiff(raster(kind)).body],
  ] as const;

  test.each(forms)("come out as alone when they are encoded by turns, %s", (_name, encode) => {
    const alone = kinds.map((kind) => collect(encode(kind)));
    const turns = kinds.map((kind) => ({ chunks: encode(kind)[Symbol.iterator](), parts: [] as Buffer[] }));
    let waiting = turns;
    while (waiting.length > 0) {
      waiting = waiting.filter(({ chunks, parts }) => {
        const { done, value } = chunks.next();
        if (!done) parts.push(Buffer.from(value));
        return !done;
      });
    }
    turns.forEach(({ parts }, i) => {
      expect(Buffer.compare(Buffer.concat(parts), alone[i]!)).toBe(0);
    });
  });

  test.each(forms)("do not suffer from one that was given up, %s", (_name, encode) => {
    const whole = collect(encode("text"));
    for (const kind of kinds) {
      let bytes = 0;
      for (const chunk of encode(kind)) {
        bytes += chunk.length;
        if (bytes > 1000) break;
      }
      expect(Buffer.compare(collect(encode("text")), whole)).toBe(0);
    }
  });

  test("do not suffer from one whose rows could not be had", () => {
    const whole = collect(encodePng(raster("text")));
    const broken = {
      ...raster("text"),
      *bands() {
        yield* raster("text").bands();
        throw new Error("no more rows");
      },
    };
    expect(() => collect(encodePng(broken))).toThrow("no more rows");
    expect(Buffer.compare(collect(encodePng(raster("text"))), whole)).toBe(0);
  });
});
