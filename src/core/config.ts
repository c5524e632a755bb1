// The service's settings, read once from the environment of the Worker. Knows no request.

import { LIMITS } from "./limits.ts";

export interface Env {
  readonly FILES: R2Bucket;
  readonly API_KEYS: KVNamespace;
  /** `private` (no key) or `keyed`. */
  readonly VARIANT?: string;
  readonly MAX_UPLOAD_MB?: string;
  readonly MAX_INPUTS?: string;
  readonly FILE_LIFETIME_HOURS?: string;
  /** Where clients reach the service, when that differs from what the request says (behind a proxy). */
  readonly BASE_URL?: string;
  /** The container with the native engines, in production. */
  readonly CONTAINER?: DurableObjectNamespace;
  /** Over how many instances of it the load is spread. */
  readonly CONTAINER_INSTANCES?: string;
  /** The same on a developer's machine: where it listens. Goes before CONTAINER. */
  readonly CONTAINER_URL?: string;
  /** What the container asks of whoever calls it; without it there is no container. */
  readonly CONTAINER_SECRET?: string;
}

export type Variant = "private" | "keyed";

export interface Config {
  readonly variant: Variant;
  /** Of one file, for the endpoints whose limit can be set (spec, "Limits"). */
  readonly maxUploadBytes: number;
  /** How many files and ids one request may give. */
  readonly maxInputs: number;
  /** 0 = for ever. */
  readonly fileLifetimeMs: number;
  readonly baseUrl: string | undefined;
}

/** @throws Error with a sentence for the operator when a setting makes no sense */
export function readConfig(env: Env): Config {
  const variant = env.VARIANT ?? "private";
  if (variant !== "private" && variant !== "keyed") {
    throw new Error(`VARIANT must be "private" or "keyed", not "${variant}".`);
  }
  return {
    variant,
    maxUploadBytes: Math.floor(
      numberSetting("MAX_UPLOAD_MB", env.MAX_UPLOAD_MB, LIMITS.uploadBytes / 2 ** 20) * 2 ** 20,
    ),
    maxInputs: numberSetting("MAX_INPUTS", env.MAX_INPUTS, LIMITS.inputs),
    fileLifetimeMs: numberSetting("FILE_LIFETIME_HOURS", env.FILE_LIFETIME_HOURS, 24) * 3_600_000,
    baseUrl: env.BASE_URL?.replace(/\/+$/, "") || undefined,
  };
}

function numberSetting(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text.trim() === "") return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number of at least 0, not "${text}".`);
  return value;
}
