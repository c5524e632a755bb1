// Reads the settings of the host from environment variables.
//
// - VARIANT, API_DIALECT, MAX_UPLOAD_MB, MAX_OUTPUT_MB, MAX_INPUTS, FILE_LIFETIME_HOURS, BASE_URL, ALLOWED_HOSTS,
//   CORS_ORIGINS, ADDRESS_*, OTEL_*: as in the Worker
// - PORT, HOST: port and address on which the host listens
// - METRICS_PORT, METRICS_HOST: port and address of the metrics server; by default none runs
// - DATA_DIR: folder for the databases, and for stored files unless they are in S3
// - DATABASE_URL: PostgreSQL for keys, limits, usage, claims and jobs; by default they are in the data folder
// - DATABASE_CONNECTIONS: maximum number of connections to it
// - S3_*: an S3-compatible store for the files (storage/open-bucket.ts)
// - API_KEYS: comma-separated keys of the keyed variant, in addition to the key database
// - TRUSTED_PROXIES: number of proxies in front of the host whose X-Forwarded headers are trusted
// - MEMORY_MB: memory for files in transit
// - SHUTDOWN_GRACE_SECONDS: time for requests to complete after SIGTERM. Its old name STOP_SECONDS takes precedence,
//   because the image sets the new one
// - SHUTDOWN_DELAY_SECONDS: time after SIGTERM in which the host still accepts requests, but is not ready
// - ENGINES: names of the engines to start (default: all), or `off` to run without the container
// - CONTAINER_URL, CONTAINER_SECRET: an external container
// - FORM_SECRET: encrypts passwords of queued requests

import { resolve } from "node:path";
import { selectedEngines } from "../container/engine-selection.ts";
import { isKey } from "../src/service/ports/api-key.ts";
import type { ProcessCapacity } from "../src/service/settings/capacity.ts";
import { type Env, readConfig } from "../src/service/settings/config.ts";
import { LOOPBACK_HOSTS, SETTINGS } from "../src/service/settings/settings.ts";
import { hostCapacity } from "./capacity.ts";
import type { DatabaseSettings } from "./storage/postgres/open.ts";

/** Settings that the app reads from its environment. */
export type Variables = Omit<
  Env,
  | "FILES"
  | "API_KEYS"
  | "CLAIMS"
  | "JOBS"
  | "CONTAINER"
  | "LIMITER"
  | "USAGE_RECORDS"
  | "RECORDS"
  | `${string}_FILES`
  | `${string}_CONTAINER`
>;

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Address and port of the metrics server. @default none */
  readonly metrics?: { readonly port: number; readonly host: string; readonly hosts?: readonly string[] };
  /** Absolute path. */
  readonly dataFolder: string;
  /** @default SQLite in the data folder */
  readonly database?: DatabaseSettings;
  readonly apiKeys: readonly string[];
  readonly trustedProxies: number;
  readonly stopMs: number;
  readonly stopDelayMs: number;
  readonly budgets: ProcessCapacity;
  /** Maximum size of the page images that are cached on disk. */
  readonly pictureCacheBytes: number;
  /** True if the host starts the container's server. */
  readonly startsEngines: boolean;
  readonly variables: Variables;
}

