// Chooses the region of each request (docs/regions.md). A request that is not bound runs where it arrives if that is
// near its region. If it only reads a file, it runs in the region nearest to its arrival. Other requests are forwarded
// to a Durable Object in their region.

import { LIMITS } from "../document/contract/limits.ts";
import { logLine } from "../runtime/log-line.ts";
import { busy, noRegion, uploadElsewhere } from "../service/http/contract/errors.ts";
import { TUS_PATH } from "../service/http/contract/paths.ts";
import { ArrivingBody } from "../service/http/requests/arriving-body.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../service/http/responses/negotiation.ts";
import { hashKey, type KeyRecord } from "../service/ports/api-key.ts";
import { envAt, type Placement, runnerAt, runnerName } from "../service/regions/located-env.ts";
import { callRegion, isLost } from "../service/regions/lost-regions.ts";
import { type Arrival, byDistance, isRemote } from "../service/regions/nearest.ts";
import { RegionLost } from "../service/regions/region-errors.ts";
import { type Home, homeOf } from "../service/regions/region-tag.ts";
import { boundRegions, type Region, regionNamed, regionsIn, regionsOf } from "../service/regions/regions.ts";
import { type Env, readConfig } from "../service/settings/config.ts";
import { KnownFiles } from "../service/storage/copies/known-files.ts";
import { learnOf } from "../service/storage/copies/reading-store.ts";
import { cacheOf } from "../service/views/image-cache.ts";
import type { App, RequestContext } from "./context.ts";

