// Tests the health of a whole service: /up is constant, and /ready reports what works, without a key.
// Contract: docs/api.md#health
import { describe, expect, test } from "vitest";
import type { Readiness } from "../../src/service/http/health/readiness.ts";
import { RELEASE } from "../../src/service/settings/release.ts";
import { keyedClient, privateClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";

describe.each([
  ["private", privateClient],
  ["keyed", keyedClient],
] as const)("the %s variant", (variant, client) => {
  test("GET /up is constant and needs no key, whatever part of a service it asks for", async () => {
    const paths = ["/up", "/up", "/up", "/up-toolkit", "/up-forms", "/up-office"];
    const answers = await Promise.all(paths.map((path) => fetch(`${client().url}${path}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts)).toEqual(new Set([JSON.stringify({ status: "OK", variant, ...RELEASE })]));
  });

  test("GET /ready becomes 200, with a proof of each engine, and needs no key", async () => {
    await eventually(async () => {
      const response = await fetch(`${client().url}/ready`);
      const ready = (await response.json()) as Readiness;
      expect([response.status, ready.status, ready.storage, ready.reasons]).toEqual([200, "OK", "OK", []]);
      expect(ready.container).toEqual({ engines: "OK", web: "OK" });
      expect(Object.keys(ready.engines).toSorted()).toEqual([
        "chromium",
        "ghostscript",
        "office",
        "threads",
        "verapdf",
      ]);
      for (const { state, proof } of Object.values(ready.engines)) {
        expect(["warm", "fallback"]).toContain(state);
        expect(["job", "probe"]).toContain(proof?.by);
      }
      expect(ready.queue.room).toBeGreaterThan(0);
    });
  });
});

test.each(["/up", "/ready", "/openapi.json", "/operations.json"])(
  "POST %s: 405 with the methods that it has",
  async (path) => {
    for (const method of ["POST", "DELETE"]) {
      const response = await fetch(`${privateClient().url}${path}`, { method });
      expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
      expect(await response.json()).toEqual({ error: "This endpoint only accepts GET, HEAD requests." });
    }
    const head = await fetch(`${privateClient().url}${path}`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  },
);
