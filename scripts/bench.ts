// `npm run bench`, `npm run bench -- <name>`, `npm run bench:<name>`: installs the programs that a benchmark needs, then
// runs it. The first argument is the name of a file in bench/.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackages, TEST_PACKAGES } from "./packages.ts";
import { installEngines } from "./services/container-process.ts";

const isNamed = process.argv[2]?.startsWith("-") === false;
const unnamed = process.argv.includes("--report") ? "report" : "run";
const name = isNamed ? process.argv.splice(2, 1)[0] : unnamed;
installPackages(TEST_PACKAGES, "the benchmarks");
await installEngines();
await import(pathToFileURL(join(import.meta.dirname, "..", "bench", `${name}.ts`)).href);
