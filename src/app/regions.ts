// Chooses the region of each request (docs/regions.md). A request runs where it arrives if that is near its region, or
// if it only reads a file that is not bound. Other requests are forwarded to a Durable Object in their region.

import { LIMITS } from "../document/contract/limits.ts";
import { delay } from "../runtime/delay.ts";
import { withTimeout } from "../runtime/rpc.ts";
import { bodyTooSlow, noRegion } from "../service/http/contract/errors.ts";
import { readBytes } from "../service/http/requests/chunk-reader.ts";
import { hashKey, type KeyRecord } from "../service/ports/api-key.ts";
import { envAt, objectAt, type Placement } from "../service/regions/located-env.ts";
import { isLost, lost } from "../service/regions/lost-regions.ts";
import { type Arrival, byDistance } from "../service/regions/nearest.ts";
import { type Home, homeOf } from "../service/regions/region-tag.ts";
import { type Region, regionsOf } from "../service/regions/regions.ts";
import type { Env } from "../service/settings/config.ts";
import type { App, RequestContext } from "./context.ts";

/** Names the region of a forwarded request, and the region of its claims if the request is bound. */
const REGION_HEADER = "Pagewright-Region";
const CLAIMS_HEADER = "Pagewright-Claims";
/** Number of objects of a region among which its requests are divided. */
const RUNNERS = 16;
/** Maximum size of a body that is searched for IDs before the region is chosen. Bodies without files are small. */
const SEARCHED_BYTES = 2 ** 16;
const FILE_ID = /[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
/** An ID or token in a path: of a file, a job, an upload, or an upload URL. A page number can follow. */
const PATH_ID = /\/(?:[12]?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64})(?=\/|:|%3[Aa]|$)/;

/** Must precede all other middleware. */
export function addRegions(app: App): void {
  app.use(async (c, next) => {
    try {
      const regions = c.env.REGION === undefined ? regionsOf(c.env) : undefined;
      if (!regions) return await next();
      const { placement, isHere, runner } = await place(c, regions);
      if (!isHere) return await forward(c, placement, runner);
      c.env = envAt(c.env, placement);
    } catch (error) {
      c.set("routingError", error);
    }
    await next();
  });
}

/** Throws the error of {@link addRegions}, so that the response has the headers of all errors. */
export function rejectUnrouted(app: App): void {
  app.use(async (c, next) => {
    const error = c.get("routingError");
    if (error !== undefined) throw error;
    await next();
  });
}

/** Returns the environment of a request that {@link addRegions} has forwarded. */
export function envOfForwarded({ headers }: Request, env: Env): Env {
  const named = (header: string) => regionsOf(env)?.find(({ name }) => name === headers.get(header));
  const [region, claims] = [named(REGION_HEADER), named(CLAIMS_HEADER)];
  if (!region) throw new Error(`a forwarded request without ${REGION_HEADER}`);
  return envAt(env, { region, ...(claims ? { claims } : {}) });
}

interface Placed {
  readonly placement: Placement;
  /** True if the request is carried out where it arrived. */
  readonly isHere: boolean;
  /** Name of the object that carries out the request otherwise. */
  readonly runner: string;
}

