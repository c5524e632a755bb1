// Tests how the service serves the page at / and its files.
// Contract: docs/api.md#workbench
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { privateClient } from "../support/client.ts";

const get = (path: string, headers: Record<string, string> = {}) => fetch(privateClient().url + path, { headers });

describe("the page", () => {
  test.each(["text/html,*/*;q=0.8", "*/*", "application/json, text/html"])(
    "is the answer to Accept: %s",
    async (Accept) => {
      const response = await get("/", { Accept });
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("Vary")).toContain("Accept");
      expect(await response.text()).toContain('<div id="page"></div>');
    },
  );

  test("keeps its policy when it is not sent again", async () => {
    const { headers } = await get("/", { Accept: "text/html" });
    const again = await get("/", { Accept: "text/html", "If-None-Match": headers.get("ETag")! });
    expect(again.status).toBe(304);
    expect(again.headers.get("Content-Security-Policy")).toBe(headers.get("Content-Security-Policy"));
  });

  test("is nothing to a client of the API", async () => {
    const response = await get("/", { Accept: "application/json" });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: "There is no such endpoint." });
  });

  test("runs nothing but its own script, and sets no cookie", async () => {
    const { headers } = await get("/");
    const policy = headers.get("Content-Security-Policy")!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("Set-Cookie")).toBeNull();
  });
});

test("the files that it loads are there, unchanged ones are not sent again, and its script is small", async () => {
  const page = await (await get("/")).text();
  const paths = [...page.matchAll(/(?:href|src)="(workbench\/[^"]+)"/g)].map(([, path]) => path!);
  expect(paths).toContain("workbench/main.js");
  const scripts: string[] = [];
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const response = await get(`/${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const again = await get(`/${path}`, { "If-None-Match": response.headers.get("ETag")! });
    expect([path, again.status]).toEqual([path, 304]);
    expect(again.headers.get("Content-Security-Policy")).toBe(response.headers.get("Content-Security-Policy"));
    const text = await response.text();
    if (!path.endsWith(".js")) continue;
    scripts.push(text);
    paths.push(...[...text.matchAll(/from"\.\/([\w.-]+\.js)"/g)].map(([, name]) => `workbench/${name}`));
  }
  expect(scripts.length).toBeGreaterThan(1);
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
  expect(bytes).toBeLessThan(60 * 1024);
  expect((await get("/workbench/index.html")).status).toBe(404);
});
