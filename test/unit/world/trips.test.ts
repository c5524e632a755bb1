import { describe, expect, test } from "vitest";
import { CITIES, Places, roundTripMs } from "../../support/world/places.ts";
import { journeyOf, type Trip } from "../../support/world/trips.ts";

let started = 0;
/** A trip that takes 100 ms, and some time at its end. */
const trip = (call: string, sentAt: number, staysMs = 0): Trip => ({
  ...{ call, from: "Sydney", to: "Frankfurt", number: started++, sentAt, arrivedAt: sentAt + 50 },
  ...{ repliedAt: sentAt + 50 + staysMs, receivedAt: sentAt + 100 + staysMs },
});
const journey = (trips: readonly Trip[], to: number) => {
  const found = journeyOf(trips, { from: 0, to });
  return found && { ...found, trips: found.trips.map(({ call }) => call) };
};

describe("the trips of a request", () => {
  test("one after the other", () => {
    expect(journey([trip("a", 0), trip("b", 100)], 200)).toEqual({ count: 2, ms: 200, trips: ["a", "b"] });
  });

  test("of concurrent trips, one counts", () => {
    expect(journey([trip("a", 0), trip("b", 0), trip("c", 100)], 200)).toEqual({
      count: 2,
      ms: 200,
      trips: ["b", "c"],
    });
  });

  test("a trip of the called object counts, too", () => {
    expect(journey([trip("a", 0, 100), trip("inner", 50)], 200)).toEqual({ count: 2, ms: 200, trips: ["a", "inner"] });
  });

  test("trips after the response do not count", () => {
    expect(journey([trip("a", 0), trip("later", 100)], 100)).toEqual({ count: 1, ms: 100, trips: ["a"] });
  });

  test("a request without trips", () => {
    expect(journey([], 0)).toEqual({ count: 0, ms: 0, trips: [] });
  });

  test("a request that waits for the earlier trip of another one has no sequence of its own", () => {
    expect(journey([trip("other", -50)], 50)).toBeUndefined();
  });
});

describe("places", () => {
  test("a round trip takes the same time in both directions, and none within a city", () => {
    for (const from of CITIES) {
      for (const to of CITIES) {
        expect(roundTripMs(from, to)).toBe(roundTripMs(to, from));
        expect(roundTripMs(from, to) === 0).toBe(from === to);
      }
    }
  });

  test("without regions, everything is in Frankfurt", () => {
    const places = new Places();
    expect(places.ofBinding("FILES")).toBe("Frankfurt");
    expect(places.ofObject("DISPATCHER", "engines")).toBe("Frankfurt");
  });

  test("a bucket is in its region, an object where its first caller has created it", () => {
    const places = new Places("enam,apac");
    expect([places.ofBinding("FILES"), places.ofBinding("APAC_FILES")]).toEqual(["Virginia", "Singapore"]);
    expect(places.ofObject("JOBS", "apac/queue", "apac")).toBe("Singapore");
    expect(places.ofObject("JOBS", "apac/queue", "weur")).toBe("Singapore");
    expect(places.ofObject("JOBS", "queue")).toBe("Virginia");
  });
});
