// Checks a deployment without uploading it: the configuration, and the start-up time of the Worker. bundle-size.ts
// checks the Worker's size.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { regionNamed } from "../../src/service/regions/regions.ts";
import { openConfiguration } from "../services/regional-configuration.ts";
import { root, runWrangler } from "../services/wrangler.ts";

/** The settings in wrangler.toml that this file reads. */
interface Configuration {
  readonly containers?: readonly { readonly class_name: string; readonly max_instances?: number }[];
  readonly vars: Readonly<Record<string, unknown>>;
  readonly durable_objects: { readonly bindings: readonly { readonly class_name: string }[] };
  readonly migrations: readonly { readonly new_sqlite_classes?: readonly string[] }[];
}

/** The variable that informs the Worker about the `max_instances` of a container class. */
const INSTANCES: Readonly<Record<string, string>> = {
  EngineContainer: "CONTAINER_INSTANCES",
  WebContainer: "WEB_CONTAINER_INSTANCES",
};
/**
 * Limit of the CPU time of the Worker's global scope, measured on this machine. The platform allows one second.
 * https://developers.cloudflare.com/workers/platform/limits/#worker-startup-time
 */
const STARTUP_LIMIT_MS = 700;

/**
 * Checks that related settings in wrangler.toml agree, in all regions.
 * @returns one line with the number of instances
 * @throws Error with a sentence for each mismatch
 */
export function checkConfiguration(configPath: string = join(root, "wrangler.toml")): string {
  using configuration = openConfiguration(configPath);
  const settings = readConfig({ config: configuration.path }) as unknown as Configuration;
  const { containers = [], vars, durable_objects, migrations } = settings;
  const bound = new Set(durable_objects.bindings.map(({ class_name }) => class_name));
  const created = new Set(migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes));
  const wrong = containers.flatMap(({ class_name, max_instances }) => {
    const [, name] = Object.entries(INSTANCES).find(([kind]) => class_name.startsWith(kind)) ?? [];
    if (name === undefined) return [`${class_name} has no variable for its instances (scripts/checks/deployment.ts).`];
    const declared = vars[name];
    return [
      ...(String(max_instances) === declared ? [] : [`${name} is ${declared}, but max_instances is ${max_instances}.`]),
      ...(bound.has(class_name) ? [] : [`${class_name} has no binding.`]),
      ...(created.has(class_name) ? [] : [`${class_name} has no migration.`]),
    ];
  });
  const { BOUND_REGIONS = "" } = vars as { readonly BOUND_REGIONS?: string };
  const unknown = BOUND_REGIONS.split(",").filter((name) => name.trim() && !regionNamed(name.trim(), vars));
  wrong.push(...unknown.map((name) => `REGIONS does not contain ${name.trim()}, a name in BOUND_REGIONS.`));
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return containers.map(({ class_name, max_instances }) => `${class_name} x ${max_instances}`).join(", ");
}

/**
 * @returns one line with the start-up time
 * @throws Error if the Worker does not start, or starts too slowly
 */
export async function checkStartup(): Promise<string> {
  const profile = join(root, ".wrangler/startup.cpuprofile");
  await rm(profile, { force: true });
  await runWrangler(["check", "startup", "--args=--containers-rollout=none", "--outfile", profile]);
  const ms = activeMs(JSON.parse(await readFile(profile, "utf8")) as Profile);
  const line = `${ms.toFixed(0)} ms, limit ${STARTUP_LIMIT_MS}`;
  if (ms > STARTUP_LIMIT_MS) throw new Error(line);
  return line;
}

/** The fields of a V8 CPU profile that this file reads. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  /** Microseconds between each sample and the previous one. */
  readonly timeDeltas: readonly number[];
}

function activeMs({ nodes, samples, timeDeltas }: Profile): number {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const active = timeDeltas.filter((_, index) => !["(idle)", "(program)"].includes(names.get(samples[index]!) ?? ""));
  return active.reduce((sum, delta) => sum + delta, 0) / 1000;
}
