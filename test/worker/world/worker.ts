// Puts the Worker of src/ into the world: requests arrive in cities, objects run in theirs. `world-service.ts` writes
// the entry point, which applies these functions to the exports of src/.

import { arrivalIn, type City } from "../../support/world/places.ts";
import { type Cut, FROM_HEADER, JOURNEY_HEADER } from "../../support/world/protocol.ts";
import { journeyOf } from "../../support/world/trips.ts";
import { Runtime } from "../platform.ts";
import { instrument } from "./globals.ts";
import { hold } from "./in-memory.ts";
import { type Bindings, JURISDICTION_END, locate } from "./located-env.ts";
import { type Caller, caller, calls, clock, cuts, marks, placesOf, trips } from "./world.ts";

type Class = new (...given: never[]) => object;
type Fetch = (request: Request, env: Bindings, ctx: ExecutionContext) => Response | Promise<Response>;

/** Ports of the containers, which outlive the memory of their objects. */
const ports = new Map<string, number>();
let isInstrumented = false;
let inProgress = 0;

function prepare(env: Bindings): void {
  if (!isInstrumented) instrument(env.PLATFORM as string);
  isInstrumented = true;
}

/** Returns a handler of requests that arrive in the city of the header World-From. */
export const arriving = ({ fetch }: { readonly fetch: Fetch }): { readonly fetch: Fetch } => ({
  async fetch(request, env, ctx) {
    prepare(env);
    const from = request.headers.get(FROM_HEADER);
    if (from === null) return control(request);
    const here: Caller = { place: decodeURIComponent(from) as City, isObject: false };
    const { value } = await hold(request);
    const arrived = new Request(value as Request, { cf: arrivalIn(here.place) } as RequestInit);
    arrived.headers.delete(FROM_HEADER);
    if (inProgress === 0) trips.length = 0;
    inProgress++;
    const sentAt = clock.now;
    try {
      const answer = await hold(await caller.run(here, () => fetch(arrived, locate(env, here), ctx)));
      const response = answer.value as Response;
      // The background work of other requests is excluded.
      const own = trips.filter(({ by }) => by.isObject || by === here);
      const journey = journeyOf(own, { from: sentAt, to: clock.now });
      if (journey) response.headers.set(JOURNEY_HEADER, encodeURIComponent(JSON.stringify(journey)));
      return response;
    } finally {
      inProgress--;
    }
  },
});

/** Carries out a command of `world-service.ts`. */
async function control(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/world/settled") await clock.settled();
  if (pathname === "/world/calls") return Response.json(calls.splice(0));
  if (pathname === "/world/marks") for (const mark of (await request.json()) as string[]) marks.add(mark);
  if (pathname === "/world/cut") {
    const { place, cut } = (await request.json()) as { readonly place: City; readonly cut?: Cut };
    if (cut) cuts.set(place, cut);
    else cuts.delete(place);
  }
  return new Response(null, { status: 204 });
}

/** Returns the class of a Durable Object that runs at its place. */
export function locatedObject(Real: Class, binding: string): Class {
  return located(Real, (ctx: DurableObjectState, env) => {
    const name = ctx.id.name!;
    const here = { place: placesOf(env).ofObject(binding, name), isObject: true };
    const { exports } = ctx as unknown as { readonly exports: Record<string, (options: object) => unknown> };
    define(ctx, {
      id: idWithName(ctx.id, name.split(JURISDICTION_END).at(-1)!),
      exports: new Proxy(exports, { get: (all, entry) => all[entry as string]!({ props: here }) }),
    });
    if (binding.endsWith("CONTAINER")) {
      define(ctx, { container: new Runtime(env.PLATFORM as string, ports, `${binding} ${name}`) });
    }
    return here;
  });
}

const idWithName = (id: DurableObjectId, name: string): DurableObjectId => ({
  name,
  toString: () => id.toString(),
  equals: (other) => id.equals(other),
});

/** Returns the class of an entry point that runs at the place of the object that calls it. */
export const locatedEntrypoint = (Real: Class): Class =>
  located(Real, (ctx: ExecutionContext) => (ctx as unknown as { readonly props: Caller }).props);

function located<C extends object>(Real: Class, callerOf: (ctx: C, env: Bindings) => Caller): Class {
  const callers = new WeakMap<object, Caller>();
  for (const name of methodsOf(Real.prototype as object)) {
    const method = Reflect.get(Real.prototype as object, name) as (...given: unknown[]) => unknown;
    define(Real.prototype as object, {
      [name](this: object, ...given: unknown[]) {
        clock.note();
        return caller.run(callers.get(this) ?? caller.getStore()!, () => method.apply(this, given));
      },
    });
  }
  return new Proxy(Real, {
    construct(_, [ctx, env]: [C, Bindings], target) {
      prepare(env);
      const here = callerOf(ctx, env);
      const object = caller.run(here, () => Reflect.construct(Real, [ctx, locate(env, here)], target) as object);
      callers.set(object, here);
      return object;
    },
  });
}

/** Returns the names of the methods of a class and its parents, without the platform's own class. */
function methodsOf(prototype: object): readonly string[] {
  const parent = Object.getPrototypeOf(prototype) as object;
  if (parent === Object.prototype || parent === null) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => name !== "constructor" && typeof value === "function")
    .map(([name]) => name);
  return [...new Set([...own, ...methodsOf(parent)])];
}

function define(target: object, properties: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
}
