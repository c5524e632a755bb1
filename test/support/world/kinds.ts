// The kinds of requests whose trips are counted.

import { setTimeout } from "node:timers/promises";
import { docx, paragraph } from "../../fixtures/office.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import type { City } from "./places.ts";
import type { Journey } from "./trips.ts";
import { journeyTo, type World } from "./world-service.ts";

export const KEY = "a-key-with-limits";
export const LIMITS_OF_KEY = {
  ...{ requestsPerMinute: 100_000, concurrentJobs: 100, megabytesPerDay: 10_000, storedMegabytes: 10_000 },
};

/** The world, from a city. */
export interface Client {
  get(path: string): Promise<Response>;
  post(path: string, body: FormData, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

interface Kind {
  readonly name: string;
  /**
   * Sends the requests before the measured one.
   * @param afar the same world from another city
   * @returns an ID that the measured request needs
   */
  prepare?(client: Client, afar: Client): Promise<string>;
  send(client: Client, id: string): Promise<Response>;
}

/** Status requests per job, ten per second. */
const MAX_POLLS = 600;
const PDF = new Uint8Array(await textPdf(1));
const DOCX = new Uint8Array(docx({ body: paragraph("A page") }));

function form(files: readonly string[], fields: Readonly<Record<string, string>> = {}): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries({ output: "made", ...fields })) body.append(name, value);
  for (const name of files) body.append("file", new Blob([name.endsWith("docx") ? DOCX : PDF]), name);
  return body;
}

const png = (accept: string) => ({
  send: (client: Client) => client.post("/png", form(["a.pdf"], { pages: "1", resolution: "72" }), { Accept: accept }),
});
function merge(client: Client): Promise<Response> {
  const body = form(["a.pdf", "b.pdf"]);
  for (const pages of ["1", "last"]) {
    body.append("type[]", "file");
    body.append("pages[]", pages);
  }
  return client.post("/merged-pdf", body);
}
const idIn = async (response: Response, name: "outputId" | "requestId"): Promise<string> =>
  ((await response.json()) as Record<typeof name, string>)[name];
const store = async (client: Client) => idIn(await merge(client), "outputId");
const fileOf = (client: Client, id: string) => client.get(`/resource/${id}?format=file`);
const STEPS = JSON.stringify([{ "rotated-pdf": { angle: "90" } }, { png: { pages: "1", resolution: "72" } }]);
const steps = (client: Client, id: string) => client.post("/steps", form([], { "id[]": id, steps: STEPS }));
const page = (client: Client, id: string) => client.get(`/resource/${id}/pages/1.png`);
/** Small enough for the cache of the location. */
const tile = (client: Client, id: string) => client.get(`/iiif/${id}:1/0,0,512,512/512,512/0/default.png`);
const again = (send: (client: Client, id: string) => Promise<Response>) => ({
  async prepare(client: Client) {
    const id = await store(client);
    await send(client, id);
    return id;
  },
  send,
});
const accept = (client: Client) => client.post("/pdf", form(["a.docx"]), { Prefer: "respond-async" });
const status = (client: Client, id: string) => client.get(`/request-status/${id}`);

export const KINDS: readonly Kind[] = [
  { name: "/html", send: (client) => client.post("/html", form([], { content: "<p>Hello" })) },
  { name: "/png, the image itself", ...png("image/png") },
  { name: "/png, JSON", ...png("application/json") },
  {
    name: "/png, then GET",
    prepare: async (client) => idIn(await png("application/json").send(client), "outputId"),
    send: fileOf,
  },
  { name: "/merged-pdf", send: merge },
  { name: "/pdf (docx)", send: (client) => client.post("/pdf", form(["a.docx"])) },
  { name: "/steps, by ID", prepare: store, send: steps },
  { name: "/steps, by ID from afar", prepare: (_, afar) => store(afar), send: steps },
  { name: "GET /resource", prepare: store, send: fileOf },
  { name: "GET /resource, from afar", prepare: (_, afar) => store(afar), send: fileOf },
  { name: "a page by URL", prepare: store, send: page },
  { name: "a page by URL, again", ...again(page) },
  { name: "a tile by URL, again", ...again(tile) },
  { name: "a page from afar", prepare: (_, afar) => store(afar), send: page },
  {
    name: "a tile from afar, again",
    async prepare(client, afar) {
      const id = await store(afar);
      await tile(client, id);
      return id;
    },
    send: tile,
  },
  { name: "/pdf (docx), asynchronous", send: accept },
  {
    name: "status of a job",
    async prepare(client) {
      const id = await idIn(await accept(client), "requestId");
      for (let polls = 0; polls < MAX_POLLS; polls++) {
        const { status: state } = (await (await status(client, id)).json()) as { readonly status: string };
        if (state === "completed") return id;
        await setTimeout(100);
      }
      throw new Error("The job does not end.");
    },
    send: status,
  },
];

/** Returns the trips of a request in the steady state: the same requests have been made before. */
export async function measure(world: World, city: City, { name, prepare, send }: Kind): Promise<Journey> {
  const answered = async (response: Promise<Response>) => {
    const received = await response;
    if (received.ok) return received;
    throw new Error(`${name} from ${city}: ${received.status} ${await received.text()}`);
  };
  const clientIn = (place: City): Client => ({
    get: (path) => answered(world.fetch(place, path, { headers: { "Api-Key": KEY } })),
    post: (path, body, headers = {}) =>
      answered(world.fetch(place, path, { method: "POST", body, headers: { "Api-Key": KEY, ...headers } })),
  });
  const client = clientIn(city);
  const afar = clientIn(city === "Frankfurt" ? "Virginia" : "Frankfurt");
  const once = async () => {
    const prepared = (await prepare?.(client, afar)) ?? "";
    await world.settled();
    return send(client, prepared);
  };
  await once();
  const journey = journeyTo(await once());
  if (!journey) throw new Error(`${name} from ${city} waited for another request.`);
  return journey;
}
