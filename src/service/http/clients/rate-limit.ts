// Formats rate limits: the RateLimit headers (draft-ietf-httpapi-ratelimit-headers-10) and the 429 error.

import type { LimitDecision, LimitName, Limits } from "../../ports/limiter.ts";
import { limitReached, type ServiceError } from "../contract/errors.ts";

interface Wording {
  /** Name of the policy. */
  readonly policy: string;
  /** Quota unit. @default requests */
  readonly unit?: string;
  /** Number of quota units per unit of the limit. */
  readonly scale: number;
  readonly windowSeconds?: number;
  /** The limited quantity, as words that follow its number: "requests a minute". */
  readonly of: string;
}

const WORDINGS: Readonly<Record<LimitName, Wording>> = {
  requestsPerMinute: { policy: "requests", scale: 1, windowSeconds: 60, of: "requests a minute" },
  concurrentJobs: { policy: "jobs", unit: "concurrent-requests", scale: 1, of: "jobs at the same time" },
  megabytesPerDay: { policy: "bytes", unit: "content-bytes", scale: 2 ** 20, windowSeconds: 86_400, of: "MB a day" },
  storedMegabytes: { policy: "stored", unit: "content-bytes", scale: 2 ** 20, of: "MB of stored files" },
};

const NAMES = Object.keys(WORDINGS) as LimitName[];

/** Returns the headers RateLimit-Policy and RateLimit. */
export function rateLimitHeaders(limits: Limits, { left }: Pick<LimitDecision, "left">): Record<string, string> {
  const policies: string[] = [];
  const rests: string[] = [];
  for (const name of NAMES) {
    const [limit, rest] = [limits[name], left[name]];
    if (limit === undefined || rest === undefined) continue;
    const { policy, unit, scale, windowSeconds } = WORDINGS[name];
    const quota = unit === undefined ? "" : `;qu="${unit}"`;
    const window = windowSeconds === undefined ? "" : `;w=${windowSeconds}`;
    policies.push(`"${policy}";q=${limit * scale}${quota}${window}`);
    rests.push(`"${policy}";r=${rest.count}${rest.seconds === undefined ? "" : `;t=${rest.seconds}`}`);
  }
  return { "RateLimit-Policy": policies.join(", "), RateLimit: rests.join(", ") };
}

/** Returns the error of a request that exceeds a limit. */
export function refusal(
  limits: Limits,
  verdict: LimitDecision & Required<Pick<LimitDecision, "rejected">>,
): ServiceError {
  const { limit, retryAfterSeconds } = verdict.rejected;
  const headers = { ...rateLimitHeaders(limits, verdict), "Retry-After": String(retryAfterSeconds) };
  return limitReached(`${limits[limit]} ${WORDINGS[limit].of}`, headers);
}
