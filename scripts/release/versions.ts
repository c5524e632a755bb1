// Reads and writes the versions of the packages in all files that contain them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGES, type Package, type Versions } from "./changes.ts";

/** Files with the version of a package, each with a pattern that matches nothing but the version. */
const PLACES: readonly (readonly [Package, string, RegExp])[] = [
  ["service", "package.json", /(?<=^ {2}"version": ")[^"]+/gm],
  ["service", "package-lock.json", /(?<="name": "pagewright",\n +"version": ")[^"]+/g],
  ["service", "src/service/settings/release.ts", /(?<= version: ")[^"]+/g],
  ["service", "deploy/chart/Chart.yaml", /(?<=^(?:version|appVersion): )\S+/gm],
  ["service", "docs/api.md", /(?<="product": "Pagewright", "version": ")[^"]+/g],
  ["client", "client/package.json", /(?<=^ {2}"version": ")[^"]+/gm],
  ["client", "client/version.ts", /(?<=VERSION = ")[^"]+/g],
  ["client", "client/README.md", /(?<=pagewright-client-)\d[\d.]*(?=\.tgz)/g],
];
/** Files with the date of the service's release. */
const DATES: readonly (readonly [string, RegExp])[] = [
  ["src/service/settings/release.ts", /(?<=releaseDate: ")[^"]+/g],
  ["docs/api.md", /(?<="releaseDate": ")[^"]+/g],
];

export function readVersions(folder: string): Versions {
  const versionOf = (name: Package) => {
    const [, file, pattern] = PLACES.find(([owner]) => owner === name)!;
    return [name, readFileSync(join(folder, file), "utf8").match(pattern)![0]] as const;
  };
  return Object.fromEntries(PACKAGES.map(versionOf)) as unknown as Versions;
}

/**
 * @param date of the service's release, as in 2026-12-31 @default unchanged
 * @returns the names of the files that have changed
 */
export function writeVersions(folder: string, versions: Versions, date?: string): readonly string[] {
  const places = [
    ...PLACES.map(([name, file, pattern]) => ({ file, pattern, text: versions[name] })),
    ...(date === undefined ? [] : DATES.map(([file, pattern]) => ({ file, pattern, text: date }))),
  ];
  const changed = places.filter(({ file, pattern, text }) => {
    const path = join(folder, file);
    const before = readFileSync(path, "utf8");
    if (!before.match(pattern)) throw new Error(`${file} has no version where scripts/release/versions.ts looks.`);
    const after = before.replaceAll(pattern, text);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
  return [...new Set(changed.map(({ file }) => file))];
}
