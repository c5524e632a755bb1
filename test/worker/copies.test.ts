// Tests with R2 buckets of two regions that pages of a file of another region are read near the reader, and that copies
// do not outlive the file.
// Contract: docs/api.md#page-images, #stored-files

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { envOfForwarded } from "../../src/app/regions.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { toServiceError } from "../../src/service/http/contract/errors.ts";
import type { Bucket } from "../../src/service/ports/bucket.ts";
import { envAt } from "../../src/service/regions/located-env.ts";
import { REGIONS, type Region } from "../../src/service/regions/regions.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import type { Env } from "../../src/service/settings/config.ts";
import { copyFile, sweepCopies } from "../../src/service/storage/copies/copies.ts";
import { openReadingStore } from "../../src/service/storage/copies/reading-store.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { openStore } from "../../src/service/storage/regional-store.ts";
import { PART_BYTES } from "../../src/service/storage/standalone-files.ts";
import { servePageImage } from "../../src/service/views/page-image-route.ts";
import { PageResources } from "../../src/service/views/pages-service.ts";
import { requestServices } from "./request-services.ts";

const { FILES, WEUR_FILES } = bindings as unknown as { readonly FILES: R2Bucket; readonly WEUR_FILES: R2Bucket };
const HOUR_MS = 3_600_000;
const regionOf = (name: string) => REGIONS.find((region) => region.name === name)!;
const [NEAR, FAR] = [regionOf("enam"), regionOf("weur")];

const keysIn = async (bucket: R2Bucket) => (await bucket.list()).objects.map(({ key }) => key);

beforeEach(async () => {
  for (const bucket of [FILES, WEUR_FILES]) {
    for (const key of await keysIn(bucket)) await bucket.delete(key);
  }
});

/** Returns a bucket that records calls, and can delay or reject them. */
function observed(bucket: R2Bucket) {
  const calls = { all: [] as string[], before: async (_call: string): Promise<void> => {} };
  const observing = new Proxy(bucket, {
    get:
      (target, name: keyof R2Bucket) =>
      async (key: unknown, ...others: unknown[]) => {
        const call = typeof key === "string" ? `${name} ${key.replace(/\/\w+-.*/, "")}` : name;
        calls.all.push(call);
        await calls.before(call);
        return (target[name] as (...given: unknown[]) => unknown).call(target, key, ...others);
      },
  });
  return { calls, bucket: observing as unknown as Bucket };
}

