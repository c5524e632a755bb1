// `npm run bench -- world`: counts the calls to other cities that each kind of request makes one after the other, and the
// time that they cost clients in five cities. `--regions weur,enam`: a deployment with regions. `--trips`: prints the
// calls.

import { parseArgs } from "node:util";
import { KEY, KINDS, LIMITS_OF_KEY, measure } from "../test/support/world/kinds.ts";
import { CITIES } from "../test/support/world/places.ts";
import { startWorld } from "../test/support/world/world-service.ts";
import { row } from "./measuring/measure.ts";

const { values: options } = parseArgs({ options: { regions: { type: "string" }, trips: { type: "boolean" } } });
const { regions } = options;

for (const variant of ["private", "keyed"] as const) {
  const keys = { [KEY]: { limits: LIMITS_OF_KEY } };
  await using world = await startWorld({ variant, keys, ...(regions ? { regions } : {}) });
  console.log(
    `\n${variant}, ${regions ?? "one region, Frankfurt"}: far trips one after the other, and their milliseconds`,
  );
  console.log(row(["", ...CITIES]));
  for (const kind of KINDS) {
    const journeys = [];
    for (const city of CITIES) journeys.push(await measure(world, city, kind));
    console.log(row([kind.name, ...journeys.map(({ count, ms }) => `${count}  ${ms.toFixed(0).padStart(5)}`)]));
    if (!options.trips) continue;
    for (const [at, { trips }] of journeys.entries()) {
      if (trips.length === 0) continue;
      console.log(`    ${CITIES[at]}: ${trips.map(({ call, from, to }) => `${call} (${from} to ${to})`).join(", ")}`);
    }
  }
}
