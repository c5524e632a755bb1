// The tests of stored bytes that the limiters of the Worker and of the host pass.

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Limiter } from "../../src/service/ports/limiter.ts";

const MB = 2 ** 20;
const HOUR_MS = 3_600_000;
const limits = { storedMegabytes: 10 };

/** @param open returns the limiter as another process has it */
export function limiterConformance(open: () => Limiter | Promise<Limiter>): void {
  const leftOf = async (client: string) => (await (await open()).peek(client, limits)).storedMegabytes!;
  const tomorrow = () => Date.now() + 24 * HOUR_MS;

  test("of 20 files that are stored at once, by two processes, as many fit as the limit has", async () => {
    const [client, limiters] = [randomUUID(), [await open(), await open()]];
    const stored = { bytes: MB, expires: tomorrow() };
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, at) => limiters[at % 2]!.store(client, 10, stored)),
    );
    const refused = verdicts.flatMap((verdict) => verdict.rejected ?? []);
    expect(refused).toHaveLength(10);
    expect(refused[0]!.limit).toBe("storedMegabytes");
    expect(refused[0]!.retryAfterSeconds).toBeGreaterThan(23 * 3600);
    expect(await leftOf(client)).toMatchObject({ count: 0 });
    expect((await limiters[0]!.store(randomUUID(), 10, stored)).rejected).toBeUndefined();
  });

  test("removed files make room, each once, however many requests remove it", async () => {
    const [client, limiter] = [randomUUID(), await open()];
    const file = { id: randomUUID(), bytes: 3 * MB, expires: tomorrow() };
    await limiter.store(client, 10, { bytes: 9 * MB, expires: file.expires });
    await Promise.all(Array.from({ length: 5 }, async () => (await open()).removed(client, [file, file])));
    expect(await leftOf(client)).toMatchObject({ count: 4 * MB });
    await limiter.giveBack(client, { bytes: 2 * MB, expires: file.expires });
    expect(await leftOf(client)).toMatchObject({ count: 6 * MB });
  });

  test("files that have ended count no more, those that stay do", async () => {
    const [client, limiter] = [randomUUID(), await open()];
    await limiter.store(client, 10, { bytes: 5 * MB, expires: Date.now() - 2 * HOUR_MS });
    expect(await leftOf(client)).toEqual({ count: 10 * MB, seconds: 0 });
    await limiter.store(client, 10, { bytes: 7 * MB });
    expect(await leftOf(client)).toEqual({ count: 3 * MB });
    expect((await limiter.store(client, 10, { bytes: 3 * MB + 1 })).rejected).toBeDefined();
  });
}
