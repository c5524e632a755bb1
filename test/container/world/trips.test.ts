// Counts the calls to other continents that each kind of request makes one after the other. The counts are exact: they
// depend on no time (test/worker/world/virtual-clock.ts). `npm run bench -- world --trips` lists the calls.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KEY, KINDS, LIMITS_OF_KEY, measure } from "../../support/world/kinds.ts";
import { startWorld, type World } from "../../support/world/world-service.ts";

/** Trips from Sydney to the resources in Frankfurt. */
const FAR: Readonly<Record<string, { readonly private: number; readonly keyed: number }>> = {
  "/html": { private: 1, keyed: 2 },
  "/png, the image itself": { private: 0, keyed: 1 },
  "/png, JSON": { private: 1, keyed: 2 },
  "/png, then GET": { private: 1, keyed: 1 },
  "/merged-pdf": { private: 1, keyed: 2 },
  "/pdf (docx)": { private: 3, keyed: 4 },
  "GET /resource": { private: 1, keyed: 1 },
  "GET /resource, from afar": { private: 1, keyed: 1 },
  "a page by URL": { private: 6, keyed: 6 },
  "a page by URL, again": { private: 2, keyed: 2 },
  "a tile by URL, again": { private: 1, keyed: 1 },
  "a tile from afar, again": { private: 1, keyed: 1 },
  "/pdf (docx), asynchronous": { private: 2, keyed: 3 },
  "status of a job": { private: 1, keyed: 1 },
};

describe.each(["private", "keyed"] as const)("%s", (variant) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ variant, keys: { [KEY]: { limits: LIMITS_OF_KEY } } });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test.each(KINDS)("far trips of $name", async (kind) => {
    const { count, ms, trips } = await measure(world, "Sydney", kind);
    expect({ count, ms }, JSON.stringify(trips)).toEqual({
      count: FAR[kind.name]![variant],
      ms: 323 * FAR[kind.name]![variant],
    });
  });

  test("a request next to the resources makes no far trip", async () => {
    const kind = KINDS.find(({ name }) => name === "/pdf (docx)")!;
    expect(await measure(world, "Frankfurt", kind)).toEqual({ count: 0, ms: 0, trips: [] });
  });
});
