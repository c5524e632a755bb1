// Tests requests with an Idempotency-Key whose claim is taken, fails or is lost, with the host's real claims and fake
// timers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ClaimDatabase } from "../../../host/storage/sqlite/claim-database.ts";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import { toServiceError } from "../../../src/service/http/contract/errors.ts";
import { Timing } from "../../../src/service/http/contract/timing.ts";
import { type HandledResponse, openClaim, runIdempotent } from "../../../src/service/http/pipeline/idempotency.ts";
import type { Claim } from "../../../src/service/ports/claims.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";
import type { Store } from "../../../src/service/storage/store.ts";

let folder: string;
let database: ClaimDatabase;
let undone: string[];
let logged: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "once-"));
  database = await ClaimDatabase.open(folder, () => Date.now());
  [undone, logged] = [[], []];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const claim = (key = "key") => openClaim(new Headers({ "Idempotency-Key": key }), "a client", database)!;
const json = (text: string): HandledResponse => ({ response: Response.json({ text }) });
// No response in these tests is a file, so the store only generates IDs.
const store = { taggedId: () => crypto.randomUUID() as string } as Store;

/** Sends a request with the content; `run` produces its response. */
function ask(content: string, run: () => Promise<HandledResponse>, { by = claim(), signal = never } = {}) {
  const log = (message: string) => void logged.push(message);
  const rollback = async () => void undone.push(content);
  return runIdempotent({ claim: by, store, timing: new Timing(), log }, { content, signal, run, rollback });
}
const never = new AbortController().signal;
const textOf = async (response: Response) => [await response.text(), response.headers.get("Idempotent-Replayed")];

test("a second request waits, for a limited time", async () => {
  const made = Promise.withResolvers<HandledResponse>();
  const first = ask("content", () => made.promise);
  const second = ask("content", async () => json("by the second"));
  const refused = expect(second).rejects.toMatchObject({ status: 409, headers: { "Retry-After": "5" } });
  await vi.advanceTimersByTimeAsync(LIMITS.claimWaitMs);
  await refused;
  const third = ask("content", async () => json("by the third"));
  made.resolve(json("by the first"));
  await vi.advanceTimersByTimeAsync(2000);
  expect(await textOf(await first)).toEqual(['{"text":"by the first"}', null]);
  expect(await textOf(await third)).toEqual(['{"text":"by the first"}', "true"]);
  // The second and the third request deleted the files that they had stored.
  expect(undone).toEqual(["content", "content"]);
});

test("a request that waits and whose client leaves ends", async () => {
  void ask("content", () => new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1);
  const leaving = new AbortController();
  const second = ask("content", async () => json(""), { signal: leaving.signal });
  const left = expect(second).rejects.toThrow("gone");
  await vi.advanceTimersByTimeAsync(3000);
  leaving.abort(new Error("gone"));
  await left;
});

test.each([
  ["damaged", 400, true],
  ["password-protected", 401, true],
  ["too-complex", 422, true],
  ["busy", 503, false],
  ["crashed", 500, false],
  ["timed-out", 504, false],
] as const)("a request that fails as %s (%i): the failure is kept: %s", async (reason, status, isKept) => {
  const failed = () => ask("content", () => Promise.reject(new EngineFailure(reason, "for the test")));
  await expect(failed().catch((error) => Promise.reject(toServiceError(error)))).rejects.toMatchObject({ status });
  const second = ask("content", async () => json("made"));
  if (isKept) await expect(second).rejects.toMatchObject({ status, headers: { "Idempotent-Replayed": "true" } });
  else expect(await textOf(await second)).toEqual(['{"text":"made"}', null]);
});

test("a request whose client has left keeps nothing", async () => {
  const leaving = new AbortController();
  const work = async () => {
    leaving.abort(new Error("gone"));
    throw new EngineFailure("damaged", "for the test");
  };
  await expect(ask("content", work, { signal: leaving.signal })).rejects.toThrow("damaged");
  expect(await textOf(await ask("content", async () => json("made")))).toEqual(['{"text":"made"}', null]);
});

