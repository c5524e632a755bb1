// Tests that the Worker writes one data point for each request if it has a dataset.
/// <reference types="@cloudflare/vitest-plugin/types" />
import { createExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import type { Env } from "../../src/service/settings/config.ts";

type Point = Parameters<NonNullable<Env["ANALYTICS"]>["writeDataPoint"]>[0];

test("one data point for each request, whatever its answer", async () => {
  const points: Point[] = [];
  const env = { ...bindings, ANALYTICS: { writeDataPoint: (point: Point) => void points.push(point) } };
  const app = createApp(ISOLATE_CAPACITY);
  const ask = (path: string, init?: RequestInit) =>
    app.fetch(new Request(`http://localhost${path}`, init), env as unknown as Env, createExecutionContext());
  expect((await ask("/up")).status).toBe(200);
  expect((await ask("/resource/unknown?format=file")).status).toBe(404);
  const form = new FormData();
  form.set("content", "<p>Hello</p>");
  form.set("output", "page");
  expect((await ask("/html", { method: "POST", body: form })).status).toBe(200);
  expect(points.map(({ indexes, blobs }) => [...indexes, ...blobs])).toEqual([
    ["/up", "/up", "GET", "200", "private"],
    ["/resource/:id", "/resource/:id", "GET", "404", "private"],
    ["/html", "/html", "POST", "200", "private"],
  ]);
  for (const { doubles } of points) {
    expect(doubles).toHaveLength(7);
    expect(doubles.every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
  }
});
