// Tests that the software bill of materials lists the software of this machine.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/services/wrangler.ts";

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly { type: string; name: string; version: string; purl?: string }[];
}

test("npm packages, Node, Debian packages and fonts", () => {
  const folder = mkdtempSync(join(tmpdir(), "sbom-"));
  const file = join(folder, "sbom.json");
  execFileSync(process.execPath, ["--no-warnings", join(root, "container/write-sbom.ts"), file]);
  const { bomFormat, specVersion, components } = JSON.parse(readFileSync(file, "utf8")) as Bill;
  rmSync(folder, { recursive: true });
  expect([bomFormat, specVersion]).toEqual(["CycloneDX", "1.5"]);
  const find = (name: string) => components.find((component) => component.name === name);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies)) {
    const found = components.find(({ purl }) => purl === `pkg:npm/${name.replace("@", "%40")}@${version}`);
    expect(found, name).toBeDefined();
  }
  expect(components.filter(({ name }) => name === "vitest")).toEqual([]);
  expect(find("font-caladea")?.purl).toMatch(/^pkg:pypi\/font-caladea@\d/);
  expect(find("node")?.version).toBe(process.versions.node);
  const perl = execFileSync("dpkg-query", ["-W", "-f=$" + "{Version}", "perl-base"], { encoding: "utf8" });
  expect(find("perl-base")?.version).toBe(perl);
  const office = components.filter(({ name }) => name === "libreoffice-core-nogui");
  expect(office.map(({ version }) => version)).toContainEqual(expect.stringMatching(/^4:25\.2\./));
  expect(components.filter(({ type, name }) => type === "data" && name.startsWith("fonts-")).length).toBeGreaterThan(0);
});