test("a request that works for long stays the only one", async () => {
  const made = Promise.withResolvers<HandledResponse>();
  const first = ask("content", () => made.promise);
  await vi.advanceTimersByTimeAsync(10 * LIMITS.claimLeaseMs);
  expect(await claim().acquire("another", "other content")).toEqual({ kind: "other" });
  made.resolve(json("late"));
  expect(await textOf(await first)).toEqual(['{"text":"late"}', null]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a request that lost its lease gives the answer of the faster one, and undoes its own", async () => {
  const made = Promise.withResolvers<HandledResponse>();
  const real = claim();
  const unheard = vi.fn<Claim["acquire"]>().mockRejectedValue(new Error("no renewal arrives"));
  const slow = ask("content", () => made.promise, {
    by: { ...real, acquire: unheard.mockImplementationOnce(real.acquire) },
  });
  await vi.advanceTimersByTimeAsync(LIMITS.claimLeaseMs);
  expect(await textOf(await ask("content", async () => json("faster")))).toEqual(['{"text":"faster"}', null]);
  made.resolve(json("slower"));
  expect(await textOf(await slow)).toEqual(['{"text":"faster"}', "true"]);
  expect(undone).toEqual(["content"]);
});

test("a request that lost its lease keeps its job, if a retry has found and announced it", async () => {
  const made = Promise.withResolvers<HandledResponse>();
  const real = claim();
  const unheard = vi.fn<Claim["acquire"]>().mockRejectedValue(new Error("no renewal arrives"));
  const cancel = vi.fn(async () => {});
  const slow = ask("content", () => made.promise, {
    by: { ...real, acquire: unheard.mockImplementationOnce(real.acquire) },
  });
  await vi.advanceTimersByTimeAsync(LIMITS.claimLeaseMs);
  await ask("content", async () => json("the job"));
  made.resolve({ ...json("the job"), cancel });
  expect(await textOf(await slow)).toEqual(['{"text":"the job"}', null]);
  expect([cancel.mock.calls, undone]).toEqual([[], []]);
});

describe("if the claim cannot be reached", () => {
  const fails = () => Promise.reject<never>(new Error("the object was reset"));

  test("at first, nothing is done", async () => {
    const work = vi.fn(async () => json("made"));
    const asked = ask("content", work, { by: { ...claim(), acquire: fails } });
    await expect(asked).rejects.toMatchObject({ status: 503 });
    expect(work).not.toHaveBeenCalled();
  });

  test("at the end, the answer is given all the same", async () => {
    const answer = await ask("content", async () => json("made"), { by: { ...claim(), complete: fails } });
    expect(await textOf(answer)).toEqual(['{"text":"made"}', null]);
    expect(logged).toEqual(["claims unavailable"]);
  });

  test("at the end, for seconds, the answer is stored afterwards", async () => {
    const real = claim();
    const complete = vi.fn(real.complete);
    for (let tries = 0; tries < 5; tries++) complete.mockRejectedValueOnce(new RecordsUnavailable("it restarts"));
    const asked = ask("content", async () => json("made"), { by: { ...real, complete } });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await textOf(await asked)).toEqual(['{"text":"made"}', null]);
    expect(await textOf(await ask("content", async () => json("again")))).toEqual(['{"text":"made"}', "true"]);
  });

  test("once, it is asked again", async () => {
    const failsOnce = {
      getByName: vi.fn((name: string) => database.getByName(name)).mockImplementationOnce(fails as never),
    };
    const asked = openClaim(new Headers({ "Idempotency-Key": "key" }), "a client", failsOnce)!;
    expect(await textOf(await ask("content", async () => json("made"), { by: asked }))).toEqual([
      '{"text":"made"}',
      null,
    ]);
  });
});
