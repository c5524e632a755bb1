// Answers GET /ready: whether the service can do all that it promises at this moment.

import type { Env } from "../core/config.ts";
import { LIMITS } from "../core/limits.ts";
import { within } from "../core/within.ts";
import { containerReadiness } from "../placement/readiness.ts";

type Part = "OK" | "failed";

export interface Readiness {
  readonly status: "OK" | "unavailable";
  readonly storage: Part;
  /** Containers that sleep are OK: a job starts them. */
  readonly container: { readonly engines: Part; readonly web: Part };
  /** Sentences for the operator; empty if all is well. */
  readonly reasons: readonly string[];
}

export async function readiness(env: Env): Promise<Readiness> {
  const [storage, { engines, web }] = await Promise.all([storageReason(env), containerReadiness(env)]);
  const reasons = [...new Set([storage, engines, web].filter((reason) => reason !== undefined))];
  return {
    status: reasons.length === 0 ? "OK" : "unavailable",
    storage: part(storage),
    container: { engines: part(engines), web: part(web) },
    reasons,
  };
}

const part = (reason: string | undefined): Part => (reason === undefined ? "OK" : "failed");

async function storageReason({ FILES }: Env): Promise<string | undefined> {
  try {
    await within(LIMITS.readyMs, () => FILES.head("ready"));
    return undefined;
  } catch {
    return "The storage does not answer.";
  }
}