/** Names the region of a forwarded request, and the region of its claims if the request is bound. */
const REGION_HEADER = "Pagewright-Region";
const CLAIMS_HEADER = "Pagewright-Claims";
/** Lists the regions to which the jobs of a forwarded request can spill over. */
const SPILL_HEADER = "Pagewright-Spill";
/** Maximum size of a body that is searched for IDs before the region is chosen. Bodies without files are small. */
const SEARCHED_BYTES = 2 ** 16;
/** IDs of files, and tokens of upload URLs. */
const IDS_IN_BODY = /[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b/g;
const TOKEN_LENGTH = 64;
/** An ID or token in a path: of a file, a job, an upload, or an upload URL. A page number can follow. */
const PATH_ID = /\/(?:[12]?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{64})(?=\/|:|%3[Aa]|$)/;
/** Paths of files and of their pages. */
const FILE_PATH = /^\/(resource|iiif)\//;
/** Paths of pages, for which several objects of a document are read one after the other. */
const PAGE_PATH = /^\/(resource\/[^/]+|iiif)\//;

/** Must precede all other middleware. */
export function addRegions(app: App): void {
  app.use(async (c, next) => {
    try {
      const regions = c.env.REGION === undefined ? regionsOf(c.env) : undefined;
      if (regions) {
        const { placement, isHere, runner } = await place(c, regions);
        if (!isHere) return await forward(c, placement, runner);
        c.env = envAt(c.env, placement);
      }
    } catch (error) {
      c.set("routingError", error);
    }
    await next();
  });
}

/** Throws the error of {@link addRegions}, so that the response has the headers of all errors. */
export function rejectWithoutRegion(app: App): void {
  app.use(async (c, next) => {
    const error = c.get("routingError");
    if (error !== undefined) throw error;
    await next();
  });
}

/** Returns the environment of a request that {@link addRegions} has forwarded. */
export function envOfForwarded({ headers }: Request, env: Env): Env {
  const [region, claims] = [REGION_HEADER, CLAIMS_HEADER].map((header) => regionNamed(headers.get(header), env));
  if (!region) throw new Error(`a forwarded request without ${REGION_HEADER}`);
  return envAt(env, { region, spill: regionsIn(headers.get(SPILL_HEADER), env), ...(claims ? { claims } : {}) });
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
  const { cf: arrival } = c.req.raw as { readonly cf?: Arrival };
  const near = byDistance(regions, arrival);
  const { method, path } = c.req;
  const pathId = PATH_ID.exec(path)?.[0].slice(1);
  const isReading = method === "GET" || method === "HEAD";
  // Only requests with an ID or a body concern documents.
  if (method === "OPTIONS" || (isReading && pathId === undefined)) {
    return { placement: { region: near.find((one) => !isLost(one)) ?? near[0]! }, isHere: true, runner: "" };
  }
  const names = (await keyOf(c))?.regions ?? boundRegions(c.env);
  const allowed = names ? near.filter(({ name }) => names.includes(name)) : near;
  if (allowed.length === 0) throw noRegion();
  const ids = pathId === undefined ? await idsInBody(c) : [pathId];
  const homes = ids.map((id) => homeOf(id, c.env)!);
  // The bytes of a bound client do not leave its regions, even for an upload that is elsewhere or does not exist.
  const isUpload = path.startsWith(TUS_PATH);
  const mayLeave = isReading || method === "DELETE" || (pathId?.length === TOKEN_LENGTH && homes[0]!.isTagged);
  const isElsewhere = names && pathId && !allowed.includes(homes[0]!.region) && (isUpload || !mayLeave);
  if (isElsewhere && isUpload && c.env.VARIANT === "keyed") throw uploadElsewhere();
  const region = pathId === undefined || isElsewhere ? regionFor(homes, allowed) : homes[0]!.region;
  const bound = names && regions.filter((one) => allowed.includes(one));
  const claims = claimsOf(region, { homes, bound, hasKey: c.req.header(IDEMPOTENCY_KEY_HEADER) !== undefined });
  // Pages of files of other regions are read from copies near the reader.
  const reader = near.find((one) => !isLost(one)) ?? region;
  const mayRead = isReading && !claims && FILE_PATH.test(path);
  const isNearFile = region === reader && !isRemote(reader, arrival);
  const isRead = mayRead && (isNearFile || !(await takesSeveralTrips(c, pathId!, reader)));
  const carrier = isRead ? reader : region;
  const spill = byDistance(allowed, carrier).filter((one) => one !== carrier);
  const isFar = isRemote(carrier, arrival);
  const placement = { region: carrier, spill, ...(claims ? { claims } : {}), isRemote: isRead && isFar };
  const isNear = carrier === near[0] && (!isFar || (!isReading && needsNoStorage(c)));
  return { placement, isHere: isRead || (isNear && !claims), runner: runnerName(ids[0]) };
}

/**
 * Reports whether reading a far file would take several trips, so that its region carries out the request. For pages,
 * this is the first request only: the location of the reader learns meanwhile that the file exists.
 */
async function takesSeveralTrips(c: RequestContext, id: string, reader: Region): Promise<boolean> {
  if (c.req.query("format") === "info") return true;
  if (!PAGE_PATH.test(c.req.path)) return false;
  const { fileLifetimeMs: lifetimeMs } = readConfig(c.env);
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const location = { cache: cacheOf(c.env), lifetimeMs, waitUntil };
  if (await new KnownFiles(location).knows(id)) return false;
  waitUntil(learnOf(envAt(c.env, { region: reader }), id, location).catch(() => {}));
  return true;
}

/** Reports whether a request is answered with its output alone, which is not stored. */
function needsNoStorage({ env, req }: RequestContext): boolean {
  const accept = req.header("Accept") ?? "*/*";
  return env.VARIANT !== "keyed" && !/json|\*/.test(accept);
}

/** @param allowed regions that the client may use, nearest first */
function regionFor(homes: readonly Home[], allowed: readonly Region[]): Region {
  const usable = homes.filter(({ region }) => allowed.includes(region));
  const home = usable.find(({ isBound }) => isBound) ?? usable[0];
  return home?.region ?? allowed.find((region) => !isLost(region)) ?? allowed[0]!;
}

interface ClaimSettings {
  /** Regions of the IDs of the request. */
  readonly homes: readonly Home[];
  /** Regions to which the client is bound, in the order of the setting. */
  readonly bound: readonly Region[] | undefined;
  /** True if the request has an Idempotency-Key. */
  readonly hasKey: boolean;
}

/**
 * Returns the region of the claims of a bound request: that of its bound files; otherwise one for all requests of the
 * client, because a retry can arrive elsewhere.
 * @returns undefined if the request is not bound
 */
function claimsOf(region: Region, { homes, bound, hasKey }: ClaimSettings): Region | undefined {
  if (homes.some((home) => home.isBound && home.region === region)) return region;
  if (bound?.includes(region)) return hasKey ? bound[0] : region;
  return undefined;
}

async function keyOf({ env, req }: RequestContext): Promise<KeyRecord | undefined> {
  const key = env.VARIANT === "keyed" ? req.header("Api-Key") : undefined;
  if (key === undefined || key.length > LIMITS.keyLength) return undefined;
  return (await env.API_KEYS.get(hashKey(key), "json")) ?? undefined;
}

/** Returns the IDs in a small body, which remains readable. */
async function idsInBody(c: RequestContext): Promise<readonly string[]> {
  const request = c.req.raw;
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (request.body === null || !(length > 0 && length <= SEARCHED_BYTES)) return [];
  const body = new ArrivingBody(request.body);
  const bytes = (await body.read(length)) ?? new Uint8Array(0);
  // If the client has stopped sending, the next read throws.
  if (bytes.length < length) await body.read();
  c.req.raw = new Request(request, { body: bytes as Uint8Array<ArrayBuffer>, signal: request.signal });
  const found = new TextDecoder("latin1").decode(bytes).match(IDS_IN_BODY) ?? [];
  // A digest looks like a token without a tag. Tokens precede IDs, because only their own region knows them.
  const known = found.filter((id) => id.length !== TOKEN_LENGTH || homeOf(id, c.env)!.isTagged);
  return known.sort((one, other) => other.length - one.length);
}

/** @throws RegionLost if the region is unreachable, ServiceError 503 if it is reachable and has failed */
async function forward(c: RequestContext, { region, claims, spill = [] }: Placement, name: string): Promise<Response> {
  const runner = () => runnerAt(c.env, region, name);
  const { signal } = c.req.raw;
  const unreachable = new AbortController();
  const request = new Request(c.req.raw, { signal: AbortSignal.any([signal, unreachable.signal]) });
  request.headers.set(REGION_HEADER, region.name);
  if (claims) request.headers.set(CLAIMS_HEADER, claims.name);
  else request.headers.delete(CLAIMS_HEADER);
  request.headers.set(SPILL_HEADER, spill.map(({ name }) => name).join());
  const probe = async () => {
    if (!signal.aborted) await runner().ping().catch(rejectUnlessOverloaded);
  };
  try {
    return await callRegion(region, () => runner().fetch(request), probe);
  } catch (error) {
    unreachable.abort();
    if (signal.aborted || error instanceof RegionLost) throw error;
    console.error(logLine({}, "region failed", { region: region.name, error: String(error) }));
    throw busy();
  }
}

/** An overloaded object is reachable. */
function rejectUnlessOverloaded(error: { readonly overloaded?: boolean }): void {
  if (!error.overloaded) throw error;
}
