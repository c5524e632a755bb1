// The cities of the world: where requests arrive and where resources are, and the round trips between them.

/** A city with what Cloudflare states in `request.cf` about a request that arrives there. */
const ARRIVALS = {
  Sydney: { colo: "SYD", country: "AU", continent: "OC", latitude: "-33.86785", longitude: "151.20732" },
  Frankfurt: {
    colo: "FRA",
    country: "DE",
    continent: "EU",
    latitude: "50.11552",
    longitude: "8.68417",
    isEUCountry: "1",
  },
  Virginia: { colo: "IAD", country: "US", continent: "NA", latitude: "39.04372", longitude: "-77.48749" },
  "São Paulo": { colo: "GRU", country: "BR", continent: "SA", latitude: "-23.54750", longitude: "-46.63611" },
  Singapore: { colo: "SIN", country: "SG", continent: "AS", latitude: "1.28967", longitude: "103.85007" },
} as const;

export type City = keyof typeof ARRIVALS;
export const CITIES = Object.keys(ARRIVALS) as readonly City[];

export const arrivalIn = (city: City): object => ({ ...ARRIVALS[city], city });

/** Average round trips between regions of AWS in these cities, in milliseconds. */
const ROUND_TRIPS: readonly (readonly [City, City, number])[] = [
  ["Frankfurt", "Sydney", 323],
  ["Frankfurt", "Virginia", 89],
  ["Frankfurt", "São Paulo", 195],
  ["Frankfurt", "Singapore", 326],
  ["Virginia", "Sydney", 230],
  ["Virginia", "São Paulo", 119],
  ["Virginia", "Singapore", 217],
  ["Sydney", "São Paulo", 322],
  ["Sydney", "Singapore", 175],
  ["Singapore", "São Paulo", 328],
];

/** Returns a round trip in milliseconds, 0 within a city. */
export function roundTripMs(from: City, to: City): number {
  if (from === to) return 0;
  return ROUND_TRIPS.find((trip) => trip.includes(from) && trip.includes(to))![2];
}

/** The city in which the resources of a region are. São Paulo has no R2, so it is not among them. */
const CITY_OF: Readonly<Record<string, City>> = {
  ...{ weur: "Frankfurt", eeur: "Frankfurt", eu: "Frankfurt" },
  ...{ enam: "Virginia", wnam: "Virginia", fedramp: "Virginia" },
  ...{ apac: "Singapore", oc: "Sydney" },
};

/** The city of a deployment without regions, which was first used there. */
const FIRST_USED_IN: City = "Frankfurt";

/** Finds the places of a deployment's resources. */
export class Places {
  readonly #home: City;
  /** Places of objects, by the names of binding and object. */
  readonly #objects = new Map<string, City>();

  /** @param regions the setting `REGIONS`. The resources of the first region have no prefix in the names of bindings */
  constructor(regions = "") {
    this.#home = CITY_OF[regions.split(",")[0]!.trim()] ?? FIRST_USED_IN;
  }

  /** Returns the place of a binding, which can start with a region, as in `ENAM_FILES`. */
  ofBinding(binding: string): City {
    return CITY_OF[binding.split("_")[0]!.toLowerCase()] ?? this.#home;
  }

  /** Returns the place of an object. An object stays where its first caller has created it. */
  ofObject(binding: string, name: string, region = ""): City {
    const key = `${binding}/${name}`;
    const place = this.#objects.get(key) ?? CITY_OF[region] ?? this.ofBinding(binding);
    this.#objects.set(key, place);
    return place;
  }
}
