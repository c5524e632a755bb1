// Reads the settings of the host from environment variables.
//
// - VARIANT, API_DIALECT, MAX_UPLOAD_MB, MAX_OUTPUT_MB, MAX_INPUTS, FILE_LIFETIME_HOURS, BASE_URL, ALLOWED_HOSTS,
//   CORS_ORIGINS, ADDRESS_*, OTEL_*: as in the Worker
// - PORT, HOST: where the host listens
// - METRICS_PORT, METRICS_HOST: where metrics are served, nowhere by default
// - DATA_DIR: folder of the databases of keys and usage, and of the stored files unless they are in S3
// - S3_ENDPOINT and others of storage/open-bucket.ts: an S3-compatible store for the files
// - API_KEYS: keys of the keyed variant, separated by commas, beside those of the key database
// - TRUSTED_PROXIES: number of proxies in front, whose X-Forwarded headers are believed
// - MEMORY_MB: memory for files in transit
// - SHUTDOWN_GRACE_SECONDS (earlier STOP_SECONDS, which wins: the image sets the current one): time that requests have to end after SIGTERM
// - ENGINES: names of the engines that start, all by default, or `off` to run without the container
// - CONTAINER_URL, CONTAINER_SECRET: a container that runs elsewhere
// - FORM_SECRET: protects passwords of asynchronous requests in the queue

import { resolve } from "node:path";
import { selectedEngines } from "../container/engine-selection.ts";
import { isKey } from "../src/service/ports/api-key.ts";
import type { ProcessCapacity } from "../src/service/settings/capacity.ts";
import { type Env, readConfig } from "../src/service/settings/config.ts";
import { LOOPBACK_HOSTS, SETTINGS } from "../src/service/settings/settings.ts";
import { hostCapacity } from "./capacity.ts";

/** Settings that the app reads from its bindings. */
export type Variables = Omit<Env, "FILES" | "API_KEYS" | "CLAIMS" | "JOBS" | "CONTAINER" | "LIMITER" | "USAGE_RECORDS">;

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Address on which metrics are served. @default none */
  readonly metrics?: { readonly port: number; readonly host: string; readonly hosts?: readonly string[] };
  /** Absolute path. */
  readonly dataFolder: string;
  readonly apiKeys: readonly string[];
  readonly trustedProxies: number;
  readonly stopMs: number;
  readonly budgets: ProcessCapacity;
  /** True to start the container beside the host. */
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

/** @throws Error with a sentence for the operator if a setting is invalid */
export function readSettings(environment: Environment): Settings {
  const variables: Variables = Object.fromEntries(
    VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
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
  const host = environment.HOST || "127.0.0.1";
  const trustedProxies = count("TRUSTED_PROXIES", 0, 0, 10);
  // A proxy on the same machine passes on any name.
  const isLocal = isLoopback(host) && trustedProxies === 0 && variables.BASE_URL === undefined;
  const given = isLocal ? { ALLOWED_HOSTS: LOOPBACK_HOSTS, ...variables } : variables;
  return {
    ...(metrics ? { metrics } : {}),
    port,
    host,
    dataFolder: resolve(environment.DATA_DIR || ".pagewright"),
    apiKeys: keysIn(environment.API_KEYS ?? ""),
    trustedProxies,
    stopMs: count(environment.STOP_SECONDS ? "STOP_SECONDS" : "SHUTDOWN_GRACE_SECONDS", 25, 0, 3600) * 1000,
    budgets: hostCapacity(count("MEMORY_MB", 512, 128, 2 ** 20) * 2 ** 20),
    startsEngines,
    variables: startsEngines ? given : { CONTAINER_URL: "off", ...given },
  };
}

/** An address of this machine alone is called by its own names alone, as a browser may be made to call it by others. */
function metricsHost(host: string, { ALLOWED_HOSTS = isLoopback(host) ? LOOPBACK_HOSTS : undefined }: Variables) {
  const { hosts } = ALLOWED_HOSTS === undefined ? {} : readConfig({ ALLOWED_HOSTS } as Env);
  return { host, ...(hosts ? { hosts } : {}) };
}

const isLoopback = (host: string) => /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host);

/** The message never has a key. */
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
