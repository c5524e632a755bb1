// `npm run bench`, `npm run bench:<name>`: installs the programs that a benchmark needs, then runs it. The first
// argument is the name of a file in bench/.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installPackages, TEST_PACKAGES } from "./packages.ts";
import { installEngines } from "./services/container-process.ts";

const [name = "run"] = process.argv.splice(2, 1);
installPackages(TEST_PACKAGES, "the benchmarks");
await installEngines();
await import(pathToFileURL(join(import.meta.dirname, "..", "bench", `${name}.ts`)).href);
