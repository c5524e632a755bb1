// The limiter on Cloudflare: one Durable Object per client.

import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { Limiter } from "../ports/limiter.ts";
import type { Env } from "../settings/config.ts";
import type { ClientLimits } from "./client-limits.ts";

/** Returns the host's limiter, or the limiter on Cloudflare; undefined if neither is configured. */
export const limiterOf = ({ LIMITER, CLIENT_LIMITS }: Env): Limiter | undefined =>
  LIMITER ?? (CLIENT_LIMITS && durableLimiter(CLIENT_LIMITS));

export function durableLimiter(namespace: DurableObjectNamespace): Limiter {
  const objects = namespace as DurableObjectNamespace<ClientLimits>;
  const of = (client: string) => objects.get(objects.idFromName(client));
  const inTime = <T>(call: () => Promise<T>) => withTimeout(LIMITS.limiterMs, call);
  return {
    acquire: (client, limits, request) => inTime(async () => of(client).ask(limits, request)),
    renew: (client, lease) => inTime(async () => of(client).renew(lease)),
    release: (client, lease, bytes) => inTime(async () => of(client).leave(lease, bytes)),
    store: (client, megabytes, stored) => inTime(async () => of(client).store(megabytes, stored)),
    giveBack: (client, stored) => inTime(async () => of(client).giveBack(stored)),
    removed: (client, files) => inTime(async () => of(client).removed([...files])),
    peek: (client, limits) => inTime(async () => of(client).peek(limits)),
  };
}
