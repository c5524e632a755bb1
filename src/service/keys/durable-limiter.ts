// The limiter on Cloudflare: one Durable Object per client. With regions, requests ask an object of the region in which
// they run (decisions/0064-allowances.md).

import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { Limiter } from "../ports/limiter.ts";
import { objectAt, probeOf } from "../regions/located-env.ts";
import { checkReachable } from "../regions/lost-regions.ts";
import { boundRegions, type Region, type RegionSettings, regionOf, regionsOf } from "../regions/regions.ts";
import type { Env } from "../settings/config.ts";
import type { AllowanceSource, ClientLimits } from "./client-limits.ts";

/** Returns the host's limiter, or the limiter on Cloudflare; undefined if neither is configured. */
export const limiterOf = (env: Env): Limiter | undefined =>
  env.LIMITER ??
  (env.CLIENT_LIMITS &&
    durableLimiter(env.CLIENT_LIMITS, env, (region) => checkReachable(region, probeOf(env, region))));

/**
 * Returns the name under which a client is counted. If the client is bound to regions, its center is in the first one,
 * and the name starts with this region.
 * @param keyRegions regions of the client's key
 */
export function countedName(client: string, keyRegions: readonly string[] | undefined, env: RegionSettings): string {
  const bound = keyRegions ?? boundRegions(env);
  const center = bound && regionsOf(env)?.find(({ name }) => bound.includes(name));
  return center ? `${center.name}/${client}` : client;
}

/**
 * @param check called when the object of a region has failed. @throws RegionLost if the region is unreachable, so that
 *   new requests avoid it
 */
export function durableLimiter(
  namespace: DurableObjectNamespace,
  env: RegionSettings,
  check: (region: Region) => Promise<void> = async () => {},
): Limiter {
  type Call<T> = (object: DurableObjectStub<ClientLimits>, source: AllowanceSource | undefined) => Promise<T>;
  const objects = namespace as DurableObjectNamespace<ClientLimits>;
  const inTime = async <T>(name: string, call: Call<T>): Promise<T> => {
    const client = name.slice(name.indexOf("/") + 1);
    const ask = (object: DurableObjectStub<ClientLimits>, source?: AllowanceSource) =>
      withTimeout(LIMITS.limiterMs, () => call(object, source));
    const regions = regionsOf(env);
    if (!regions) return ask(objects.get(objects.idFromName(client)));
    const center = regions.find((region) => name === `${region.name}/${client}`) ?? regions[0]!;
    const region = regionOf(env) ?? center;
    const source = { client, center: center.name, region: region.name };
    const asking =
      region === center
        ? ask(objectAt(objects, env, center, client))
        : ask(objectAt(objects, env, region, `${client}/${center.name}`), source);
    return asking.catch(async (error) => {
      await check(region);
      throw error;
    });
  };
  return {
    acquire: (client, limits, request) => inTime(client, (object, source) => object.ask(limits, request, source)),
    renew: (client, lease) => inTime(client, (object, source) => object.renew(lease, source)),
    release: (client, lease, bytes) => inTime(client, (object, source) => object.leave(lease, bytes, source)),
    store: (client, megabytes, stored) => inTime(client, (object, source) => object.store(megabytes, stored, source)),
    giveBack: (client, stored) => inTime(client, (object, source) => object.giveBack(stored, source)),
    removed: (client, files) => inTime(client, (object, source) => object.removed([...files], source)),
    peek: (client, limits) => inTime(client, (object, source) => object.peek(limits, source)),
  };
}
