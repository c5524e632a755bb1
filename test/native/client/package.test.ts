// Tests the client's package as npm packs it: its files, its types, and its size in a browser.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../../client/version.ts";

const root = join(import.meta.dirname, "../../..");
const client = join(root, "client");
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Folder of a project in which the package is installed. */
let project: string;
beforeAll(() => {
  rmSync(join(client, "dist"), { recursive: true, force: true });
  project = mkdtempSync(join(tmpdir(), "client-package-"));
  // Runs npm as a user does in a fresh clone, where nothing is built. npm must print only the name of the archive.
  const pack = ["pack", "--silent", "--pack-destination", project, client];
  const printed = execFileSync("npm", pack, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  expect(printed).toBe(`pagewright-client-${VERSION}.tgz\n`);
  mkdirSync(join(project, "node_modules/@pagewright"), { recursive: true });
  symlinkSync(client, join(project, "node_modules/@pagewright/client"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("npm packs the modules, their types and the license, and nothing else", () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: client,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  const modules = paths.filter((path) => path.endsWith(".js"));
  expect(paths.filter((path) => !path.startsWith("dist/")).toSorted()).toEqual([
    "LICENSE",
    "README.md",
    "package.json",
  ]);
  expect(modules).toEqual(expect.arrayContaining(["dist/index.js", "dist/node.js", "dist/cli/main.js"]));
  expect(paths.filter((path) => path.startsWith("dist/") && !/\.(d\.ts|js)$/.test(path))).toEqual([]);
  expect(paths.filter((path) => path.endsWith(".d.ts"))).toHaveLength(modules.length);
});

test("the versions of the dependencies are those of the project", () => {
  const [own, project] = [json(join(client, "package.json")), json(join(root, "package.json"))];
  const all = { ...project.dependencies, ...project.devDependencies };
  expect(VERSION).toBe(own.version);
  for (const [name, version] of Object.entries(own.dependencies)) expect([name, version]).toEqual([name, all[name]]);
});

describe("in a browser", () => {
  test("it is smaller than 12 KB after gzip, and has no dependency", async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: 'export * from "@pagewright/client";', resolveDir: project },
      ...{ bundle: true, write: false, minify: true, format: "esm", metafile: true },
      ...{ conditions: ["browser"], platform: "browser" },
    });
    const inputs = Object.keys(metafile!.inputs).filter((path) => path !== "<stdin>");
    expect(inputs.filter((path) => !path.includes("client/dist/"))).toEqual([]);
    const { length } = gzipSync(outputFiles[0]!.contents);
    console.log(`The client is ${length} bytes after gzip.`);
    expect(length).toBeLessThan(12_000);
  });
});

describe("types", () => {
  const compile = (name: string): string => {
    const source = readFileSync(join(root, "test/fixtures/client-types", name), "utf8");
    writeFileSync(join(project, name), source);
    const options = [
      "--strict",
      "--noEmit",
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
      "--target",
      "es2023",
    ];
    const lib = ["--lib", "es2023,dom,dom.iterable,dom.asynciterable", "--types", ""];
    const args = [
      join(root, "node_modules/typescript/bin/tsc"),
      ...options,
      ...lib,
      "--customConditions",
      "browser",
      name,
    ];
    return spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" }).stdout;
  };

  test("right calls compile without Node's types", () => {
    expect(compile("right.ts")).toBe("");
  });

  test("wrong calls do not, each at its line", () => {
    const lines = readFileSync(join(root, "test/fixtures/client-types/wrong.ts"), "utf8").split("\n");
    const wrong = lines.flatMap((line, index) => (line.startsWith("// wrong") ? [index + 2] : []));
    const errors = [...compile("wrong.ts").matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    expect([...new Set(errors)]).toEqual(wrong);
    expect(wrong.length).toBeGreaterThan(15);
  });
});