/** A deployment whose readers are in one region, and whose files are in another one. */
function deployment({ isBound = false } = {}) {
  const { calls: reader, bucket: nearBucket } = observed(FILES);
  const { calls: far, bucket: farBucket } = observed(WEUR_FILES);
  const clock = { now: Date.now() };
  const options = { lifetimeMs: HOUR_MS, now: () => clock.now };
  const all = { REGIONS: "enam,weur", FILES: nearBucket, WEUR_FILES: farBucket } as unknown as Env;
  const near = envAt(all, { region: NEAR });
  const home = envAt(all, { region: FAR, ...(isBound ? { claims: FAR } : {}) });

  /** Stores files in the far region, several as a pack. */
  async function store({
    count = 1,
    body = PDF,
    expires,
  }: {
    count?: number;
    body?: Uint8Array;
    expires?: number;
  } = {}) {
    const marks = () => (expires === undefined ? {} : { expires });
    const quota = createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 });
    const batch = openStore(home, { ...options, marks }).batch("output", quota.openReservation());
    for (let number = 0; number < count; number++) {
      await batch.add({ name: "a.pdf", type: "application/pdf", body, deferStore: true });
    }
    const [file, other] = await batch.commit();
    return { file: file!, other: other!, id: file!.id };
  }

  /**
   * Requests a page as from a new isolate. Returns the calls to the far region for which the response waited.
   * @param held calls that end only after the response, so that the test fails if the response waits for them
   */
  async function page(id: string, width: number, held = /^$/) {
    const { promise: responded, resolve: respond } = Promise.withResolvers<void>();
    const { before } = far;
    far.before = async (call) => {
      await before(call);
      if (held.test(call)) await responded;
    };
    const started: Promise<unknown>[] = [];
    const deferred: (() => Promise<void>)[] = [];
    const waitUntil = (work: Promise<unknown>) => void started.push(work);
    const defer = (work: () => Promise<void>) => void deferred.push(work);
    const reading = { ...options, cache: caches.default, waitUntil, later: defer };
    const services = {
      ...{ ...requestServices(), shared: new PageResources(ISOLATE_CAPACITY), client: "reader" },
      ...{ store: openReadingStore(near, openStore(near, options), reading), cache: caches.default, waitUntil, defer },
    };
    const from = far.all.length;
    const request = new Request(`https://service/resource/${id}/pages/1.png?width=${width}`);
    const { status, bytes } = await servePageImage(request, id, "1.png", services).then(
      async (response) => ({ status: response.status, bytes: await response.bytes() }),
      (error: unknown) => ({ status: toServiceError(error).status, bytes: undefined }),
    );
    const calls = far.all.slice(from);
    respond();
    far.before = before;
    await Promise.allSettled(started);
    for (const work of deferred) await work().catch(() => {});
    await Promise.allSettled(started);
    const isHeld = (call: string) => held.test(call);
    return { status, bytes, trips: calls.filter((call) => !isHeld(call)), background: calls.filter(isHeld) };
  }

  const homeStore = openStore(home, options);
  async function copy(id: string) {
    const file = await homeStore.find(id);
    await copyFile(file!, { env: near, from: FAR, to: NEAR, now: clock.now });
  }
  const sweep = (region: Region) => sweepCopies(envAt(all, { region }), HOUR_MS, clock.now);
  return {
    far,
    reader,
    clock,
    store,
    page,
    copy,
    sweep,
    remove: (id: string) => homeStore.remove([id]),
    homeStore,
    all,
  };
}

const CONTENT = "1 0 0 rg 0 20 40 40 re f";
const PDF = new TextEncoder().encode(`%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 80 60]/Contents 4 0 R>>endobj
4 0 obj<</Length ${CONTENT.length}>>stream
${CONTENT}
endstream endobj
trailer<</Root 1 0 R>>`);

const isCopied = async (id: string) => (await keysIn(FILES)).includes(`copies/files/${id}`);

test("the second read causes a copy, after which a page needs at most one far trip", async () => {
  const { store, page, clock } = deployment();
  const { id } = await store();
  const first = await page(id, 10, /^put pages/);
  expect(first.status).toBe(200);
  expect(first.trips).toEqual(["head files", "get pages", "get pages", "get files"]);
  expect(await isCopied(id)).toBe(false);
  expect((await page(id, 11)).trips).toEqual(["get pages"]);
  expect(await isCopied(id)).toBe(true);
  const third = await page(id, 12);
  expect(third.trips).toEqual([]);
  expect(await page(id, 12)).toEqual(third);
  clock.now += LIMITS.knownFileMs;
  expect((await page(id, 12)).trips).toEqual(["head files"]);
  expect(await page(id, 13)).toMatchObject({ status: 200, trips: [] });
});

test("all requests but the first one are answered in the region where they arrive", async () => {
  const { store, all, far } = deployment();
  const { id } = await store();
  const app = createApp(ISOLATE_CAPACITY);
  let forwarded = 0;
  const runner = {
    fetch(request: Request) {
      forwarded++;
      return app.fetch(request, envOfForwarded(request, env), createExecutionContext());
    },
    ping() {},
  };
  const env = { ...all, REGION_RUNNER: { idFromName: String, get: () => runner } } as unknown as Env;
  const paths = [`resource/${id}/pages/1.png`, `iiif/${id}:1/full/9,/0/default.png`, `iiif/${id}%3A1/info.json`];
  for (const path of [...paths, `iiif/${id}/manifest.json`]) {
    const context = createExecutionContext();
    const request = new Request(`https://service/${path}`, { cf: { latitude: "40.7", longitude: "-74" } });
    expect((await app.fetch(request, env, context)).status).toBe(200);
    await waitOnExecutionContext(context);
  }
  expect(forwarded).toBe(1);
  expect(await isCopied(id)).toBe(true);
  expect(far.all).toContain("put copied");
});