const VARIABLES = [
  "VARIANT",
  ...SETTINGS,
  "CONTAINER_URL",
  "CONTAINER_SECRET",
  "FORM_SECRET",
] as const satisfies readonly (keyof Variables)[];

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Error with a message for the operator if a setting is invalid */
export function readSettings(environment: Environment): Settings {
  const variables = Object.fromEntries(
    VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  ) as Variables;
  const startsEngines = environment.ENGINES !== "off" && !variables.CONTAINER_URL;
  if (startsEngines) selectedEngines(environment.ENGINES);
  readConfig(variables as Env);
  const count = (name: string, fallback: number, least: number, most: number) => {
    const value = Number(environment[name] || fallback);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${environment[name]}".`);
  };
  const metrics = environment.METRICS_PORT
    ? { port: count("METRICS_PORT", 0, 1, 65_535), ...metricsHost(environment.METRICS_HOST || "127.0.0.1", variables) }
    : undefined;
  const port = count("PORT", 8787, 0, 65_535);
  if (port === metrics?.port) throw new Error(`METRICS_PORT must be another port than PORT, not "${port}".`);
  requireContainer(variables);
  const connections = count("DATABASE_CONNECTIONS", 10, 1, 1000);
  const host = environment.HOST || "127.0.0.1";
  const trustedProxies = count("TRUSTED_PROXIES", 0, 0, 10);
  // Behind a proxy on the same machine, requests have the host names of the proxy.
  const isLocal = isLoopback(host) && trustedProxies === 0 && variables.BASE_URL === undefined;
  const given = isLocal ? { ALLOWED_HOSTS: LOOPBACK_HOSTS, ...variables } : variables;
  return {
    ...(metrics ? { metrics } : {}),
    ...(environment.DATABASE_URL ? { database: databaseOf(environment.DATABASE_URL, connections) } : {}),
    port,
    host,
    dataFolder: resolve(environment.DATA_DIR || ".pagewright"),
    apiKeys: keysIn(environment.API_KEYS ?? ""),
    trustedProxies,
    stopMs: count(environment.STOP_SECONDS ? "STOP_SECONDS" : "SHUTDOWN_GRACE_SECONDS", 25, 0, 3600) * 1000,
    stopDelayMs: count("SHUTDOWN_DELAY_SECONDS", 0, 0, 300) * 1000,
    budgets: hostCapacity(count("MEMORY_MB", 512, 128, 2 ** 20) * 2 ** 20),
    pictureCacheBytes: count("PICTURE_CACHE_MB", 1024, 0, 2 ** 20) * 2 ** 20,
    startsEngines,
    variables: startsEngines ? given : { CONTAINER_URL: "off", ...given },
  };
}

/**
 * Returns the environment of the engine server. Omits secrets. Also omits the grace period, because the host stops the
 * server only after its own requests have ended.
 */
export function engineEnvironment(environment: Environment): Environment {
  const isOwn = (name: string) =>
    /^(?:API_KEYS$|FORM_SECRET$|SHUTDOWN_GRACE_SECONDS$|DATABASE_|PG[A-Z]+$|S3_|OTEL_)/.test(name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOwn(name)));
}

/**
 * Returns the metrics server's address and host names. On a loopback address, it accepts only loopback host names by
 * default, because DNS rebinding can make browsers send requests with other names.
 */
function metricsHost(host: string, { ALLOWED_HOSTS = isLoopback(host) ? LOOPBACK_HOSTS : undefined }: Variables) {
  const { hosts } = ALLOWED_HOSTS === undefined ? {} : readConfig({ ALLOWED_HOSTS } as Env);
  return { host, ...(hosts ? { hosts } : {}) };
}

/** The error message does not contain the URL, because it can contain a password. */
function databaseOf(url: string, connections: number): DatabaseSettings {
  if (/^postgres(?:ql)?:\/\/./.test(url)) return { url, connections };
  throw new Error("DATABASE_URL must be a URL that starts with postgres://.");
}

const isLoopback = (host: string) => /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host);

/** Parses a list of API keys. The error message contains no key. */
function keysIn(list: string): string[] {
  const keys = list
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
  if (keys.every(isKey)) return keys;
  throw new Error("API_KEYS must be keys of 1 to 256 printable ASCII characters without spaces, separated by commas.");
}

function requireContainer({ CONTAINER_URL: url = "off", CONTAINER_SECRET: secret }: Variables): void {
  if (url === "off") return;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error(`CONTAINER_URL must be an http or https URL, or "off", not "${url}".`);
  }
  if (!secret) throw new Error("CONTAINER_URL needs the CONTAINER_SECRET of that container.");
}
