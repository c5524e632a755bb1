// Tests the connection to the container in a runtime without containers, and to a container at a URL.
import { env as bindings } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { toServiceError } from "../../src/service/http/contract/errors.ts";
import { connectContainer } from "../../src/service/placement/container.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import type { Env } from "../../src/service/settings/config.ts";

const app = createApp(ISOLATE_CAPACITY);

const env = bindings as unknown as Env;
const caller = { requestId: "a request", client: "a client", waitUntil: () => {} };
const never = new AbortController().signal;
const nothing = async function* () {};

test("where no container can be started, a job is told so at once, and is not attempted again", async () => {
  const container = connectContainer(env, caller)!;
  const failure = await container.post({ name: "office-to-pdf" }, nothing(), never).catch((error: unknown) => error);
  expect(failure).toMatchObject({ reason: "busy", detail: expect.stringContaining("not-started") });
  container.onJobEnd?.(failure);
  expect(await container.prepareRetry(failure, never)).toBe(false);
  expect(toServiceError(failure)).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
});

test("an address without a secret is no container", () => {
  expect(connectContainer({ ...env, CONTAINER_URL: "http://127.0.0.1:9" }, caller)).toBeUndefined();
  expect(connectContainer({ ...env, CONTAINER_SECRET: "of no address" }, caller)).toBeDefined();
});

test("GET /ready says so, and GET /up does not wait for it", async () => {
  const answer = await app.fetch(new Request("http://localhost/ready"), env);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    status: "unavailable",
    storage: "OK",
    container: { engines: "failed", web: "failed" },
    engines: {},
    queue: { waiting: 0, room: expect.any(Number) },
    notes: [],
    reasons: ["The container for documents does not start.", "The container for web pages does not start."],
  });
  expect((await app.fetch(new Request("http://localhost/up"), env)).status).toBe(200);
});

test("the client gets 503 with Retry-After, while what needs no container works", async () => {
  const ask = (path: string, fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const request = new Request(`http://localhost${path}`, { method: "POST", body });
    const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
    return app.fetch(request, env, context);
  };
  const answer = await ask("/pdf", { output: "made", file: new File(["{\\rtf1 Hello}"], "letter.doc") });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(Object.keys((await answer.json()) as object)).toEqual(["error"]);
  expect((await ask("/html", { output: "made", content: "<p>Hello</p>" })).status).toBe(200);
});
