// Computes the image in the sample PDF: hills in the evening.
import { crc32, deflateSync } from "node:zlib";

type Color = readonly [number, number, number];

const SKY: readonly [Color, Color] = [
  [244, 196, 150],
  [120, 150, 178],
];
/** Hills from far to near. `height` is the height of the ridge as a fraction of the image height. */
const HILLS: readonly {
  readonly height: number;
  readonly swing: number;
  readonly phase: number;
  readonly color: Color;
}[] = [
  { height: 0.5, swing: 0.07, phase: 0.4, color: [158, 150, 160] },
  { height: 0.6, swing: 0.09, phase: 2.1, color: [112, 112, 128] },
  { height: 0.72, swing: 0.08, phase: 4.4, color: [70, 82, 96] },
  { height: 0.85, swing: 0.06, phase: 5.3, color: [38, 50, 58] },
];
const SUN = { x: 0.68, y: 0.36, radius: 0.085, color: [255, 236, 205] as Color };

/** Returns the image as a PNG with 8-bit RGB. */
export function landscape(width: number, height: number): Uint8Array {
  const rows = Buffer.alloc((1 + 3 * width) * height);
  const ridges = HILLS.map((hill) => Array.from({ length: width }, (_, x) => ridge(hill, x / width) * height));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const front = HILLS.findLastIndex((_, index) => y >= ridges[index]![x]!);
      const color = front < 0 ? skyAt(x / width, y / height, width / height) : HILLS[front]!.color;
      rows.set(color, y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  return png(width, height, rows);
}

function ridge({ height, swing, phase }: (typeof HILLS)[number], x: number): number {
  const wave = Math.sin(5 * x + phase) + 0.45 * Math.sin(13 * x + 2 * phase) + 0.16 * Math.sin(41 * x + 3 * phase);
  return height - swing * wave * 0.6;
}

function skyAt(x: number, y: number, ratio: number): Color {
  const distance = Math.hypot((x - SUN.x) * ratio, y - SUN.y);
  const part = Math.min(1, y / 0.75);
  const sky = mix(SKY[1], SKY[0], part);
  return mix(sky, SUN.color, distance < SUN.radius ? 1 : Math.max(0, 0.5 - distance) * 0.9);
}

const mix = (from: Color, to: Color, part: number): Color =>
  from.map((value, index) => Math.round(value + (to[index]! - value) * part)) as unknown as Color;

function png(width: number, height: number, rows: Uint8Array): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [magic, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat(parts);
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
