// `node scripts/bootstrap.mjs scripts/write-limits.ts`: regenerates the tables of docs/limits.md. Run it after changing
// a limit.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withTables } from "./limits/limit-tables.ts";
import { root } from "./services/wrangler.ts";

const page = join(root, "docs/limits.md");
writeFileSync(page, withTables(readFileSync(page, "utf8")));
