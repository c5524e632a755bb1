// Tests that the claims of both the Worker and the host must pass.

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { Claim, StoredResponse } from "../../src/service/ports/claims.ts";

export interface TestedClaims {
  /** Returns the claim with a name, as another request or a restarted service would receive it. */
  claim(name: string): Promise<Claim> | Claim;
  /** Advances the clock of the claims. */
  passes(ms: number): void;
}

const answer = (text: string): StoredResponse => ({ status: 200, headers: [["content-type", "text/plain"]], text });

export function claimConformance(tested: TestedClaims): void {
  testClaims(tested);
  testLeases(tested);
  testAnswers(tested);
}

async function freshOf({ claim }: TestedClaims) {
  const name = randomUUID();
  return { name, claim: await claim(name) };
}

function testClaims(tested: TestedClaims): void {
  const { claim } = tested;
  const fresh = () => freshOf(tested);

  test("the first request works, the second waits, and gets the answer", async () => {
    const { name, claim: first } = await fresh();
    expect(await first.acquire("a", "content")).toEqual({ kind: "granted" });
    const second = await claim(name);
    expect(await second.acquire("b", "content")).toEqual({ kind: "busy" });
    expect(await first.complete("a", "content", answer("made"))).toBeUndefined();
    expect(await second.acquire("b", "content")).toEqual({ kind: "kept", answer: answer("made") });
    expect(await (await claim(name)).acquire("c", "content")).toEqual({ kind: "kept", answer: answer("made") });
  });

  test("of requests at once, one works", async () => {
    const { name } = await fresh();
    const holders = Array.from({ length: 20 }, (_, number) => `holder ${number}`);
    const taken = await Promise.all(holders.map(async (holder) => (await claim(name)).acquire(holder, "content")));
    expect(taken.filter(({ kind }) => kind === "granted")).toHaveLength(1);
    expect(taken.filter(({ kind }) => kind === "busy")).toHaveLength(19);
  });

  test("a request learns of those with its content that were lost, as often as it asks", async () => {
    const { name, claim: first } = await fresh();
    await first.acquire("a", "content");
    await first.release("a");
    for (const holder of ["b", "c"]) {
      await (await claim(name)).acquire(holder, "content");
      tested.passes(LIMITS.claimLeaseMs);
    }
    const last = await claim(name);
    for (let count = 0; count < 2; count++) {
      expect(await last.acquire("d", "content")).toEqual({ kind: "granted", lost: ["b", "c"] });
    }
    tested.passes(LIMITS.claimLeaseMs);
    expect(await last.acquire("e", "other")).toEqual({ kind: "granted" });
  });

  test("other content is refused, at work and afterwards", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    expect(await claim.acquire("b", "other")).toEqual({ kind: "other" });
    await claim.complete("a", "content", answer("made"));
    expect(await claim.acquire("b", "other")).toEqual({ kind: "other" });
  });

  test("a claim that is freed goes to the next request, of any content", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    await claim.release("b");
    expect(await claim.acquire("b", "content")).toEqual({ kind: "busy" });
    await claim.release("a");
    expect(await claim.acquire("b", "other")).toEqual({ kind: "granted" });
  });
}

function testLeases(tested: TestedClaims): void {
  const { passes } = tested;
  const fresh = () => freshOf(tested);

  test("a lease that is not renewed ends, and one that is renewed does not", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    for (let count = 0; count < 3; count++) {
      passes(LIMITS.claimLeaseMs - 1);
      expect(await claim.acquire("b", "content")).toEqual({ kind: "busy" });
      expect(await claim.acquire("a", "content")).toEqual({ kind: "granted" });
    }
    passes(LIMITS.claimLeaseMs);
    expect(await claim.acquire("b", "content")).toEqual({ kind: "granted", lost: ["a"] });
    expect(await claim.acquire("a", "content")).toEqual({ kind: "busy" });
  });

  test("if a request outlives its lease, the first answer counts", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    passes(LIMITS.claimLeaseMs);
    await claim.acquire("b", "content");
    expect(await claim.complete("a", "content", answer("by a"))).toBeUndefined();
    expect(await claim.complete("b", "content", answer("by b"))).toEqual(answer("by a"));
    // A repeated call has the same result.
    expect(await claim.complete("a", "content", answer("by a"))).toBeUndefined();
    await claim.release("b");
    expect(await claim.acquire("c", "content")).toEqual({ kind: "kept", answer: answer("by a") });
  });

  test("a late answer does not replace the claim of other content", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    passes(LIMITS.claimLeaseMs);
    await claim.acquire("b", "other");
    expect(await claim.complete("a", "content", answer("by a"))).toBeUndefined();
    expect(await claim.acquire("c", "other")).toEqual({ kind: "busy" });
  });
}

function testAnswers(tested: TestedClaims): void {
  const { claim, passes } = tested;
  const fresh = () => freshOf(tested);

  test("an answer is kept for 24 hours", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    passes(10_000);
    await claim.complete("a", "content", answer("made"));
    passes(24 * 3_600_000 - 1);
    expect(await claim.acquire("b", "content")).toMatchObject({ kind: "kept" });
    passes(1);
    expect(await claim.acquire("b", "other")).toEqual({ kind: "granted" });
  });

  test("an answer whose file is gone is forgotten", async () => {
    const { claim } = await fresh();
    await claim.acquire("a", "content");
    await claim.complete("a", "content", { ...answer(""), file: { id: "one", isOwn: false } });
    await claim.invalidate("two");
    expect(await claim.acquire("b", "content")).toMatchObject({ kind: "kept", answer: { file: { id: "one" } } });
    await claim.invalidate("one");
    expect(await claim.acquire("b", "content")).toEqual({ kind: "granted" });
  });

  test("an answer may be as large as that to 20,000 outputs", async () => {
    const { name, claim: first } = await fresh();
    const text = "an id of an output, and its address ✓ ".repeat(100_000);
    await first.acquire("a", "content");
    await first.complete("a", "content", answer(text));
    expect(await (await claim(name)).acquire("b", "content")).toEqual({ kind: "kept", answer: answer(text) });
  });
}
