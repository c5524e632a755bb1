// Reads the settings of the service from the Worker's environment.

import { LIMITS } from "../../document/contract/limits.ts";
import type { KeyRecords } from "../ports/api-key.ts";
import type { Bucket } from "../ports/bucket.ts";
import type { Claims } from "../ports/claims.ts";
import type { JobQueues } from "../ports/jobs.ts";
import type { Limiter, LimitName, Limits } from "../ports/limiter.ts";
import type { PageImageCache } from "../ports/page-image-cache.ts";
import type { UsageRecords } from "../ports/usage.ts";
import { readTraceSettings, type TraceSettings, type TraceVariables } from "./trace-settings.ts";

export interface Env extends TraceVariables {
  readonly FILES: Bucket;
  readonly API_KEYS: KeyRecords;
  /** Claims on idempotency keys, with their stored responses. */
  readonly CLAIMS: Claims;
  /** The queue of asynchronous jobs. */
  readonly JOBS: JobQueues;
  /** Regions of the deployment, comma-separated (src/service/regions/regions.ts). @default none */
  readonly REGIONS?: string;
  /** Regions to which all clients are bound whose key names none, comma-separated. @default none */
  readonly BOUND_REGIONS?: string;
  /** Buckets of the regions other than the default one. Example: `ENAM_FILES`. */
  readonly [files: `${string}_FILES`]: Bucket | undefined;
  /** Instances of containers in these regions. Examples: `ENAM_CONTAINER`, `ENAM_WEB_CONTAINER`. */
  readonly [container: `${string}_CONTAINER`]: DurableObjectNamespace | undefined;
  /** Carries out requests in their regions. */
  readonly REGION_RUNNER?: DurableObjectNamespace;
  /** Name of the region in which a request is carried out, set by the service. */
  readonly REGION?: string;
  /**
   * Set by the service if everything that a request stores is bound to its region. Name of the region that holds the
   * client's claims.
   */
  readonly BOUND?: string;
  /**
   * Set by the service. Regions, nearest first and comma-separated, whose containers run jobs if those of REGION are
   * full. @default none
   */
  readonly SPILL?: string;
  /** Set by the service if the request reads files, and arrived far from the nearest region. */
  readonly REMOTE?: string;
  /** Set by the service in the environment of a region: the environment with the bindings of all regions. */
  readonly ALL_REGIONS?: Env;
  /** `private`: clients need no key. `keyed`: clients need a key. */
  readonly VARIANT?: string;
  /** Version of the contract whose defaults apply: `2022` or `current`. */
  readonly API_DIALECT?: string;
  /** Counts requests against the limits of clients. */
  readonly CLIENT_LIMITS?: DurableObjectNamespace;
  /** Database for the usage of keys. */
  readonly USAGE?: D1Database;
  /** The host's replacements for CLIENT_LIMITS and USAGE. */
  readonly LIMITER?: Limiter;
  readonly USAGE_RECORDS?: UsageRecords;
  /** Set by the host if keys, limits, claims and jobs are in a database that might be away. */
  readonly RECORDS?: { failure(): Promise<string | undefined> };
  /** Limits per IP address in the private variant. */
  readonly ADDRESS_REQUESTS_PER_MINUTE?: string;
  readonly ADDRESS_CONCURRENT_JOBS?: string;
  readonly ADDRESS_MEGABYTES_PER_DAY?: string;
  readonly ADDRESS_STORED_MEGABYTES?: string;
  /** Origins of web pages that can call the service, comma-separated, or `*`. */
  readonly CORS_ORIGINS?: string;
  /** `on`: the routes of Gotenberg 8 are served, too. @default off */
  readonly GOTENBERG_ROUTES?: string;
  readonly MAX_UPLOAD_MB?: string;
  readonly MAX_OUTPUT_MB?: string;
  readonly MAX_INPUTS?: string;
  readonly FILE_LIFETIME_HOURS?: string;
  /** Public URL of the service, if it differs from the request's URL, for example behind a proxy. */
  readonly BASE_URL?: string;
  /** Public origin of the service for one request, which the host reads from the headers of trusted proxies. */
  readonly FORWARDED_ORIGIN?: string;
  /** Host names of the service, comma-separated, or `*`. */
  readonly ALLOWED_HOSTS?: string;
  /** IP address of the client, set by the host. @default the address in the header CF-Connecting-IP */
  readonly CLIENT_ADDRESS?: string;
  /** Set by the host if the address is that of a proxy, behind which there can be several clients. @default it is not */
  readonly HIDES_CLIENTS?: "1";
  /** Set by the host while it waits for a balancer to send requests elsewhere. @default it is not */
  readonly ENDING?: "1";
  /** Cache of complete page images. @default the platform's cache */
  readonly PICTURES?: PageImageCache;
  /** Receives one data point for each completed request (docs/metrics.md). @default no data points are written */
  readonly ANALYTICS?: Analytics;
  /** Instances of the container with the native engines, on Cloudflare. */
  readonly CONTAINER?: DurableObjectNamespace;
  /** Instances of the container for web pages, on Cloudflare. */
  readonly WEB_CONTAINER?: DurableObjectNamespace;
  /**
   * Addresses that web pages and `url` can access although they are not public, and the DNS servers. Only the container
   * reads these two.
   */
  readonly URL_ALLOW?: string;
  readonly URL_DNS?: string;
  /** Leases slots on the instances of both containers. */
  readonly DISPATCHER?: DurableObjectNamespace;
  /** Number of instances of each container. Must equal `max_instances` in wrangler.toml. */
  readonly CONTAINER_INSTANCES?: string;
  readonly WEB_CONTAINER_INSTANCES?: string;
  /**
   * URL of a container that runs alongside the service. Takes precedence over the bindings above. `off`: the service
   * runs without a container.
   */
  readonly CONTAINER_URL?: string;
  /** Secret of the container at CONTAINER_URL. */
  readonly CONTAINER_SECRET?: string;
  /** Secret that encrypts passwords of queued requests. @default requests with passwords cannot be asynchronous */
  readonly FORM_SECRET?: string;
  /** URL of a time stamp authority (RFC 3161), which can be private. @default signatures have no time stamps */
  readonly TIMESTAMP_URL?: string;
  /** Base URL of a language model with the API of OpenAI, which can be private. @default the binding AI */
  readonly LLM_URL?: string;
  /** Name of the language model. @default none: the service has no endpoints that need one */
  readonly LLM_MODEL?: string;
  readonly LLM_CONTEXT_TOKENS?: string;
  /** Key for LLM_URL. */
  readonly LLM_API_KEY?: string;
  /** The platform's language models, on Cloudflare. */
  readonly AI?: ModelBinding;
}

