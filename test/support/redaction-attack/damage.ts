// Compares a document before and after redaction: words besides the secret, and pixels outside of the marks.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { withFile } from "../pdf-readers.ts";

const NEIGHBORS = /^(Upper|Lower|line|stays|where|it|is|Left|Right|left|right|column|of|the|page|without)$/;
const NEAR_PT = 0.011;

type Word = readonly [word: string, ...box: number[]];

function neighborsOf(pdf: Uint8Array): readonly Word[] {
  const html = withFile(pdf, (path) =>
    execFileSync("pdftotext", ["-bbox", path, "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  const pattern = /xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g;
  return [...html.matchAll(pattern)]
    .map(([, a, b, c, d, word]): Word => [word!, Number(a), Number(b), Number(c), Number(d)])
    .filter(([word]) => NEIGHBORS.test(word));
}

/** Returns neighbors that are no longer where they were. */
export function movedWords(before: Uint8Array, after: Uint8Array): string[] {
  const rest = [...neighborsOf(after)];
  return neighborsOf(before).flatMap((word) => {
    const index = rest.findIndex(
      (other) =>
        other[0] === word[0] &&
        other.slice(1).every((value, at) => Math.abs(Number(value) - Number(word[at + 1])) <= NEAR_PT),
    );
    if (index >= 0) rest.splice(index, 1);
    return index >= 0 ? [] : [word.join(" ")];
  });
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}
function pictureOf(pdf: Uint8Array): Picture {
  const bytes = withFile(pdf, (path) => {
    execFileSync(
      "pdftoppm",
      ["-r", "72", "-f", "1", "-l", "1", "-singlefile", "-aa", "no", "-aaVector", "no", path, path],
      { stdio: "ignore" },
    );
    return readFileSync(`${path}.ppm`);
  });
  const [head, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 40).toString("latin1"))!;
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(head!.length) };
}

/** Distance of a box in which pixels can change: glyphs of a secret reach beyond its mark. */
const REACH = 4;

/** Returns the number of pixels that differ, but for black boxes and what is near them. */
export function changedPixels(before: Uint8Array, after: Uint8Array): number {
  const [old, now] = [pictureOf(before), pictureOf(after)];
  if (old.width !== now.width || old.height !== now.height) return Infinity;
  const changed: number[] = [];
  const isNear = new Uint8Array(old.width * old.height);
  for (let at = 0; at < isNear.length; at++) {
    const channels = [3 * at, 3 * at + 1, 3 * at + 2];
    if (channels.every((one) => Math.abs(old.pixels[one]! - now.pixels[one]!) <= 1)) continue;
    if (channels.some((one) => now.pixels[one] !== 0)) changed.push(at);
    else nearby(at, old.width, isNear);
  }
  return changed.filter((at) => isNear[at] === 0).length;
}

function nearby(at: number, width: number, isNear: Uint8Array): void {
  for (let row = -REACH; row <= REACH; row++) isNear.fill(1, at + row * width - REACH, at + row * width + REACH + 1);
}
