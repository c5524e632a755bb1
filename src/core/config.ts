// Reads the settings of the service from the Worker's environment. Knows nothing about requests.

import type { KeyRecords } from "./api-key.ts";
import type { Bucket } from "./bucket.ts";
import { LIMITS } from "./limits.ts";

export interface Env {
  readonly FILES: Bucket;
  readonly API_KEYS: KeyRecords;
  /** Access to the service: `private` (no key) or `keyed`. */
  readonly VARIANT?: string;
  readonly MAX_UPLOAD_MB?: string;
  readonly MAX_INPUTS?: string;
  readonly FILE_LIFETIME_HOURS?: string;
  /** Public URL of the service, if it differs from the request's URL (behind a proxy). */
  readonly BASE_URL?: string;
  /** Address of the client, if not Cloudflare's header but the host tells it. */
  readonly CLIENT_ADDRESS?: string;
  /** The container with the native engines, in production. */
  readonly CONTAINER?: DurableObjectNamespace;
  /** The container for web pages, in production. */
  readonly WEB_CONTAINER?: DurableObjectNamespace;
  /** Leases the instances of both. */
  readonly DISPATCHER?: DurableObjectNamespace;
  /** Number of instances of each; equal to `max_instances` (wrangler.toml). */
  readonly CONTAINER_INSTANCES?: string;
  readonly WEB_CONTAINER_INSTANCES?: string;
  /**
   * Address of a container that runs beside the service. Takes precedence over the bindings. `off`: the service runs
   * without a container.
   */
  readonly CONTAINER_URL?: string;
  /** Secret of the container with the address. */
  readonly CONTAINER_SECRET?: string;
}

export type Variant = "private" | "keyed";

export interface Config {
  readonly variant: Variant;
  /** Size limit of one file, for the endpoints whose limit can be set (spec, "Limits"). */
  readonly maxUploadBytes: number;
  /** Maximum number of files and ids in one request. */
  readonly maxInputs: number;
  /** Lifetime of stored files in milliseconds; 0 means unlimited. */
  readonly fileLifetimeMs: number;
  readonly baseUrl: string | undefined;
}

/** @throws Error with a sentence for the operator if a setting is invalid */
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
    baseUrl: baseUrlSetting(env.BASE_URL),
  };
}

function baseUrlSetting(text = ""): string | undefined {
  const url = text.replace(/\/+$/, "");
  if (url === "") return undefined;
  if (/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/.test(url)) return url;
  throw new Error(`BASE_URL must be an http or https URL, not "${text}".`);
}

function numberSetting(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text.trim() === "") return fallback;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number of at least 0, not "${text}".`);
  return value;
}