/** The subset of Cloudflare's AnalyticsEngineDataset that the service uses. */
interface Analytics {
  writeDataPoint(point: { indexes: string[]; blobs: string[]; doubles: number[] }): void;
}

/** The subset of Cloudflare's Ai that the service uses. */
export interface ModelBinding {
  run(
    model: string,
    inputs: object,
    options: { readonly returnRawResponse: true; readonly signal: AbortSignal },
  ): Promise<Response>;
}

export interface ModelSettings {
  /** URL of the requests. @default the binding AI */
  readonly url?: string;
  readonly name: string;
  /** Number of tokens that a question and its answer can have together. */
  readonly contextTokens: number;
}

/** Maximum of every numeric setting. A file lifetime of this many hours still ends at a valid Date. */
const MAX_SETTING = 10_000_000;

export type Variant = "private" | "keyed";

/** The version of the contract whose defaults apply (decisions/0056-dialects.md). */
export type Dialect = "2022" | "current";

export interface Config {
  readonly variant: Variant;
  readonly dialect: Dialect;
  /** Maximum size of one file, for endpoints with a configurable limit (spec, "Limits"). */
  readonly maxUploadBytes: number;
  /** Maximum total size of the outputs of one request. */
  readonly maxOutputBytes: number;
  /** Maximum number of files and IDs in one request. */
  readonly maxInputs: number;
  /** Lifetime of stored files in milliseconds; 0 means unlimited. */
  readonly fileLifetimeMs: number;
  readonly baseUrl: string | undefined;
  /** Host names of the service, besides `localhost` and IP addresses; `*` means any. @default any */
  readonly hosts?: readonly string[];
  /** True if requests for host names outside {@link hosts} are rejected. @default false */
  readonly checksHost?: boolean;
  /** URL of a time stamp authority. @default signatures have no time stamps */
  readonly timeStampUrl?: string;
  /** @default there is no language model */
  readonly model?: ModelSettings;
  /** @default traces are not exported */
  readonly traces?: TraceSettings | undefined;
  /** Limits per IP address in the private variant. @default none */
  readonly addressLimits?: Limits;
  /** True if the deployment has several regions. @default false */
  readonly hasRegions?: boolean;
  /** Origins of web pages that can call the service; `*` means all. @default none */
  readonly corsOrigins?: readonly string[];
  /** True if the routes of Gotenberg are served, too. @default false */
  readonly servesGotenberg?: boolean;
}