/** @throws ServiceError 503 if the key has no region */
async function place(c: RequestContext, regions: readonly Region[]): Promise<Placed> {
  const near = byDistance(regions, (c.req.raw as { readonly cf?: Arrival }).cf);
  const key = await keyOf(c);
  const allowed = key?.regions ? regions.filter(({ name }) => key.regions!.includes(name)) : regions;
  if (allowed.length === 0) throw noRegion();
  const [pathId] = PATH_ID.exec(c.req.path) ?? [];
  const ids = pathId ? [pathId.slice(1)] : await idsInBody(c);
  const homes = ids.map((id) => homeOf(id, c.env)!);
  const region = regionFor(homes, { near: near.filter((one) => allowed.includes(one)), isPath: pathId !== undefined });
  const isFileBound = homes.some((home) => home.isBound && home.region === region);
  const claims = key?.regions ? allowed[0] : isFileBound ? region : undefined;
  const isReading = ["GET", "HEAD"].includes(c.req.method) && /^\/(resource|iiif)\//.test(c.req.path);
  const isNear = region === near[0] && !(claims && region.jurisdiction);
  // Pages of files of other regions are read from copies near the reader.
  const reader = near.find((one) => !isLost(one)) ?? region;
  if (isReading && !claims) return { placement: { region: reader }, isHere: true, runner: "" };
  return {
    placement: { region, ...(claims ? { claims } : {}) },
    isHere: isNear,
    runner: `runner-${Number.parseInt(hashKey(ids[0] ?? clientOf(c)).slice(0, 8), 16) % RUNNERS}`,
  };
}

/** @param near regions that the client may use, nearest first */
function regionFor(homes: readonly Home[], { near, isPath }: { near: readonly Region[]; isPath: boolean }): Region {
  if (isPath) return homes[0]!.region;
  const bound = homes.find(({ isBound }) => isBound)?.region;
  const home = homes.find(({ region }) => near.includes(region))?.region;
  return bound ?? home ?? near.find((region) => !isLost(region)) ?? near[0]!;
}

async function keyOf({ env, req }: RequestContext): Promise<KeyRecord | undefined> {
  const key = env.VARIANT === "keyed" ? req.header("Api-Key") : undefined;
  if (key === undefined || key.length > LIMITS.keyLength) return undefined;
  return (await env.API_KEYS.get(hashKey(key), "json")) ?? undefined;
}

const clientOf = ({ req }: RequestContext): string =>
  req.header("Api-Key") ?? req.header("CF-Connecting-IP") ?? req.path;

/** Returns the IDs of files in a small body, which remains readable. */
async function idsInBody(c: RequestContext): Promise<readonly string[]> {
  const request = c.req.raw;
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (request.body === null || !(length > 0 && length <= SEARCHED_BYTES)) return [];
  const body = request.body;
  const bytes = await withTimeout(LIMITS.bodyStallMs, () => readBytes(body, length)).catch(() => {
    throw bodyTooSlow();
  });
  c.req.raw = new Request(request, { body: bytes });
  return new TextDecoder("latin1").decode(bytes).match(FILE_ID) ?? [];
}

/** The part of RegionRunner that {@link forward} uses. */
interface Runner extends Rpc.DurableObjectBranded {
  fetch(request: Request): Promise<Response>;
  ping(): void;
}

/** @throws RegionLost if the region is unreachable */
async function forward(c: RequestContext, { region, claims }: Placement, runner: string): Promise<Response> {
  const objects = c.env.REGION_RUNNER as DurableObjectNamespace<Runner> | undefined;
  if (!objects) throw new Error("The binding REGION_RUNNER is missing.");
  const connect = () => objectAt(objects, c.env, region, runner);
  const { signal } = c.req.raw;
  const unreachable = new AbortController();
  const request = new Request(c.req.raw, { signal: AbortSignal.any([signal, unreachable.signal]) });
  request.headers.set(REGION_HEADER, region.name);
  if (claims) request.headers.set(CLAIMS_HEADER, claims.name);
  const answered = new AbortController();
  try {
    return await Promise.race([connect().fetch(request), untilSilent(() => connect().ping(), answered.signal)]);
  } catch (error) {
    unreachable.abort();
    throw signal.aborted ? error : lost(region, error);
  } finally {
    answered.abort();
  }
}

/** Asks repeatedly whether the region is reachable. @throws Error if it is not */
async function untilSilent(ping: () => Promise<void>, signal: AbortSignal): Promise<never> {
  for (;;) {
    await delay(LIMITS.regionSilentMs, signal);
    await withTimeout(LIMITS.regionSilentMs, ping);
  }
}
