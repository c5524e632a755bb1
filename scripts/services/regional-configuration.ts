// Adds the resources of all regions to the Worker's configuration (docs/regions.md).

import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Unstable_RawConfig as RawConfig, experimental_readRawConfig as readRawConfig } from "wrangler";
import { type Region, regionsOf } from "../../src/service/regions/regions.ts";

/** A bucket of a region other than the default one. */
export interface RegionalBucket {
  readonly name: string;
  readonly region: Region;
}

export interface DeployedConfiguration extends Disposable {
  /** Path of the configuration for wrangler. */
  readonly path: string;
  readonly buckets: readonly RegionalBucket[];
}

/**
 * Returns the configuration to deploy: the given one if it has no regions. Otherwise, a temporary file in the same
 * folder, because paths in a configuration are relative.
 * @throws Error with a message for the operator if REGIONS is invalid
 */
export function openConfiguration(path: string): DeployedConfiguration {
  const { rawConfig } = readRawConfig({ config: path });
  const regions = regionsOf(rawConfig.vars ?? {});
  if (!regions) return { path, buckets: [], [Symbol.dispose]: () => {} };
  const written = join(dirname(path), "wrangler.regions.json");
  writeFileSync(written, JSON.stringify(withRegions(rawConfig, regions), null, 2));
  const { bucket_name } = filesOf(rawConfig);
  return {
    path: written,
    buckets: regions.slice(1).map((region) => ({ name: `${bucket_name}-${region.name}`, region })),
    [Symbol.dispose]: () => rmSync(written, { force: true }),
  };
}

/** Adds a bucket, and instances of each container, for each region after the first one, which has the existing ones. */
function withRegions(config: RawConfig, [first, ...further]: readonly Region[]) {
  const { containers = [], durable_objects, r2_buckets = [] } = config;
  const files = filesOf(config);
  const bindings = durable_objects?.bindings ?? [];
  const ofContainers = bindings.filter((binding) => containers.some((one) => one.class_name === binding.class_name));
  return {
    ...config,
    r2_buckets: [
      ...r2_buckets,
      ...further.map(({ name, jurisdiction }) => ({
        binding: `${name.toUpperCase()}_${files.binding}`,
        bucket_name: `${files.bucket_name}-${name}`,
        ...(jurisdiction ? { jurisdiction } : {}),
      })),
    ],
    containers: [
      ...containers.map((container) => ({ constraints: first!.containers, ...container })),
      ...further.flatMap((region) =>
        containers.map(({ name, ...container }) => ({
          ...container,
          ...(name ? { name: `${name}-${region.name}` } : {}),
          class_name: classIn(region, container.class_name),
          constraints: region.containers,
        })),
      ),
    ],
    durable_objects: {
      bindings: [
        ...bindings,
        ...further.flatMap((region) =>
          ofContainers.map(({ name, class_name }) => ({
            name: `${region.name.toUpperCase()}_${name}`,
            class_name: classIn(region, class_name),
          })),
        ),
      ],
    },
  };
}

/** Returns the name of a class of src/service/placement/instances/regional-containers.ts. */
const classIn = ({ name }: Region, className: string | undefined) =>
  `${className}${name[0]!.toUpperCase()}${name.slice(1)}`;

function filesOf({ r2_buckets = [] }: RawConfig) {
  const files = r2_buckets.find(({ binding }) => binding === "FILES");
  if (!files) throw new Error("FILES has no binding.");
  return files;
}