test("pages that nobody has requested are extracted from the copy", async () => {
  const { store, page, copy } = deployment();
  const { id } = await store();
  await page(id, 10);
  await WEUR_FILES.delete([`pages/${id}/group-0`, `pages/${id}/facts`, `pages/${id}/page-1`]);
  await copy(id);
  expect(await page(id, 11)).toMatchObject({ status: 200, trips: [] });
  expect(await keysIn(FILES)).toContain(`copies/pages/${id}/facts`);
  expect(await keysIn(WEUR_FILES)).not.toContain(`pages/${id}/facts`);
});

test("a large document is copied in parts", async () => {
  const { store, copy } = deployment();
  const body = new Uint8Array(2 * PART_BYTES + 7).map((_, index) => index >> 12);
  const { id } = await store({ body });
  await copy(id);
  const copied = await FILES.get(`copies/files/${id}`);
  expect(Buffer.compare(await copied!.bytes(), body)).toBe(0);
});

test("a location checks in the background after 30 s, and before each response after 60 s", async () => {
  const { store, page, clock } = deployment();
  const { id } = await store();
  await page(id, 10);
  clock.now += LIMITS.freshFileMs - 1;
  expect(await page(id, 10)).toMatchObject({ status: 200, trips: [] });
  clock.now += 1;
  expect(await page(id, 10, /./)).toMatchObject({ status: 200, background: ["head files"] });
  await WEUR_FILES.delete(`files/${id}`);
  clock.now += LIMITS.freshFileMs;
  expect(await page(id, 10, /./)).toMatchObject({ status: 200, background: ["head files"] });
  expect(await page(id, 10)).toMatchObject({ status: 404, trips: ["head files"] });
});

