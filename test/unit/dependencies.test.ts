// Tests the checks of licenses and vulnerabilities, with made-up packages and registry responses.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkLicenses, checkVulnerabilities } from "../../scripts/checks/dependencies.ts";
import { root } from "../../scripts/services/wrangler.ts";

const lock = (packages: object) => JSON.stringify({ packages: { "": { license: "none" }, ...packages } });

test("the packages of the service have licenses that are allowed", () => {
  expect(checkLicenses()).toMatch(/^\d+ packages$/);
});

test("alternatives and conjunctions", () => {
  const packages = {
    "node_modules/a": { license: "(GPL-2.0-only OR MIT)" },
    "node_modules/b": { license: "MIT AND ISC" },
    "node_modules/c": { license: "Secret", dev: true },
  };
  expect(checkLicenses(lock(packages))).toBe("2 packages");
});

test.each([["SSPL-1.0"], ["MIT AND GPL-2.0-only"], [undefined]])("%s is not allowed", (license) => {
  expect(() => checkLicenses(lock({ "node_modules/a/node_modules/@b/c": { license } }))).toThrow(
    `@b/c: ${license ?? "none told"}`,
  );
});

const report = (severity: string) => async () =>
  JSON.stringify({ metadata: { vulnerabilities: {} }, vulnerabilities: { a: { severity } } });

test.each(["high", "critical"])("a vulnerability that is %s fails", async (severity) => {
  await expect(checkVulnerabilities(report(severity))).rejects.toThrow(`a (${severity})`);
});

test("others do not, and a registry that cannot tell is told", async () => {
  expect(await checkVulnerabilities(report("moderate"))).toBe("none that is severe");
  for (const answer of ["", '{"error":{"code":"ENOAUDIT"}}', "<html>"]) {
    expect(await checkVulnerabilities(async () => answer)).toContain("not checked");
  }
});

test("version managers, the development container and the image have the pinned Node", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const { node } = (JSON.parse(read("package.json")) as { devDependencies: Record<string, string> }).devDependencies;
  expect(read(".nvmrc")).toBe(`${node}\n`);
  expect(read(".devcontainer/devcontainer.json")).toContain(`"node:${node}-`);
  expect(read("container/Dockerfile")).toContain(`BASE=node:${node}-`);
});
