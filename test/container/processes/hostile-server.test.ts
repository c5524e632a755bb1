// Runs a part of the hostile-server test; test/faults/hostile-server.ts runs all of it.

import { expect, test } from "vitest";
import { faceHostileServer } from "../../faults/hostile-server.ts";

test("some thousand answers that no server gives: nothing is thrown " +
  "past a connection, and nothing is left", async () => {
  const { answers, uncaught, left, statuses, seed } = await faceHostileServer({ answers: 4000, seed: 14 });
  expect({ uncaught, left, seed }).toEqual({ uncaught: [], left: {}, seed: 14 });
  expect(answers).toBeGreaterThanOrEqual(4000);
  // The server answered some requests, and the proxy rejected some answers.
  expect(statuses["200"]).toBeGreaterThan(100);
  expect(statuses["502"]).toBeGreaterThan(100);
}, 480_000);
