// Serves GET /usage: the usage of a key, and its remaining limits (docs/api.md#usage).

import { LIMITS } from "../../../document/contract/limits.ts";
import { countedName, limiterOf } from "../../keys/durable-limiter.ts";
import type { UsageCollector } from "../../keys/usage-collector.ts";
import { NO_COUNTS, sumOf } from "../../keys/usage-table.ts";
import { dayOf } from "../../ports/usage.ts";
import type { Env } from "../../settings/config.ts";
import { busy, outOfRange } from "../contract/errors.ts";
import { clientIdOfKey, requireKey } from "./auth.ts";
import { usageOf } from "./guard.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** @throws ServiceError 400, 401, 503 */
export async function handleUsage(request: Request, env: Env, collector: UsageCollector): Promise<Response> {
  const key = await requireKey(request.headers.get("Api-Key"), env.API_KEYS);
  const days = daysOf(new URL(request.url).searchParams);
  const records = usageOf(env);
  if (records === undefined) throw busy();
  await collector.record({ records });
  const rows = await records.read(key.hash, dayOf(Date.now() - (days - 1) * DAY_MS));
  const { expires, scopes, limits = {}, fileLifetimeHours, regions } = key.record;
  const isLimited = Object.keys(limits).length > 0;
  const client = countedName(clientIdOfKey(key), regions, env);
  const left = isLimited
    ? await limiterOf(env)
        ?.peek(client, limits)
        .catch(() => Promise.reject(busy()))
    : {};
  const lefts = Object.entries(left ?? {}).map(([name, { count, seconds }]) => [
    name,
    { left: count, ...(seconds === undefined ? {} : { seconds }) },
  ]);
  return Response.json(
    {
      ...(expires === undefined ? {} : { expires }),
      ...(scopes === undefined ? {} : { scopes }),
      ...(fileLifetimeHours === undefined ? {} : { fileLifetimeHours }),
      limits,
      left: Object.fromEntries(lefts),
      total: rows.reduce(sumOf, NO_COUNTS),
      usage: rows,
    },
    { headers: { "Cache-Control": "no-store" } },
  );
}

/** @throws ServiceError 400 */
function daysOf(query: URLSearchParams): number {
  const [text = String(DEFAULT_DAYS), ...others] = query.getAll("days");
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (others.length > 0 || days < 1 || days > LIMITS.usageDays) throw outOfRange("days", text);
  return days;
}
