// Counts the calls to other continents that each kind of request makes one after the other. The counts are exact: they
// depend on no time (test/worker/world/virtual-clock.ts). `npm run bench -- world --trips` lists the calls.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KEY, KINDS, LIMITS_OF_KEY, measure } from "../../support/world/kinds.ts";
import { startWorld, type World } from "../../support/world/world-service.ts";

const REGIONS = "weur,enam,apac,oc";
const keys = { [KEY]: { limits: LIMITS_OF_KEY } };
const WORLDS = {
  private: { variant: "private" },
  keyed: { variant: "keyed" },
  "private, with a region next to the client": { variant: "private", regions: REGIONS },
} as const;

/** Trips from Sydney to Frankfurt, in the order of the worlds. */
const FAR: Readonly<Record<string, readonly [number, number, number]>> = {
  "/html": [1, 2, 0],
  "/png, the image itself": [0, 1, 0],
  "/png, JSON": [1, 2, 0],
  "/png, then GET": [1, 1, 0],
  "/merged-pdf": [1, 2, 0],
  "/pdf (docx)": [3, 4, 0],
  "/steps, by ID": [4, 5, 0],
  "/steps, by ID from afar": [4, 5, 1],
  "GET /resource": [1, 1, 0],
  "GET /resource, from afar": [1, 1, 1],
  "a page by URL": [6, 6, 0],
  "a page by URL, again": [1, 1, 0],
  "a tile by URL, again": [1, 1, 0],
  "a page from afar": [6, 6, 1],
  // The world is one isolate, so the page is still in memory. Elsewhere it is one trip.
  "a tile from afar, again": [1, 1, 0],
  "/pdf (docx), asynchronous": [2, 3, 0],
  "status of a job": [1, 1, 0],
};

describe.each(Object.entries(WORLDS).map(([name, options], at) => ({ name, options, at })))("$name", (tested) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ ...tested.options, keys, engines: ["office", "threads"] });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  test.each(KINDS)("far trips of $name", async (kind) => {
    const { count, ms, trips } = await measure(world, "Sydney", kind);
    const expected = FAR[kind.name]![tested.at]!;
    expect({ count, ms }, JSON.stringify(trips)).toEqual({ count: expected, ms: expected * 323 });
  });

  test("a request next to the resources makes no far trip", async () => {
    const kind = KINDS.find(({ name }) => name === "/pdf (docx)")!;
    expect(await measure(world, "Frankfurt", kind)).toEqual({ count: 0, ms: 0, trips: [] });
  });
});

describe("keyed, with a region next to the client", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ variant: "keyed", regions: REGIONS, keys, engines: ["office", "threads"] });
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  // The region's allowance can end during any request, which then asks for more.
  test.each(KINDS)("at most one far trip of $name for the limits", async (kind) => {
    const { trips } = await measure(world, "Sydney", kind);
    const [forLimits, others] = [true, false].map((isLimit) =>
      trips.filter(({ call }) => call.startsWith("CLIENT_LIMITS") === isLimit),
    );
    expect(forLimits!.length).toBeLessThanOrEqual(1);
    expect(others).toHaveLength(FAR[kind.name]![2]);
  });

  // São Paulo is far from every region: requests are forwarded as a whole.
  // It reads the copy in the nearest region, if there is one, then the original.
  const readsTwice = (name: string) => name === "a tile from afar, again";
  test.each(KINDS)("at most one far trip of $name from a city without a region", async (kind) => {
    const { count, trips } = await measure(world, "São Paulo", kind);
    expect(count, JSON.stringify(trips)).toBeLessThanOrEqual(readsTwice(kind.name) ? 2 : 1);
  });
});