const bytesOf = (megabytes: number) => Math.floor(megabytes * 2 ** 20);

const UPLOAD_MB: NumberSetting = {
  fallback: LIMITS.uploadBytes / 2 ** 20,
  range: "a number above 0 and up to",
  accepts: (megabytes) => bytesOf(megabytes) > 0,
};
const OUTPUT_MB: NumberSetting = { ...UPLOAD_MB, fallback: LIMITS.outputBytes / 2 ** 20 };
const INPUTS: NumberSetting = {
  fallback: LIMITS.inputs,
  range: "a whole number from 1 to",
  accepts: (inputs) => Number.isInteger(inputs) && inputs > 0,
};
const CONTEXT_TOKENS: NumberSetting = {
  fallback: 8192,
  range: "a whole number from 4096 to",
  accepts: (tokens) => Number.isInteger(tokens) && tokens >= 4096,
};
const LIFETIME_HOURS: NumberSetting = { fallback: 24, range: "a number from 0 to", accepts: (hours) => hours >= 0 };

/** @throws Error with a message for the operator if a setting is invalid */
export function readConfig(env: Env): Config {
  const variant = env.VARIANT ?? "private";
  if (variant !== "private" && variant !== "keyed") {
    throw new Error(`VARIANT must be "private" or "keyed", not "${variant}".`);
  }
  const dialect = env.API_DIALECT || "2022";
  if (dialect !== "2022" && dialect !== "current") {
    throw new Error(`API_DIALECT must be "2022" or "current", not "${dialect}".`);
  }
  if (env.BOUND_REGIONS?.trim() && !env.REGIONS?.trim()) throw new Error("BOUND_REGIONS needs REGIONS.");
  const addressLimits = addressLimitsSetting(env);
  const baseUrl = baseUrlSetting(env.BASE_URL);
  const allowed = env.ALLOWED_HOSTS ? hostsSetting(env.ALLOWED_HOSTS) : undefined;
  const hosts = [...(allowed ?? []), ...(baseUrl === undefined ? [] : [new URL(baseUrl).hostname])];
  return {
    ...{ variant, dialect },
    ...(variant === "private" && addressLimits ? { addressLimits } : {}),
    ...(env.REGIONS?.trim() ? { hasRegions: true } : {}),
    ...(onOffSetting("GOTENBERG_ROUTES", env.GOTENBERG_ROUTES) ? { servesGotenberg: true } : {}),
    ...(env.CORS_ORIGINS ? { corsOrigins: originsSetting(env.CORS_ORIGINS) } : {}),
    maxUploadBytes: bytesOf(numberSetting("MAX_UPLOAD_MB", env.MAX_UPLOAD_MB, UPLOAD_MB)),
    maxOutputBytes: bytesOf(numberSetting("MAX_OUTPUT_MB", env.MAX_OUTPUT_MB, OUTPUT_MB)),
    maxInputs: numberSetting("MAX_INPUTS", env.MAX_INPUTS, INPUTS),
    fileLifetimeMs: numberSetting("FILE_LIFETIME_HOURS", env.FILE_LIFETIME_HOURS, LIFETIME_HOURS) * 3_600_000,
    baseUrl: baseUrl ?? env.FORWARDED_ORIGIN,
    ...(hosts.length > 0 ? { hosts } : {}),
    ...(allowed ? { checksHost: true } : {}),
    ...(env.TIMESTAMP_URL ? { timeStampUrl: addressSetting("TIMESTAMP_URL", env.TIMESTAMP_URL) } : {}),
    ...modelSettings(env),
    traces: readTraceSettings(env),
  };
}

