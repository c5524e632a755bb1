// Compares a document before and after redaction: words besides the secret, and pixels outside of the marks.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { withFile } from "../pdf-readers.ts";

const NEIGHBORS = /^(Upper|Lower|line|stays|where|it|is|Left|Right|left|right|column|of|the|A|page|without)$/;
const NEAR_PT = 0.011;

type Word = readonly [word: string, ...box: number[]];

function neighborsOf(pdf: Uint8Array): readonly Word[] {
  const html = withFile(pdf, (path) => execFileSync("pdftotext", ["-bbox", path, "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
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
      (other) => other[0] === word[0] && other.slice(1).every((value, at) => Math.abs(Number(value) - Number(word[at + 1])) <= NEAR_PT),
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
    execFileSync("pdftoppm", ["-r", "72", "-f", "1", "-l", "1", "-singlefile", "-aa", "no", "-aaVector", "no", path, path], { stdio: "ignore" });
    return readFileSync(`${path}.ppm`);
  });
  const [head, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 40).toString("latin1"))!;
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(head!.length) };
}

/** Returns the number of pixels that differ, and of those that are not black in the output: outside of black boxes. */
export function changedPixels(before: Uint8Array, after: Uint8Array): number {
  const [old, now] = [pictureOf(before), pictureOf(after)];
  if (old.width !== now.width || old.height !== now.height) return Infinity;
  let changed = 0;
  for (let at = 0; at < old.pixels.length; at += 3) {
    const isSame = [0, 1, 2].every((channel) => Math.abs(old.pixels[at + channel]! - now.pixels[at + channel]!) <= 1);
    const isBox = now.pixels[at]! + now.pixels[at + 1]! + now.pixels[at + 2]! === 0;
    if (!isSame && !isBox) changed++;
  }
  return changed;
}
