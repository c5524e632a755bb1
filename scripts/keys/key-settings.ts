// Reads the settings of an API key from the arguments of `npm run keys`: expiry, scopes, limits and regions.

import type { KeyRecord } from "../../src/service/ports/api-key.ts";
import type { LimitName } from "../../src/service/ports/limiter.ts";
import { REGIONS } from "../../src/service/regions/regions.ts";

/** Imported only when needed, because it loads all engines. */
const ENDPOINTS = new URL("../../src/endpoints/index.ts", import.meta.url).href;

/** Command-line options by name. Each one requires a value. */
export const SETTING_OPTIONS = {
  expires: { type: "string" },
  scopes: { type: "string" },
  "requests-per-minute": { type: "string" },
  "concurrent-jobs": { type: "string" },
  "megabytes-per-day": { type: "string" },
  "stored-megabytes": { type: "string" },
  "file-lifetime-hours": { type: "string" },
  regions: { type: "string" },
} as const;

type Settings = Partial<Record<keyof typeof SETTING_OPTIONS, string>>;

const LIMIT_OPTIONS = {
  "requests-per-minute": "requestsPerMinute",
  "concurrent-jobs": "concurrentJobs",
  "megabytes-per-day": "megabytesPerDay",
  "stored-megabytes": "storedMegabytes",
} as const satisfies Partial<Record<keyof Settings, LimitName>>;

/** Value that removes a setting. */
const NONE = "none";
const DAY_MS = 86_400_000;

/**
 * Returns a copy of a record with new values for the given settings.
 * @throws Error with a sentence for each invalid value
 */
export async function withSettings<T extends KeyRecord>(record: T, given: Settings): Promise<T> {
  const changed = { ...record } as unknown as Record<string, unknown>;
  const change = (name: keyof KeyRecord, text: string | undefined, read: (text: string) => unknown) => {
    if (text === NONE) delete changed[name];
    else if (text !== undefined) changed[name] = read(text);
  };
  change("expires", given.expires, expiryOf);
  const scopes = await scopesOf(given.scopes);
  change("scopes", given.scopes, () => scopes);
  change("fileLifetimeHours", given["file-lifetime-hours"], (text) => countOf("file-lifetime-hours", text));
  change("regions", given.regions, regionsIn);
  const limits: Record<string, number> = { ...record.limits };
  for (const [option, name] of Object.entries(LIMIT_OPTIONS)) {
    const text = given[option as keyof typeof LIMIT_OPTIONS];
    if (text === NONE) delete limits[name];
    else if (text !== undefined) limits[name] = countOf(option, text);
  }
  if (Object.keys(limits).length > 0) changed.limits = limits;
  else delete changed.limits;
  return changed as unknown as T;
}

/** Formats the settings for `list`. */
export function settingTexts({ scopes, limits = {}, fileLifetimeHours, regions }: KeyRecord): string[] {
  const { requestsPerMinute, concurrentJobs, megabytesPerDay, storedMegabytes } = limits;
  const shown = [
    requestsPerMinute === undefined ? "" : `${requestsPerMinute} requests/min`,
    concurrentJobs === undefined ? "" : `${concurrentJobs} jobs`,
    megabytesPerDay === undefined ? "" : `${megabytesPerDay} MB/day`,
    storedMegabytes === undefined ? "" : `${storedMegabytes} MB stored`,
    fileLifetimeHours === undefined ? "" : `files ${fileLifetimeHours} h`,
    scopes === undefined ? "" : `only ${scopes.join(" ")}`,
    regions === undefined ? "" : `bound to ${regions.join(" ")}`,
  ];
  return shown.filter((text) => text !== "");
}

/** Reads a number of days from now, such as 90d, or a date. @returns ISO 8601 */
function expiryOf(text: string): string {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  const time = days === undefined ? Date.parse(text) : Date.now() + Number(days) * DAY_MS;
  if (days === undefined && !/^\d{4}-\d\d-\d\d/.test(text)) throw new Error(badExpiry(text));
  if (Number.isNaN(time) || (days === undefined && !isDay(text.slice(0, 10)))) throw new Error(badExpiry(text));
  return new Date(time).toISOString();
}

/** Reports whether a date exists. `Date` would parse 2026-02-31 as a day in March. */
function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

const badExpiry = (text: string) => `--expires is a date such as 2027-12-31, days such as 90d, or none, not "${text}".`;

async function scopesOf(text: string | undefined): Promise<string[]> {
  if (text === undefined || text === NONE) return [];
  const { endpoints, routes } = (await import(ENDPOINTS)) as Record<"endpoints" | "routes", { path: string }[]>;
  const known = [...endpoints, ...routes].map(({ path }) => path.slice(1));
  const scopes = text.split(",").map((scope) => scope.trim().replace(/^\//, ""));
  const unknown = scopes.filter((scope) => !known.includes(scope));
  if (unknown.length === 0) return [...new Set(scopes)];
  throw new Error(`--scopes has unknown endpoints: "${unknown.join('", "')}". The endpoints are ${known.join(", ")}.`);
}

/** Returns the regions of a list. The deployment must have at least one of them when the key is used. */
function regionsIn(text: string): string[] {
  const known = REGIONS.map(({ name }) => name);
  const regions = [...new Set(text.split(",").map((name) => name.trim()))];
  const unknown = regions.filter((name) => !known.includes(name));
  if (unknown.length === 0) return regions;
  throw new Error(`--regions has unknown regions: "${unknown.join('", "')}". The regions are ${known.join(", ")}.`);
}

function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`--${option} must be a whole number of at least 1, or none, not "${text}".`);
}