describe("spec: DELETE", () => {
  test("takes effect within 60 s elsewhere, and deletes the copies at once", async () => {
    const { store, page, clock, copy, homeStore } = deployment();
    const { id } = await store();
    await page(id, 10);
    await copy(id);
    expect(await page(id, 10)).toMatchObject({ status: 200, trips: [] });
    await homeStore.retire([(await homeStore.find(id))!]);
    expect(await keysIn(FILES)).toEqual([expect.stringMatching(/^copies\/expiring\//)]);
    expect(await homeStore.find(id)).toBeUndefined();
    expect((await page(id, 11)).status).toBe(404);
    clock.now += LIMITS.knownFileMs;
    expect((await page(id, 10)).status).toBe(404);
  });

  test.each([
    ["far", "head copied"],
    ["far", "get files"],
    ["reader", "put copies/files"],
    ["reader", "put copies/pages"],
  ] as const)("also deletes a copy while the copying waits in the region of the %s at %s", async (side, at) => {
    const { store, page, copy, remove, sweep, clock, ...sides } = deployment();
    const { id } = await store();
    await page(id, 10);
    const [reached, continued] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    sides[side].before = async (call) => {
      if (call !== at) return;
      reached.resolve();
      await continued.promise;
    };
    const copying = copy(id);
    await reached.promise;
    await remove(id);
    continued.resolve();
    await copying;
    const isLeft = (key: string) => !/^copies\/expiring\//.test(key);
    expect((await keysIn(FILES)).filter(isLeft)).toEqual([]);
    clock.now += 2 * LIMITS.copyMs;
    await sweep(FAR);
    expect(await keysIn(WEUR_FILES)).toEqual([]);
  });

  test("of a file in a pack leaves the other files of the pack", async () => {
    const { store, page, copy, remove } = deployment();
    const { id, other } = await store({ count: 2 });
    await page(id, 10);
    await copy(id);
    expect(await page(other.id, 10)).toMatchObject({ status: 200, trips: ["get packs"] });
    await remove(id);
    expect((await page(id, 11)).status).toBe(404);
    expect(await page(other.id, 11)).toMatchObject({ status: 200, trips: [] });
    await remove(other.id);
    expect((await keysIn(FILES)).filter((key) => /packs|pages/.test(key))).toEqual([]);
  });
});

test("a process that ends while it copies leaves a record without a copy", async () => {
  const { store, copy, sweep, far, clock } = deployment();
  const { id } = await store();
  far.before = async (call) => {
    if (call === "get files") throw new Error("the process has ended");
  };
  await expect(copy(id)).rejects.toThrow();
  expect(await isCopied(id)).toBe(false);
  expect(await keysIn(WEUR_FILES)).toContain(`copied/${id}/enam`);
  far.before = async () => {};
  await copy(id);
  expect(await isCopied(id)).toBe(false);
  clock.now += 2 * LIMITS.copyMs;
  await copy(id);
  expect(await isCopied(id)).toBe(true);
  clock.now += 2 * LIMITS.copyMs;
  await sweep(FAR);
  expect(await isCopied(id)).toBe(true);
});

test("a copy expires with its file, although it was stored later", async () => {
  const { store, page, copy, sweep, clock } = deployment();
  const { id } = await store({ expires: clock.now + 80_000 });
  await page(id, 10);
  await copy(id);
  clock.now += 60_000;
  expect((await page(id, 10)).status).toBe(200);
  clock.now += 20_000;
  expect(await page(id, 10)).toMatchObject({ status: 404, trips: [] });
  await sweep(NEAR);
  expect(await keysIn(FILES)).toEqual([]);
});

test("a bound file is neither copied nor known elsewhere", async () => {
  const { store, page, far } = deployment({ isBound: true });
  const { id } = await store();
  far.all.length = 0;
  for (let read = 0; read < 3; read++) expect((await page(id, 10)).status).toBe(403);
  expect(far.all).toEqual([]);
  expect(await keysIn(FILES)).toEqual([]);
});

describe("a lost region", () => {
  const lost = () => Promise.reject(new Error("unreachable"));
  const found = async () => {};
  const waitUntilFound = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LIMITS.regionLostMs });
  afterEach(() => vi.useRealTimers());

  test("of a file: a page is served for 60 s, and then gives 503 until the region returns", async () => {
    const { store, page, copy, clock, far } = deployment();
    const { id } = await store();
    await page(id, 10);
    await copy(id);
    far.before = lost;
    clock.now += LIMITS.freshFileMs;
    expect(await page(id, 11, /./)).toMatchObject({ status: 200, background: ["head files", "head probe"] });
    clock.now += LIMITS.freshFileMs;
    expect((await page(id, 11)).status).toBe(503);
    far.before = found;
    expect(await page(id, 11)).toMatchObject({ status: 200, trips: ["head files"] });
  });

  test("of a copy: DELETE succeeds, and a sweep deletes the copy when the region returns", async () => {
    const { store, copy, remove, sweep, clock, reader } = deployment();
    const { id } = await store();
    await copy(id);
    reader.before = lost;
    await remove(id);
    reader.before = found;
    await sweep(FAR);
    expect(await isCopied(id)).toBe(true);
    clock.now += 2 * LIMITS.copyMs;
    await sweep(FAR);
    expect(await isCopied(id)).toBe(true);
    waitUntilFound();
    await sweep(FAR);
    expect(await isCopied(id)).toBe(false);
    expect(await keysIn(WEUR_FILES)).toEqual([]);
  });

  test("of a reader: pages are read in the region of the file", async () => {
    const { store, page, reader } = deployment();
    const { id } = await store();
    reader.before = lost;
    await page(id, 10);
    expect(await page(id, 11)).toMatchObject({ status: 200, trips: ["get pages"] });
  });
});
