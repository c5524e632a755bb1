// Tests how the client follows a job. Here, the service is a function that responds as the contract describes, and then
// fails in the ways in which services fail; the service has its own tests.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Progress } from "../../../client/core/progress.ts";
import { Pagewright } from "../../../client/index.ts";
import { noFormSecret } from "../../../src/service/http/contract/errors.ts";

type Answer = (init: RequestInit) => Response | Promise<Response>;

const asked: string[] = [];
const DONE = { outputUrl: "http://x/resource/2a?format=file", outputId: "2a", inputId: "1a", status: "completed" };

const every = globalThis.setInterval;
let clock: NodeJS.Timeout;
beforeEach(() => {
  asked.length = 0;
  vi.useFakeTimers();
  // Fake timers advance, so that minutes pass immediately.
  clock = every(() => vi.advanceTimersByTime(500), 1);
});
afterEach(() => {
  vi.useRealTimers();
  clearInterval(clock);
});

/** @param answers responses by method and path. Each response of a list is used once; the last one is repeated */
function connect(answers: Readonly<Record<string, readonly Answer[]>>): InstanceType<typeof Pagewright> {
  const left = new Map(Object.entries(answers).map(([key, list]) => [key, [...list]]));
  return new Pagewright({
    baseUrl: "http://pagewright.test/",
    fetch: async (url, init) => {
      const key = `${init.method} ${new URL(url).pathname}`;
      asked.push(key);
      const list = left.get(key) ?? [];
      const answer = list.length > 1 ? list.shift() : list[0];
      if (!answer) throw new Error(`Nobody expects ${key}.`);
      return answer(init);
    },
  });
}

const accepted: Answer = () => Response.json({ requestId: "r1" }, { status: 202 });
const status =
  (value: object): Answer =>
  () =>
    Response.json(value);
/**
 * @param end `break`: the connection breaks after the events; `hang`: the connection stays open without further events
 */
const events =
  (values: readonly object[], end?: "break" | "hang"): Answer =>
  () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const value of values) {
          controller.enqueue(new TextEncoder().encode(`event: status\ndata: ${JSON.stringify(value)}\n\n`));
        }
        if (end === undefined) controller.close();
      },
      pull(controller) {
        if (end === "break") controller.error(new TypeError("terminated"));
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
  };
const POST = "POST /html";
const STATUS = "GET /request-status/r1";
const DELETE = "DELETE /request-status/r1";

async function run(pw: InstanceType<typeof Pagewright>, signal?: AbortSignal) {
  const told: Progress[] = [];
  const result = await pw.html("x", {}, { async: true, signal, onProgress: (progress) => told.push(progress) });
  return { id: result.id, told };
}

test("a service that cannot queue secrets runs the request synchronously", async () => {
  const { status: _, ...done } = DONE;
  const preferences: (string | null)[] = [];
  const answer: Answer = ({ headers }) => {
    const preference = new Headers(headers).get("Prefer");
    preferences.push(preference);
    const { status, message } = noFormSecret();
    return preference === null ? Response.json(done) : Response.json({ error: message }, { status });
  };
  expect(await run(connect({ [POST]: [answer] }))).toMatchObject({ id: "2a" });
  expect(preferences).toEqual(["respond-async", null]);
});

test("events tell of the job until it is done", async () => {
  const pw = connect({
    [POST]: [accepted],
    [STATUS]: [
      events([
        { status: "pending", phase: "waiting", position: 3 },
        { status: "pending", phase: "running", pagesDone: 4, pagesTotal: 10 },
        DONE,
      ]),
    ],
  });
  const { id, told } = await run(pw);
  expect(id).toBe("2a");
  expect(told).toEqual([
    { phase: "waiting" },
    { phase: "waiting", position: 3 },
    { phase: "running", pagesDone: 4, pagesTotal: 10 },
  ]);
  expect(asked).toEqual([POST, STATUS]);
});

test("a service without events is asked again and again", async () => {
  const pending = status({ status: "pending" });
  const pw = connect({ [POST]: [accepted], [STATUS]: [pending, pending, status(DONE)] });
  expect((await run(pw)).id).toBe("2a");
  expect(asked).toEqual([POST, STATUS, STATUS, STATUS]);
});

test("a service that answers at once is taken at its word", async () => {
  const pw = connect({ [POST]: [status({ ...DONE, status: undefined })] });
  expect((await run(pw)).id).toBe("2a");
  expect(asked).toEqual([POST]);
});

