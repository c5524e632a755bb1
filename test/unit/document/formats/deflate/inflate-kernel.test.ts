// Tests zlib streams of every kind, truncated and damaged in every way, and compares the results with zlib's own
// reader.
import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Inflater, type StreamState } from "../../../../../src/document/formats/deflate/inflate-kernel.ts";

/** Inflates a stream that arrives in pieces. */
function inflate(stream: Uint8Array, pieceBytes = stream.length): { bytes: Buffer; state: StreamState } {
  using inflater = new Inflater();
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.length; at += pieceBytes) {
    for (const chunk of inflater.push(stream.subarray(at, at + pieceBytes))) chunks.push(Buffer.from(chunk));
  }
  return { bytes: Buffer.concat(chunks), state: inflater.state };
}

/** Numbers that look random, and are the same every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const CONTENTS: Readonly<Record<string, Buffer>> = (() => {
  const next = random(7);
  const noise = Buffer.from(Array.from({ length: 150_000 }, () => next() * 256));
  const skewed = Buffer.from(Array.from({ length: 150_000 }, () => next() ** 8 * 256));
  const far = Buffer.concat([noise.subarray(0, 32_768), noise.subarray(0, 40_000), noise.subarray(0, 100)]);
  return {
    nothing: Buffer.alloc(0),
    "one byte": Buffer.from("x"),
    zeros: Buffer.alloc(1_000_000),
    text: Buffer.from("The same again, and again. ".repeat(9000)),
    noise,
    skewed,
    "matches from as far as can be": far,
  };
})();

describe.each(Object.keys(CONTENTS))("%s", (name) => {
  const content = CONTENTS[name]!;

  test.each([0, 1, 6, 9])("level %i, all strategies, in pieces", (level) => {
    for (const strategy of [0, 1, 2, 3, 4]) {
      const stream = deflateSync(content, { level, strategy, memLevel: level === 9 ? 1 : 8 });
      for (const pieceBytes of [stream.length, 70_000, 997, ...(stream.length < 5000 ? [1] : [])]) {
        const { bytes, state } = inflate(stream, pieceBytes);
        expect([state, bytes.equals(content)]).toEqual(["ended", true]);
      }
    }
  });

  test("cut anywhere: what came before", () => {
    const stream = deflateSync(content);
    for (let cut = 0; cut < stream.length; cut += Math.max(1, stream.length >> 6)) {
      const { bytes, state } = inflate(stream.subarray(0, cut), 1000);
      expect([state, bytes.equals(content.subarray(0, bytes.length))]).toEqual(["open", true]);
    }
  });
});

test("damage is found wherever zlib finds it, and nothing but bytes comes of it", () => {
  const next = random(3);
  const stream = deflateSync(CONTENTS.skewed!);
  let found = 0;
  for (let round = 0; round < 300; round++) {
    const damaged = Buffer.from(stream);
    damaged[Math.floor(next() * damaged.length)]! ^= 1 << Math.floor(next() * 8);
    let expected = true;
    try {
      inflateSync(damaged);
    } catch {
      expected = false;
    }
    const { state } = inflate(damaged);
    expect(state === "ended", `round ${round}`).toBe(expected);
    if (!expected) found++;
  }
  expect(found).toBeGreaterThan(250);
});

test("a checksum that differs; what follows the end", () => {
  const stream = deflateSync(CONTENTS.text!);
  const wrong = Buffer.from(stream);
  wrong[wrong.length - 1]! ^= 1;
  expect(inflate(wrong)).toEqual({ bytes: CONTENTS.text, state: "checksum-differs" });
  expect(inflate(Buffer.concat([stream, Buffer.from("more")]))).toEqual({ bytes: CONTENTS.text, state: "ended" });
});

test.each([
  ["no zlib stream", Buffer.from("GIF89a....")],
  ["a preset dictionary", Buffer.from([0x78, 0xbb, 0, 0, 0, 0, 0, 0])],
  ["a block of no kind", Buffer.from([0x78, 0x9c, 0x07, 0, 0, 0, 0])],
  ["a stored block whose length is contradicted", Buffer.from([0x78, 0x9c, 0x01, 5, 0, 5, 0, 0])],
  ["a match before the beginning", Buffer.from([0x78, 0x9c, 0x63, 0x00, 0x42, 0x00, 0, 0])],
])("%s is damaged", (_, stream) => {
  expect(inflate(Buffer.concat([stream, Buffer.alloc(300)])).state).toBe("damaged");
});

test("instances that were left in the middle serve again", () => {
  for (let round = 0; round < 10; round++) {
    using inflater = new Inflater();
    for (const _ of inflater.push(deflateSync(CONTENTS.zeros!))) break;
  }
  expect(inflate(deflateSync(CONTENTS.noise!)).bytes.equals(CONTENTS.noise!)).toBe(true);
});
