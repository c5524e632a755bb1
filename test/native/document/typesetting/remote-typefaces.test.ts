// Tests the fonts that the edge requests from the container: each part once, in the isolate and through a cache.
import { beforeEach, describe, expect, test } from "vitest";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import type { ContainerClient } from "../../../../src/document/contract/operation.ts";
import { drawEmoji, readTypeface } from "../../../../src/operations/container-only/typefaces.ts";
import { decodeRequest, encodeResponse } from "../../../../src/service/placement/remote.ts";
import { remoteTypefaces } from "../../../../src/service/placement/typefaces.ts";
import { CONTEXT } from "../../../support/operations.ts";
import { TYPESETTING } from "../../../support/typefaces.ts";

const posts: string[] = [];
/** The remote end is in this process, and runs the operations of the container with the machine's fonts. */
const container: ContainerClient = {
  async post({ name }, body) {
    posts.push(name);
    const [step] = (await decodeRequest(body)).steps;
    const params = step!.params as never;
    const operation = name === readTypeface.name ? readTypeface : drawEmoji;
    return encodeResponse(operation.run([], params, TYPESETTING), () => {});
  },
};

/** Keeps responses as the platform's cache does. */
class MemoryCache {
  readonly kept = new Map<string, Response>();
  async match(key: string) {
    return this.kept.get(key)?.clone();
  }
  async put(key: string, response: Response) {
    this.kept.set(key, response);
  }
}

beforeEach(() => {
  posts.length = 0;
});

const edge = (cache?: MemoryCache) => remoteTypefaces({ container, cache, context: CONTEXT });

test("a font is requested once, and a part with other characters again", async () => {
  const whole = await edge().typeface({ face: "NotoSansOgham-Regular" });
  expect((await edge().typeface({ face: "NotoSansOgham-Regular" }))!.length).toBe(whole!.length);
  expect(posts).toEqual(["read-typeface"]);
  const part = await edge().typeface({ face: "NotoSansOgham-Regular", characters: "ᚐ" });
  await edge().typeface({ face: "NotoSansOgham-Regular", characters: "ᚐ" });
  expect(posts).toEqual(["read-typeface", "read-typeface"]);
  expect(part!.length).toBeLessThan(whole!.length);
});

test("a font that is not installed is requested once", async () => {
  for (let time = 0; time < 2; time++) expect(await edge().typeface({ face: "NoSuchFont" })).toBeUndefined();
  expect(posts).toEqual(["read-typeface"]);
});

test("emoji are requested together, and only the unknown ones", async () => {
  const [smile, letter] = await edge().emoji(["😀", "x"]);
  expect([Buffer.from(smile!).toString("latin1", 1, 4), letter]).toEqual(["PNG", undefined]);
  const [, flag] = await edge().emoji(["😀", "🇩🇪", "x"]);
  expect(flag!.length).toBeGreaterThan(100);
  expect(posts).toEqual(["draw-emoji", "draw-emoji"]);
  await edge().emoji(["🇩🇪", "😀"]);
  expect(posts).toHaveLength(2);
});

describe("the platform's cache", () => {
  test("keeps parts that the isolate has dropped", async () => {
    const cache = new MemoryCache();
    const face = { face: "NotoSansRunic-Regular" };
    const first = await edge(cache).typeface(face);
    // More than the isolate keeps.
    for (const style of ["Regular", "Bold", "Italic", "BoldItalic"]) {
      for (const family of ["NotoSans", "NotoSerif", "NotoSansDisplay", "NotoSerifDisplay"]) {
        await edge(cache).typeface({ face: `${family}-${style}` });
      }
    }
    const count = posts.length;
    expect(await edge(cache).typeface(face)).toEqual(first);
    expect(posts).toHaveLength(count);
    const [entry] = [...cache.kept].filter(([key]) => key.includes("Runic"));
    expect(entry![1].headers.get("Cache-Control")).toMatch(/max-age=\d{6}/);
  });
});

test("failures of the container are passed on", async () => {
  const failing: ContainerClient = {
    post: async () => {
      throw new EngineFailure("lost", "gone");
    },
  };
  const provider = remoteTypefaces({ container: failing, cache: undefined, context: CONTEXT });
  await expect(provider.typeface({ face: "NotoSansTagalog-Regular" })).rejects.toMatchObject({ reason: "lost" });
  const none = remoteTypefaces({ container: undefined, cache: undefined, context: CONTEXT });
  await expect(none.emoji(["🎈"])).rejects.toMatchObject({ reason: "busy" });
});
