// Orders regions by their distance from the place where a request arrived.

import type { Region } from "./regions.ts";

/** The properties of `request.cf` that locate a request, in degrees. */
export type Arrival = Partial<Record<"latitude" | "longitude", unknown>>;

/** Returns the regions by distance, nearest first; in the given order if the place is unknown. */
export function byDistance(regions: readonly Region[], { latitude, longitude }: Arrival = {}): readonly Region[] {
  const here = { latitude: Number(latitude), longitude: Number(longitude) };
  if (latitude === undefined || longitude === undefined || !Number.isFinite(here.latitude + here.longitude)) {
    return regions;
  }
  return regions.toSorted((one, other) => angle(here, one) - angle(here, other));
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
