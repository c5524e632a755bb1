// Generates `client/generated/` from the endpoints' declarations: operations.ts (types), and operation-schemas.ts
// (schemas for the command line). Also copies operation-list.ts (types of the schemas), because the published client
// contains only its own folder.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { endpoints } from "../src/endpoints/index.ts";
import { describe } from "../src/service/http/contract/described.ts";
import { operationsSource, schemasSource, WRITTEN } from "./client/client-sources.ts";
import { root } from "./services/wrangler.ts";

const operations = endpoints.map(describe);
const LIST = "src/service/http/contract/operation-list.ts";
const outputs = {
  "operations.ts": operationsSource(operations),
  "operation-schemas.ts": schemasSource(operations),
  "operation-list.ts": WRITTEN + (await readFile(join(root, LIST), "utf8")),
};
// With this record, bootstrap.mjs regenerates the files when a source changes or an output is missing.
const written = { files: [...(await sources()), LIST], outputs: Object.keys(outputs) };
const files = { ...outputs, "sources.json": JSON.stringify(written) };
const folder = join(root, "client/generated");
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);

/** Returns the files that a file imports, directly or indirectly. */
async function sources(): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["scripts/write-client.ts"],
    ...{ bundle: true, write: false, metafile: true, format: "esm", platform: "node", logLevel: "warning" },
    packages: "external",
    external: ["#*"],
  });
  return Object.keys(metafile.inputs).toSorted();
}
