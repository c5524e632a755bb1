// `npm run bench -- world`: counts the calls to other places that each kind of request makes one after the other, and the
// time that they cost clients in five cities. The resources of the deployment are in Frankfurt.

import { readFileSync } from "node:fs";
import { corpus } from "../test/support/corpus.ts";
import { costOf, longestSequence, type RoundTrips, type Trip } from "../test/support/world/trips.ts";
import { startWorld, type World } from "../test/support/world/world-service.ts";
import { multipart, row } from "./measuring/measure.ts";

const CITIES = ["Sydney", "Frankfurt", "Virginia", "São Paulo", "Singapore"] as const;
type City = (typeof CITIES)[number];
const HOME: City = "Frankfurt";
/** Where measured requests arrive: not at home, so that each call to the resources is far. */
const AWAY = "away";
/** Longer than the Worker computes between two concurrent calls. */
const DELAY_MS = 300;

/** Average round trips in milliseconds between data centers in these cities ("Latency Between AWS Global Regions"). */
const ROUND_TRIPS: Readonly<Record<string, number>> = {
  ...{ "Frankfurt-Sydney": 323, "Frankfurt-Virginia": 89, "Frankfurt-São Paulo": 195, "Frankfurt-Singapore": 326 },
};
const roundTripsFrom =
  (city: City): RoundTrips =>
  (from, to) =>
    from === AWAY || to === AWAY ? (ROUND_TRIPS[`${HOME}-${city}`] ?? 0) : 0;

/** The deployment of today: everything that is stored or counted is where the first request arrived. */
const PLACES = Object.fromEntries(
  ["FILES", "USAGE", "CLAIMS", "JOBS", "CLIENT_LIMITS", "DISPATCHER", "CONTAINER", "WEB_CONTAINER"].map((binding) => [
    binding,
    HOME as string,
  ]),
);
const LIMITS = { requestsPerMinute: 1000, concurrentJobs: 100, megabytesPerDay: 10_000, storedMegabytes: 10_000 };
const KEY = "a-key-with-limits";

interface Kind {
  readonly name: string;
  /** Requests before the measured one. @returns what the measured request needs */
  prepare?(world: World): Promise<string>;
  send(world: World, prepared: string): Promise<Response>;
}

const PDF = readFileSync(corpus("pdf", "hello-world.pdf"));
const DOCX = readFileSync(corpus("office", "Comment045.docx"));

function post(world: World, path: string, names: readonly string[], headers: Readonly<Record<string, string>> = {}) {
  const files = names.map((name) => ({ name, bytes: name.endsWith("docx") ? DOCX : PDF }));
  const body = multipart({ output: "made", ...(path === "/png" ? { pages: 1, resolution: 72 } : {}) }, files);
  return world.fetch(AWAY, path, {
    method: "POST",
    body: new Uint8Array(body),
    headers: { "Content-Type": "multipart/form-data; boundary=bench-frontier", "Api-Key": KEY, ...headers },
  });
}

const upload = async (world: World): Promise<string> => {
  const { outputId } = (await (await post(world, "/linearized-pdf", ["a.pdf"])).json()) as { outputId: string };
  return outputId;
};
const job = async (world: World): Promise<string> => {
  const accepted = await post(world, "/pdf", ["a.docx"], { Prefer: "respond-async" });
  return ((await accepted.json()) as { requestId: string }).requestId;
};

const KINDS: readonly Kind[] = [
  {
    name: "/html",
    send: (world) =>
      world.fetch(AWAY, "/html", {
        method: "POST",
        body: new URLSearchParams({ output: "made", content: "<p>Hello" }).toString(),
        headers: { "Content-Type": "application/x-www-form-urlencoded", "Api-Key": KEY },
      }),
  },
  { name: "/png, the file itself", send: (world) => post(world, "/png", ["a.pdf"], { Accept: "image/png" }) },
  { name: "/png, JSON", send: (world) => post(world, "/png", ["a.pdf"]) },
  { name: "GET /resource", prepare: upload, send: (world, id) => world.fetch(AWAY, `/resource/${id}`) },
  { name: "/merged-pdf", send: (world) => post(world, "/merged-pdf", ["a.pdf", "b.pdf"]) },
  { name: "/pdf (docx)", send: (world) => post(world, "/pdf", ["a.docx"]) },
  { name: "page by URL", prepare: upload, send: (world, id) => world.fetch(AWAY, `/resource/${id}/pages/1.png`) },
  {
    name: "page by URL, again",
    async prepare(world) {
      const id = await upload(world);
      await (await world.fetch(AWAY, `/resource/${id}/pages/1.png`)).arrayBuffer();
      return id;
    },
    send: (world, id) => world.fetch(AWAY, `/resource/${id}/pages/1.png`),
  },
  { name: "/pdf (docx), accepted", send: (world) => post(world, "/pdf", ["a.docx"], { Prefer: "respond-async" }) },
  { name: "status of a job", prepare: job, send: (world, id) => world.fetch(AWAY, `/request-status/${id}`) },
];

const isVerbose = process.argv.includes("--trips");

for (const variant of ["private", "keyed"] as const) {
  const keys = { [KEY]: { limits: LIMITS } };
  await using world = await startWorld({ variant, places: PLACES, delayMs: DELAY_MS, keys });
  console.log(`\n${variant}: far trips one after the other, and what they cost in milliseconds from each city`);
  console.log(row(["", "trips", ...CITIES]));
  for (const kind of KINDS) {
    // The first round warms caches and engines.
    await measure(world, kind);
    const trips = await measure(world, kind);
    const sequence = longestSequence(trips);
    const costs = CITIES.map((city) => costOf(sequence, roundTripsFrom(city)).toFixed(0));
    console.log(row([kind.name, String(sequence.length), ...costs]));
    if (isVerbose) for (const trip of sequence) console.log(`    ${trip.call} at ${trip.to}`);
  }
}

async function measure(world: World, { prepare, send }: Kind): Promise<readonly Trip[]> {
  const prepared = (await prepare?.(world)) ?? "";
  await new Promise((resolve) => setTimeout(resolve, 3 * DELAY_MS));
  await world.trips();
  const response = await send(world, prepared);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return world.trips();
}
