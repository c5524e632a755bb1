// Reads and writes the region in IDs of files, jobs and uploads, all of which end with 12 hexadecimal digits. The first
// six of them are the tag: the code of the region, two digits that also show whether the file is bound, and three check
// digits. The ID of a file in a pack has no check digits, so that its files remain unguessable for clients that know
// another file of the pack. An ID without a tag belongs to the default region.

import type { Env } from "../settings/config.ts";
import { SHORT_TAG, tagIn } from "./id-tag.ts";
import { RegionLost } from "./region-errors.ts";
import { REGIONS, type Region, regionOf, regionsOf } from "./regions.ts";

const UNBOUND = "2d";
const BOUND = "ad";
const CHECK = "7e5";

/** Returns the tag of the IDs that a request generates; undefined without regions. */
export function newTag(env: Pick<Env, "REGIONS" | "REGION" | "BOUND">): string | undefined {
  const region = regionOf(env);
  return region && region.code + (env.BOUND ? BOUND : UNBOUND) + CHECK;
}

/** The region to which an ID belongs. A bound file is read only in its region. */
export interface Home {
  readonly region: Region;
  readonly isBound: boolean;
  /** False if the ID has no tag. Then it belongs to the default region. */
  readonly isTagged: boolean;
  /** False if the ID can be one without a tag that has these digits by chance. */
  readonly isCertain: boolean;
}

/**
 * @returns undefined without regions
 * @throws RegionLost if the deployment no longer has the region
 */
export function homeOf(id: string, env: Pick<Env, "REGIONS">): Home | undefined {
  const regions = regionsOf(env);
  if (!regions) return undefined;
  const tag = tagIn(id);
  const named = REGIONS.find(({ code }) => code === tag[0]);
  const kind = tag.slice(1, SHORT_TAG);
  const check = tag.slice(SHORT_TAG);
  const isTagged = named !== undefined && (kind === BOUND || kind === UNBOUND) && CHECK.startsWith(check);
  const isCertain = check !== "";
  const region = isTagged ? regions.find((one) => one === named) : undefined;
  if (isTagged && isCertain && !region) throw new RegionLost(named.name, "REGIONS does not contain it");
  if (!region) return { region: regions[0]!, isBound: false, isTagged: false, isCertain: true };
  return { region, isBound: kind === BOUND, isTagged, isCertain };
}
