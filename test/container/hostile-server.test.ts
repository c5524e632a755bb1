// A part of the hostile-server run: the whole of it is test/faults/hostile-server.ts.

import { expect, test } from "vitest";
import { faceHostileServer } from "../faults/hostile-server.ts";

test("some thousand answers that no server gives: nothing is thrown past a connection, and nothing is left", async () => {
  const { answers, uncaught, left, statuses, seed } = await faceHostileServer({ answers: 4000, seed: 14 });
  expect({ uncaught, left, seed }).toEqual({ uncaught: [], left: {}, seed: 14 });
  expect(answers).toBeGreaterThanOrEqual(4000);
  // Both sides were at work.
  expect(statuses["200"]).toBeGreaterThan(100);
  expect(statuses["502"]).toBeGreaterThan(100);
});
