// The Worker of src/ in a world where trips take time: requests arrive at a place, and each resource has one.
//
// Headers of a request: `World-From` is the place where it arrives. `GET /world/trips` returns the trips since the last
// such request, and forgets them.

import worker, {
  ClaimObject as RealClaimObject,
  ClientLimits as RealClientLimits,
  JobQueueObject as RealJobQueueObject,
  JobRunner as RealJobRunner,
} from "../../../src/index.ts";
import type { Env } from "../../../src/service/settings/config.ts";
import {
  Dispatcher as RealDispatcher,
  EngineContainer as RealEngineContainer,
  WebContainer as RealWebContainer,
  usePlatform,
} from "../../worker/platform.ts";
import { locate, type World } from "./located-environment.ts";
import type { Trip } from "./trips.ts";

export { ContainerProxy } from "../../../src/index.ts";

interface WorldVariables {
  /** URL of the server that starts containers. */
  readonly PLATFORM: string;
  /** JSON object: places of bindings, and of objects by `BINDING/name`. */
  readonly PLACES: string;
  readonly DELAY_MS: string;
}

type WorldEnv = Env & WorldVariables;
type Context = ConstructorParameters<typeof RealClaimObject>[0];

// All objects and requests run in one isolate.
const trips: Trip[] = [];
let epoch = Date.now();

function worldOf({ PLACES, DELAY_MS }: WorldVariables): World {
  const places = JSON.parse(PLACES) as Record<string, string>;
  return {
    placeOf: (binding, name) => places[`${binding}/${name}`] ?? places[binding],
    delayMs: Number(DELAY_MS),
    record(trip) {
      const startedAt = Date.now() - epoch;
      return () => void trips.push({ ...trip, startedAt, endedAt: Date.now() - epoch });
    },
  };
}

/** Returns the environment of an object, whose calls start at the object's place. */
function environmentAt(binding: string, ctx: Context, env: Env): Env {
  const world = worldOf(env as WorldEnv);
  const here = world.placeOf(binding, ctx.id?.name);
  return here === undefined ? env : locate(env, here, world);
}

export class ClaimObject extends RealClaimObject {
  constructor(ctx: Context, env: Env) {
    super(ctx, environmentAt("CLAIMS", ctx, env));
  }
}

export class ClientLimits extends RealClientLimits {
  constructor(ctx: Context, env: Env) {
    super(ctx, environmentAt("CLIENT_LIMITS", ctx, env));
  }
}

export class JobQueueObject extends RealJobQueueObject {
  constructor(ctx: Context, env: Env) {
    super(ctx, environmentAt("JOBS", ctx, env));
  }
}

/** Runs jobs at the place of the queue, which calls it. */
export class JobRunner extends RealJobRunner {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, environmentAt("JOBS", { id: { name: "queue" } } as Context, env));
  }
}

export class Dispatcher extends RealDispatcher {
  constructor(ctx: Context, env: Env) {
    super(ctx, environmentAt("DISPATCHER", ctx, env));
  }
}

export class EngineContainer extends RealEngineContainer {
  constructor(ctx: Context, env: Env) {
    usePlatform((env as WorldEnv).PLATFORM);
    super(ctx, env);
  }
}

export class WebContainer extends RealWebContainer {
  constructor(ctx: Context, env: Env) {
    usePlatform((env as WorldEnv).PLATFORM);
    super(ctx, env);
  }
}

export default {
  fetch(request: Request, env: WorldEnv, ctx: ExecutionContext): Response | Promise<Response> {
    if (new URL(request.url).pathname === "/world/trips") {
      epoch = Date.now();
      return Response.json(trips.splice(0));
    }
    const from = request.headers.get("World-From");
    return worker.fetch(request, from === null ? env : locate(env, from, worldOf(env)), ctx);
  },
};
