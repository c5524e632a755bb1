// Orders regions by their distance from the place where a request arrived.

import type { Region } from "./regions.ts";

/** The properties of `request.cf` that locate a request, in degrees. */
export type Arrival = Partial<Record<"latitude" | "longitude", unknown>>;

const EARTH_RADIUS_KM = 6371;
/** Distance from which a call to a region takes longer than the work of most requests. */
const REMOTE_KM = 5000;

/** Returns the regions by distance, nearest first; in the given order if the place is unknown. */
export function byDistance(regions: readonly Region[], { latitude, longitude }: Arrival = {}): readonly Region[] {
  const here = coordinatesOf({ latitude, longitude });
  return here ? regions.toSorted((one, other) => angle(here, one) - angle(here, other)) : regions;
}

/** Reports whether a request arrived far from a region. */
export function isRemote(region: Region, arrival: Arrival = {}): boolean {
  const here = coordinatesOf(arrival);
  return here !== undefined && angle(here, region) * EARTH_RADIUS_KM > REMOTE_KM;
}

/** @returns undefined if the place is unknown */
function coordinatesOf({ latitude, longitude }: Arrival): Coordinates | undefined {
  const here = { latitude: Number(latitude), longitude: Number(longitude) };
  const isKnown = latitude !== undefined && longitude !== undefined;
  return isKnown && Number.isFinite(here.latitude + here.longitude) ? here : undefined;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

type Coordinates = Pick<Region, "latitude" | "longitude">;

/** Returns the angle between two places, seen from the center of the earth. */
function angle(one: Coordinates, other: Coordinates): number {
  const [a, b] = [radians(one.latitude), radians(other.latitude)];
  const between = radians(one.longitude - other.longitude);
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(between);
  return Math.acos(Math.min(1, Math.max(-1, cosine)));
}
