// Tests the check of wrangler.toml: settings that must be equal, and one that may differ. Tests the configuration that is
// deployed for several regions.
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { checkConfiguration } from "../../scripts/checks/deployment.ts";
import { openConfiguration } from "../../scripts/services/regional-configuration.ts";
import { REGIONS } from "../../src/service/regions/regions.ts";
import { configurationWith, configurationWithRegions } from "../support/configuration.ts";

test("the settings agree", () => {
  expect(checkConfiguration()).toBe("EngineContainer x 2, WebContainer x 2");
});

test.each([
  ["max_instances = 2", "max_instances = 3", "CONTAINER_INSTANCES is 2, but max_instances is 3."],
  ['WEB_CONTAINER_INSTANCES = "2"', "", "WEB_CONTAINER_INSTANCES is undefined, but max_instances is 2."],
  ['"WebContainer", ', "", "WebContainer has no migration."],
  ["[vars]", '[vars]\nREGIONS = "weur,mars"', 'the first one must not be a jurisdiction, not "weur,mars".'],
  ["[vars]", '[vars]\nREGIONS = "eu,weur"', 'the first one must not be a jurisdiction, not "eu,weur".'],
  ["[vars]", '[vars]\nREGIONS = "weur"\nBOUND_REGIONS = "weur, eu"', "REGIONS does not contain eu,"],
  ["[vars]", '[vars]\nBOUND_REGIONS = "eu"', "REGIONS does not contain eu,"],
])("%s replaced by %o: refused", async (text, other, sentence) => {
  await using configuration = await configurationWith(text, other);
  expect(() => checkConfiguration(configuration.path)).toThrow(sentence);
});

describe("regions", () => {
  interface Deployed {
    readonly r2_buckets: unknown;
    readonly containers: readonly { readonly class_name: string; readonly constraints: unknown }[];
    readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  }

  /** Returns the configuration that is deployed with the setting `REGIONS`. */
  async function deployedWith(regions: string) {
    await using configuration = await configurationWithRegions(regions);
    using deployed = openConfiguration(configuration.path);
    return { ...(JSON.parse(await readFile(deployed.path, "utf8")) as Deployed), created: deployed.buckets };
  }

  test("without regions, wrangler.toml itself is deployed", async () => {
    await using configuration = await configurationWith("[vars]", "[vars]");
    using deployed = openConfiguration(configuration.path);
    expect(deployed).toMatchObject({ path: configuration.path, buckets: [] });
    expect(await readFile(deployed.path, "utf8")).toBe(configuration.text);
  });

  test("one region keeps the resources, and limits the containers to the region", async () => {
    const { r2_buckets, containers, created } = await deployedWith("weur");
    expect(r2_buckets).toEqual([{ binding: "FILES", bucket_name: "pagewright-files" }]);
    const constraints = { regions: ["WEUR"] };
    expect(containers).toMatchObject([
      { class_name: "EngineContainer", constraints },
      { class_name: "WebContainer", constraints },
    ]);
    expect(created).toEqual([]);
  });

  test("each further region has a bucket, and instances of both containers", async () => {
    const { r2_buckets, containers, durable_objects, created } = await deployedWith("enam,apac,eu");
    expect(r2_buckets).toEqual([
      { binding: "FILES", bucket_name: "pagewright-files" },
      { binding: "APAC_FILES", bucket_name: "pagewright-files-apac" },
      { binding: "EU_FILES", bucket_name: "pagewright-files-eu", jurisdiction: "eu" },
    ]);
    expect(created.map(({ name }) => name)).toEqual(["pagewright-files-apac", "pagewright-files-eu"]);
    const [engines, ...others] = containers;
    const constraints = { jurisdiction: "eu" };
    expect(others).toContainEqual({ ...engines, class_name: "EngineContainerEu", constraints });
    expect(durable_objects.bindings).toContainEqual({ name: "EU_WEB_CONTAINER", class_name: "WebContainerEu" });
  });

  test("the configuration of all regions is valid, and leaves no file", async () => {
    const [first, ...others] = REGIONS.map(({ name }) => name);
    await using configuration = await configurationWithRegions([first, ...others].join());
    const ofOthers = others.map((name) => name[0]!.toUpperCase() + name.slice(1));
    expect(checkConfiguration(configuration.path)).toBe(
      ["", ...ofOthers].map((region) => `EngineContainer${region} x 2, WebContainer${region} x 2`).join(", "),
    );
    expect(await readdir(dirname(configuration.path))).toEqual(["wrangler.toml"]);
  });
});
