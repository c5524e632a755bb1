// The way to the container as it is in production: a real Durable Object, where no container can be had.
import { env as bindings } from "cloudflare:workers";
import { expect, test } from "vitest";
import { app } from "../../src/app.ts";
import type { Env } from "../../src/config.ts";
import { connectContainer } from "../../src/container.ts";

const env = bindings as unknown as Env;
const secret = { CONTAINER_SECRET: "a secret of this test" };

test("where the container cannot be started, a job is told that it is busy", async () => {
  const container = connectContainer({ ...env, ...secret }, "a request", "a client")!;
  const nothing = async function* () {};
  const answer = container.post("office-to-pdf", nothing(), new AbortController().signal);
  await expect(answer).rejects.toMatchObject({ reason: "busy" });
});

test("and the client 503 with Retry-After, while what needs no container works", async () => {
  const ask = (path: string, fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const request = new Request(`http://localhost${path}`, { method: "POST", body });
    const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
    return app.fetch(request, { ...env, ...secret }, context);
  };
  const answer = await ask("/pdf", { output: "made", file: new File(["{\\rtf1 Hello}"], "letter.doc") });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(Object.keys((await answer.json()) as object)).toEqual(["error"]);
  expect((await ask("/html", { output: "made", content: "<p>Hello</p>" })).status).toBe(200);
});
