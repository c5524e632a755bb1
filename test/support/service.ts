// Starts a whole service for one test, on a free port and with empty storage: the Worker in workerd, or the host.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINE_NAMES, type EngineName } from "../../container/engine-selection.ts";
import { putKeys } from "../../scripts/keys/key-records.ts";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { startDevServer, type Variant, workerdPids } from "../../scripts/services/dev-server.ts";
import { hashKey } from "../../src/service/ports/api-key.ts";
import { startHost } from "./host-server.ts";
import type { Call } from "./regions/observations.ts";
import { startRegionalService } from "./regions/regional-service.ts";

export type Target = "wrangler" | "host" | "regions";

export interface ServiceOptions {
  /** Kind of service. @default the kind that PAGEWRIGHT_TARGET selects */
  readonly target?: Target;
  readonly variant: Variant;
  /** Settings of the service, for example `MAX_UPLOAD_MB`. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Valid keys. @default one new key in the keyed variant, none in the private variant */
  readonly apiKeys?: readonly string[];
  /** False: a response can arrive before the body has been sent, as the host's responses always can. @default true */
  readonly drainBodies?: boolean;
  /**
   * Engines of a container that starts for this service; true for all engines. An object is a running container, which
   * does not stop with the service.
   * @default none
   */
  readonly container?: true | readonly EngineName[] | Pick<ContainerProcess, "vars">;
}

/** The properties of a service that a test needs if another process started the service. */
export interface ServiceAddress {
  readonly target: Target;
  /** URL without a final slash. */
  readonly url: string;
  /** The first valid key. */
  readonly key?: string;
  /** Process ID of the host or of wrangler. For wrangler, `workerdPids` finds the processes of its runtime. */
  readonly pid: number;
  readonly logFile: string;
  /** Folder of the service's storage. */
  readonly persistTo: string;
}

export interface Service extends ServiceAddress {
  /** Process ID of the process that runs the app. */
  appPid(): number;
  /** The service's own container, if it has one. */
  readonly container?: ContainerProcess;
  /** Ends all processes of the service, and deletes its storage and its log. */
  stop(): Promise<void>;
}

/** The memory setting of `npm run serve`. By default, the tests use the smaller limits of an isolate. */
export const HOST_VARS = { MEMORY_MB: "512" };

/** Starts a service of the kind that PAGEWRIGHT_TARGET selects, by default in workerd. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { target = targetOf(process.env), variant, apiKeys, container } = options;
  const folder = await mkdtemp(join(tmpdir(), `${variant}-service-`));
  let own: ContainerProcess | undefined;
  const remove = async () => {
    await own?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const keys = apiKeys ?? (variant === "keyed" ? [randomUUID()] : []);
    const engines = container === true ? ENGINE_NAMES : container;
    if (engines && !("vars" in engines)) {
      own = await startContainer({ logFile: join(folder, "container.log"), env: { ENGINES: engines.join(",") } });
    }
    const containerVars = own?.vars ?? (engines && "vars" in engines ? engines.vars : {});
    const paths = { persistTo: join(folder, "storage"), logFile: join(folder, "service.log") };
    const started = await STARTS[target](options, { ...paths, keys, containerVars });
    const { stop, ...address } = started;
    return {
      ...address,
      ...paths,
      target,
      ...(keys[0] === undefined ? {} : { key: keys[0] }),
      ...(own ? { container: own } : {}),
      stop: async () => {
        await stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the kind of service that an environment selects. */
export const targetOf = ({ PAGEWRIGHT_TARGET: name }: NodeJS.ProcessEnv): Target => {
  if (name === undefined || name === "") return "wrangler";
  if (name === "wrangler" || name === "host" || name === "regions") return name;
  throw new Error(`PAGEWRIGHT_TARGET is "${name}"; it can be wrangler, host or regions.`);
};

interface Surroundings {
  readonly persistTo: string;
  readonly logFile: string;
  readonly keys: readonly string[];
  readonly containerVars: Readonly<Record<string, string>>;
}

type Started = Pick<Service, "url" | "pid" | "appPid" | "stop">;

const STARTS: Readonly<Record<Target, (options: ServiceOptions, around: Surroundings) => Promise<Started>>> = {
  async wrangler({ variant, vars = {}, drainBodies = true }, { persistTo, logFile, keys, containerVars }) {
    if (keys.length > 0) await putKeys({ persistTo }, keys.map(keyOfTests));
    const all = { ...vars, ...containerVars };
    const bundle = drainBodies ? process.env.WORKER_BUNDLE : undefined;
    const settings = { vars: all, drainBodies, bundle };
    const { url, pid, stop } = await startDevServer({ variant, port: 0, persistTo, logFile, ...settings });
    return { url, pid, stop, appPid: () => workerdPids(pid)[0]! };
  },
  /** The Worker with all clients bound to a jurisdiction, and requests that arrive far from it. */
  async regions({ variant, vars = {} }, { keys, containerVars }) {
    const settings = { VARIANT: variant, BOUND_REGIONS: JURISDICTION, ...vars, ...containerVars };
    const service = await startRegionalService({
      ...{ keys: Object.fromEntries(keys.map((key) => [key, {}])), vars: settings, unrecorded: JURISDICTION },
    });
    return {
      ...{ url: service.url.origin, pid: process.pid, appPid: () => process.pid },
      async stop() {
        const calls = await service.control();
        await service[Symbol.asyncDispose]();
        // Other regions are asked for IDs without a tag. They hold no file, because nothing is stored there.
        const isAsked = ({ binding, method, given }: Call) =>
          ["head", "get", "status", "marks"].includes(method) ||
          (binding === "REGION_RUNNER" && /^\[\]$|"method":"(GET|HEAD|DELETE)"/.test(given));
        const outside = calls.filter((call) => !["API_KEYS", "USAGE"].includes(call.binding) && !isAsked(call));
        if (outside.length > 0) throw new Error(`Calls left ${JURISDICTION}: ${JSON.stringify(outside.slice(0, 9))}`);
      },
    };
  },
  async host({ variant, vars = {} }, { persistTo: dataFolder, logFile, keys, containerVars }) {
    // The memory of an isolate, so that both kinds of service reject the same documents as too large if there is no
    // container.
    const own = { ENGINES: "off", MEMORY_MB: "128", VARIANT: variant, API_KEYS: keys.join(",") };
    const settings = { ...own, ...vars, ...containerVars };
    const { url, pid, stop } = await startHost({ dataFolder, logFile, settings });
    return { url, pid, stop, appPid: () => pid };
  },
};

const JURISDICTION = "eu";

function keyOfTests(key: string) {
  return { hash: hashKey(key), owner: "tests", created: new Date().toISOString(), revoked: null };
}