function modelSettings({ LLM_URL, LLM_MODEL: name, LLM_API_KEY, LLM_CONTEXT_TOKENS, AI }: Env): Pick<Config, "model"> {
  if (LLM_URL && !name) throw new Error("LLM_URL needs LLM_MODEL.");
  // Otherwise, the error of each request would have the key.
  if (LLM_API_KEY && !/^[!-~]+$/.test(LLM_API_KEY.trim())) {
    throw new Error("LLM_API_KEY must be printable ASCII characters without spaces.");
  }
  const contextTokens = numberSetting("LLM_CONTEXT_TOKENS", LLM_CONTEXT_TOKENS, CONTEXT_TOKENS);
  if (!name || (!LLM_URL && !AI)) return {};
  if (!LLM_URL) return { model: { name, contextTokens } };
  const url = new URL(addressSetting("LLM_URL", LLM_URL));
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "")}/chat/completions`;
  return { model: { url: url.href, name, contextTokens } };
}

function addressLimitsSetting(env: Env): Limits | undefined {
  const limit = (name: Extract<keyof Env, `ADDRESS_${string}`>, of: LimitName) => {
    const text = env[name] ?? "";
    if (text.trim() === "") return {};
    if (/^[1-9]\d{0,8}$/.test(text)) return { [of]: Number(text) };
    throw new Error(`${name} must be a whole number of at least 1, not "${text}".`);
  };
  const limits: Limits = {
    ...limit("ADDRESS_REQUESTS_PER_MINUTE", "requestsPerMinute"),
    ...limit("ADDRESS_CONCURRENT_JOBS", "concurrentJobs"),
    ...limit("ADDRESS_MEGABYTES_PER_DAY", "megabytesPerDay"),
    ...limit("ADDRESS_STORED_MEGABYTES", "storedMegabytes"),
  };
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function onOffSetting(name: string, text = "off"): boolean {
  if (text === "on") return true;
  if (text === "off" || text.trim() === "") return false;
  throw new Error(`${name} must be "on" or "off", not "${text}".`);
}

function originsSetting(text: string): readonly string[] {
  const origins = text.split(",").map((origin) => origin.trim());
  const isOrigin = (origin: string) => URL.canParse(origin) && new URL(origin).origin === origin;
  if (origins.join() === "*" || origins.every(isOrigin)) return origins;
  throw new Error(`CORS_ORIGINS must be * or origins such as https://app.example.com, not "${text}".`);
}

/** @returns host names in the canonical form of URLs */
function hostsSetting(text: string): readonly string[] {
  const isName = (name: string) => /^[^\s/?#@:*\\[\]]+$/.test(name) && URL.canParse(`http://${name}`);
  const names = text.split(",").map((name) => name.trim());
  if (text.trim() === "*") return names;
  if (names.every(isName)) return names.map((name) => new URL(`http://${name}`).hostname);
  throw new Error(`ALLOWED_HOSTS must be * or names such as pdf.example.com, without ports, not "${text}".`);
}

function baseUrlSetting(text = ""): string | undefined {
  const url = text.replace(/\/+$/, "");
  if (url === "") return undefined;
  if (/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/.test(url) && URL.canParse(url)) return url;
  throw new Error(`BASE_URL must be an http or https URL, not "${text}".`);
}

/** The error message does not contain the URL, because it can contain a password. */
function addressSetting(name: string, text: string): string {
  const { href, username, password } = URL.parse(text.trim().replace(/#.*$/s, "")) ?? {};
  if (href && /^https?:/.test(href) && !username && !password) return href;
  throw new Error(`${name} must be an http or https URL without a user name and a password.`);
}

interface NumberSetting {
  readonly fallback: number;
  /** Description of the valid values for the error message, including the maximum. */
  readonly range: string;
  accepts(value: number): boolean;
}

function numberSetting(name: string, text: string | undefined, { fallback, range, accepts }: NumberSetting): number {
  if (text === undefined || text.trim() === "") return fallback;
  const value = Number(text);
  if (accepts(value) && value <= MAX_SETTING) return value;
  throw new Error(`${name} must be ${range} ${MAX_SETTING}, not "${text}".`);
}
