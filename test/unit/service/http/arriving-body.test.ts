// Tests the time limits for the arrival of a body, with fake timers.
// Contract: docs/api.md#limits
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import type { ServiceError } from "../../../../src/service/http/contract/errors.ts";
import { ArrivingBody, readWhole } from "../../../../src/service/http/requests/arriving-body.ts";
import { createMemoryQuota } from "../../../../src/service/storage/memory-quota.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const KB = 1024;

/** Returns a body that sends chunks at regular intervals, and then ends or, with `stalls`, stays open. */
function body(chunks: readonly number[], everyMs: number, stalls = false): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent === chunks.length && stalls) return new Promise(() => {});
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        if (sent === chunks.length) controller.close();
        else controller.enqueue(new Uint8Array(chunks[sent++]!).fill(sent));
      },
    },
    { highWaterMark: 0 },
  );
}

/** Reads a body to its end. @returns its size, or the status of its error and the bytes before it */
async function read(stream: ReadableStream<Uint8Array>, ofEach = () => Promise.resolve()) {
  const arriving = new ArrivingBody(stream);
  let bytes = 0;
  try {
    for await (const piece of arriving.pieces()) {
      bytes += piece.length;
      await ofEach();
    }
    return bytes;
  } catch (error) {
    return { status: (error as ServiceError).status, bytes };
  }
}

async function outcome<T>(work: Promise<T>, withinMs = 24 * 3_600_000): Promise<T | "waits"> {
  let found: T | "waits" = "waits";
  void work.then((value) => {
    found = value;
  });
  await vi.advanceTimersByTimeAsync(withinMs);
  return found;
}

const many = (count: number, size: number) => Array<number>(count).fill(size);

test.each([
  ["nothing", [], 0, 0],
  ["a few bytes", [100], 0, 100],
  ["a large piece", [200 * KB], 0, 200 * KB],
])("a body that stalls after %s is given up after the limit, and not before", async (_, chunks, everyMs, bytes) => {
  expect(await outcome(read(body(chunks, everyMs, true)), LIMITS.bodyStallMs - 1)).toBe("waits");
  expect(await outcome(read(body(chunks, everyMs, true)), LIMITS.bodyStallMs + 10)).toEqual({ status: 408, bytes });
});

test.each([
  ["a byte every second", many(10_000, 1), 1_000],
  ["half of the least rate", many(1_000, LIMITS.bodyStallBytes / 4), LIMITS.bodyStallMs / 2],
])("a body that arrives with %s is given up", async (_, chunks, everyMs) => {
  expect(await outcome(read(body(chunks, everyMs)))).toMatchObject({ status: 408 });
});

test.each([
  ["16 KB a second", many(2_000, 4 * KB), 250],
  ["twice the least rate, in small pieces", many(5_000, 1 * KB), LIMITS.bodyStallMs / 64],
  ["pauses of 29 s", many(20, 64 * KB), LIMITS.bodyStallMs - 1_000],
  ["a small body in two pieces", [50, 50], 9_000],
])("a slow body with %s arrives", async (_, chunks, everyMs) => {
  expect(await outcome(read(body(chunks, everyMs)))).toBe(chunks.reduce((sum, size) => sum + size, 0));
});

test("the time in which the service does not read does not count", async () => {
  const slowly = () => new Promise<void>((resolve) => setTimeout(resolve, 10 * LIMITS.bodyStallMs));
  expect(await outcome(read(body(many(20, 1 * KB), 1_000), slowly))).toBe(20 * KB);
});

test("a connection that breaks is 400, after the bytes before it", async () => {
  let sent = 0;
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => (sent++ === 0 ? controller.enqueue(new Uint8Array(7)) : controller.error(new Error("reset"))),
  });
  expect(await outcome(read(broken))).toEqual({ status: 400, bytes: 7 });
});

test("pieces of small chunks are whole, and none is lost", async () => {
  const arriving = new ArrivingBody(body(many(100, 1 * KB), 1));
  const first = await outcome(arriving.read());
  expect((first as Uint8Array).length).toBe(LIMITS.bodyStallBytes);
  expect([(first as Uint8Array)[0], (first as Uint8Array).at(-1)]).toEqual([1, 32]);
});

test.each([
  ["its announced size", 60 * KB, []],
  ["a part, if its size is unknown", undefined, []],
  ["what has arrived of it", undefined, [60 * KB]],
])("a body that stalls takes %s out of the memory, and another one finds no room", async (_, size, chunks) => {
  const memory = createMemoryQuota({ perRequest: 100 * KB, total: 100 * KB });
  using reservation = memory.for("greedy").openReservation();
  const maxBytes = 100 * KB;
  const stalling = readWhole(body(chunks, 0, true), { size, maxBytes, reservation }).catch((error) => error.status);
  await vi.advanceTimersByTimeAsync(1_000);
  using second = memory.for("greedy").openReservation();
  const late = readWhole(body([60 * KB], 0), { size: 60 * KB, maxBytes, reservation: second }).catch(
    ({ reason }) => reason,
  );
  expect(await outcome(late, 1_000)).toBe("busy");
  using third = memory.for("other").openReservation();
  const other = readWhole(body([30 * KB], 0), { size: 30 * KB, maxBytes, reservation: third });
  expect((await outcome(other, 1_000)) as Uint8Array).toHaveLength(30 * KB);
  expect(await outcome(stalling)).toBe(408);
});

test("a body that is larger than announced is counted, and one beyond its limit is read to its end", async () => {
  const memory = createMemoryQuota({ perRequest: 1_000, total: 1_000 });
  const lying = memory.openReservation();
  const more = await outcome(readWhole(body([10, 10], 0), { size: 5, maxBytes: 100, reservation: lying }));
  expect(more as Uint8Array).toHaveLength(20);
  expect([lying.tryReserve(981), lying.tryReserve(980)]).toEqual([false, true]);
  lying[Symbol.dispose]();
  using large = memory.openReservation();
  expect(await outcome(readWhole(body([90, 90], 0), { size: 180, maxBytes: 100, reservation: large }))).toBe(undefined);
});