test.each([
  ["that breaks", events([{ status: "pending" }], "break")],
  ["that ends early", events([{ status: "pending" }])],
  ["that falls silent", events([{ status: "pending" }], "hang")],
  ["that is refused", () => Response.json({ error: "busy" }, { status: 503 })],
])("a stream %s is opened again", async (_, broken) => {
  const pw = connect({ [POST]: [accepted], [STATUS]: [broken, events([DONE])] });
  expect((await run(pw)).id).toBe("2a");
  expect(asked).toEqual([POST, STATUS, STATUS]);
});

test("a job that fails tells why, and which one it was", async () => {
  const error = "9 is not within the acceptable range for resolution.";
  const pw = connect({ [POST]: [accepted], [STATUS]: [events([{ status: "failed", error, errorStatus: 400 }])] });
  const expected = { status: 400, message: error, parameter: "resolution", requestId: "r1" };
  await expect(run(pw)).rejects.toMatchObject(expected);
  expect(asked).toEqual([POST, STATUS]);
});

test("a job that the service lost is asked for again, under another key", async () => {
  const keys = new Set<string | null>();
  const noted: Answer = (init) => {
    keys.add(new Headers(init.headers).get("Idempotency-Key"));
    return accepted(init);
  };
  const lost = events([{ status: "failed", error: "The service is busy, please try again later.", errorStatus: 503 }]);
  const pw = connect({ [POST]: [noted], [STATUS]: [lost, events([DONE])] });
  expect((await run(pw)).id).toBe("2a");
  expect(asked).toEqual([POST, STATUS, POST, STATUS]);
  expect(keys.size).toBe(2);
});

test("a request that got no answer is repeated under the same key", async () => {
  const keys = new Set<string | null>();
  const noted =
    (answer: Answer): Answer =>
    (init) => {
      keys.add(new Headers(init.headers).get("Idempotency-Key"));
      return answer(init);
    };
  const gone = () => Promise.reject(new TypeError("refused"));
  const pw = connect({ [POST]: [noted(gone), noted(accepted)], [STATUS]: [status(DONE)] });
  expect((await run(pw)).id).toBe("2a");
  expect(keys.size).toBe(1);
});

test("an unknown job is no reason to go on", async () => {
  const pw = connect({
    [POST]: [accepted],
    [STATUS]: [() => Response.json({ error: "There is no such request." }, { status: 404 })],
  });
  await expect(run(pw)).rejects.toMatchObject({ status: 404 });
});

test("a canceled job is deleted at the service, while it runs", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const pw = connect({
    [POST]: [accepted],
    [STATUS]: [events([{ status: "pending" }], "hang")],
    [DELETE]: [() => new Response(null, { status: 204 })],
  });
  setTimeout(() => controller.abort(reason), 1_000);
  await expect(run(pw, controller.signal)).rejects.toBe(reason);
  expect(asked).toEqual([POST, STATUS, DELETE]);
});

test.each([
  ["the service has told its id", accepted, [DELETE]],
  ["the service answers at once", status({ ...DONE, status: undefined }), ["DELETE /resource/2a"]],
  [
    "the service answers at once, with several outputs",
    status({ outputUrl: [], outputId: ["2a", "2b"] }),
    ["DELETE /resource/2a", "DELETE /resource/2b"],
  ],
  ["the service answers at once, with data", status({ pages: 3 }), []],
  [
    "the service answers at once, having fetched the input",
    status({ ...DONE, status: undefined }),
    ["DELETE /resource/2a", "DELETE /resource/1a"],
    new URL("https://example.com/a.pdf"),
  ],
])("a job is deleted, too, if it is canceled before %s", async (_, answer, deletions, url?) => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const slowly: Answer = async (init) => {
    controller.abort(reason);
    await new Promise((wake) => setTimeout(wake, 1_000));
    return answer(init);
  };
  const deleted = () => new Response(null, { status: 204 });
  const post = url ? "POST /pdf" : POST;
  const pw = connect({ [post]: [slowly], ...Object.fromEntries(deletions.map((key) => [key, [deleted]])) });
  const options = { async: true, signal: controller.signal };
  await expect(url ? pw.pdf(url, {}, options) : run(pw, options.signal)).rejects.toBe(reason);
  expect(asked).toEqual([post, ...deletions]);
});

test("a service that does not answer the cancellation does not hold it up", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const never = ({ signal }: RequestInit) =>
    new Promise<Response>((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
  const pw = connect({ [POST]: [accepted], [STATUS]: [events([{ status: "pending" }], "hang")], [DELETE]: [never] });
  setTimeout(() => controller.abort(reason), 1_000);
  await expect(run(pw, controller.signal)).rejects.toBe(reason);
});
