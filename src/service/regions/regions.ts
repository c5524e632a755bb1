// Defines the regions in which a deployment can keep files and run jobs (docs/regions.md, decisions/0065-regions.md).

/** The settings that define the regions of the deployment, and that of a request (src/service/settings/config.ts). */
export interface RegionSettings {
  readonly REGIONS?: string;
  readonly REGION?: string;
  readonly BOUND_REGIONS?: string;
}

/** A location hint of R2 and Durable Objects, or a jurisdiction. */
export interface Region {
  readonly name: string;
  /** Hexadecimal digit that identifies the region in IDs. It never changes. */
  readonly code: string;
  readonly hint: "wnam" | "enam" | "weur" | "eeur" | "apac" | "oc";
  /** Set if the platform guarantees the region's boundaries. Otherwise, the region is only a hint. */
  readonly jurisdiction?: "eu" | "fedramp";
  /** Coordinates in degrees of a city with data centers. The nearest city determines the region of a request. */
  readonly latitude: number;
  readonly longitude: number;
  /** Values of `constraints` in the configuration of containers. */
  readonly containers: { readonly regions: readonly string[] } | { readonly jurisdiction: string };
}

/** `sam`, `afr` and `me` are missing, because R2 has no such locations. */
export const REGIONS: readonly Region[] = [
  { name: "wnam", code: "1", hint: "wnam", latitude: 37.3, longitude: -121.9, containers: { regions: ["WNAM"] } },
  { name: "enam", code: "2", hint: "enam", latitude: 39, longitude: -77.5, containers: { regions: ["ENAM"] } },
  { name: "weur", code: "3", hint: "weur", latitude: 50.1, longitude: 8.7, containers: { regions: ["WEUR"] } },
  { name: "eeur", code: "4", hint: "eeur", latitude: 52.2, longitude: 21, containers: { regions: ["EEUR"] } },
  { name: "apac", code: "5", hint: "apac", latitude: 1.3, longitude: 103.9, containers: { regions: ["APAC"] } },
  // The platform accepts OC only together with another region.
  { name: "oc", code: "6", hint: "oc", latitude: -33.9, longitude: 151.2, containers: { regions: ["OC", "APAC"] } },
  {
    ...{ name: "eu", code: "7", hint: "weur", jurisdiction: "eu", latitude: 50.1, longitude: 8.7 },
    containers: { jurisdiction: "eu" },
  },
  {
    ...{ name: "fedramp", code: "8", hint: "enam", jurisdiction: "fedramp", latitude: 39, longitude: -77.5 },
    containers: { jurisdiction: "fedramp" },
  },
];

const parsed = new Map<string, readonly Region[]>();

/**
 * Returns the regions of the deployment. The first one is the default region, which uses the original resources.
 * @returns undefined if the deployment has no regions
 * @throws Error with a message for the operator if the setting is invalid
 */
export function regionsOf({ REGIONS: text = "" }: RegionSettings): readonly Region[] | undefined {
  if (text.trim() === "") return undefined;
  const regions = parsed.get(text) ?? parse(text);
  parsed.set(text, regions);
  return regions;
}

function parse(text: string): readonly Region[] {
  const names = text.split(",").map((name) => name.trim());
  const regions = names.flatMap((name) => REGIONS.find((region) => region.name === name) ?? []);
  const isValid = regions.length === names.length && new Set(names).size === names.length;
  if (isValid && regions[0]!.jurisdiction === undefined) return regions;
  const known = REGIONS.map(({ name }) => name).join(", ");
  throw new Error(
    `REGIONS must be different names out of ${known}, and the first one must not be a jurisdiction, not "${text}".`,
  );
}

/** @returns undefined if the deployment has no such region */
export const regionNamed = (name: string | null | undefined, env: RegionSettings): Region | undefined =>
  regionsOf(env)?.find((region) => region.name === name);

/** Returns the regions in a comma-separated list of names. */
export const regionsIn = (names: string | null | undefined, env: RegionSettings): readonly Region[] =>
  names?.split(",").flatMap((name) => regionNamed(name, env) ?? []) ?? [];

/** @returns undefined if the request is carried out without regions */
export const regionOf = (env: RegionSettings): Region | undefined => regionNamed(env.REGION, env);

export const isDefault = (region: Region, env: RegionSettings): boolean => regionsOf(env)?.[0] === region;

/** Returns the regions to which clients are bound, unless their key names others; undefined if they are not bound. */
export const boundRegions = ({ BOUND_REGIONS = "" }: RegionSettings): readonly string[] | undefined =>
  BOUND_REGIONS.trim() === "" ? undefined : BOUND_REGIONS.split(",").map((name) => name.trim());
