// Tests the path to the container as in production, with a real Durable Object, in a runtime that has no containers.
import { env as bindings } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { ISOLATE_BUDGETS } from "../../src/core/budgets.ts";
import type { Env } from "../../src/core/config.ts";
import { toServiceError } from "../../src/http/errors.ts";
import { connectContainer } from "../../src/placement/container.ts";

const env = bindings as unknown as Env;
const secret = { CONTAINER_SECRET: "a secret of this test" };

test("where the container cannot be started, a job is told that it was lost", async () => {
  const container = connectContainer({ ...env, ...secret }, "a request", "a client")!;
  const nothing = async function* () {};
  const answer = container.post("office-to-pdf", nothing(), new AbortController().signal);
  await expect(answer).rejects.toMatchObject({ reason: "lost" });
});

test.each([
  [401, "busy"],
  [404, "busy"],
  [429, "busy"],
  [500, "lost"],
  [502, "lost"],
  [503, "lost"],
])("a container that answers %i: %s, and so 503", async (status, reason) => {
  const answering = {
    idFromName: (name: string) => name,
    get: () => ({ fetch: async () => new Response("{}", { status }) }),
  } as unknown as NonNullable<Env["CONTAINER"]>;
  const container = connectContainer({ ...env, ...secret, CONTAINER: answering }, "a request", "a client")!;
  const failure = await container
    .post("office-to-pdf", (async function* () {})(), new AbortController().signal)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ reason });
  const { status: answered, headers } = toServiceError(failure);
  expect([answered, headers["Retry-After"]]).toEqual([503, "5"]);
});

test("a container that is back is waited for no longer, one that stays away not for ever", async () => {
  let asked = 0;
  const returning = {
    idFromName: (name: string) => name,
    get: () => ({
      fetch: async () => {
        if (++asked < 3) throw new TypeError("Network connection lost.");
        return new Response("{}");
      },
    }),
  } as unknown as NonNullable<Env["CONTAINER"]>;
  const container = connectContainer({ ...env, ...secret, CONTAINER: returning }, "a request", "a client")!;
  await container.comesBack(new AbortController().signal);
  expect(asked).toBe(3);
  asked = Number.NEGATIVE_INFINITY;
  await container.comesBack(new AbortController().signal);
  await expect(container.comesBack(AbortSignal.abort(new Error("gone")))).rejects.toThrow();
});

test("and the client 503 with Retry-After, while what needs no container works", async () => {
  const ask = (path: string, fields: Record<string, string | File>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const request = new Request(`http://localhost${path}`, { method: "POST", body });
    const context = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;
    return createApp(ISOLATE_BUDGETS).fetch(request, { ...env, ...secret }, context);
  };
  const answer = await ask("/pdf", { output: "made", file: new File(["{\\rtf1 Hello}"], "letter.doc") });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
  expect(Object.keys((await answer.json()) as object)).toEqual(["error"]);
  expect((await ask("/html", { output: "made", content: "<p>Hello</p>" })).status).toBe(200);
});
