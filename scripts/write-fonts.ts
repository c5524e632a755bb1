// `node scripts/bootstrap.mjs scripts/write-fonts.ts`: rewrites docs/fonts.md after the list of fonts has changed.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fontPage } from "./fonts/font-page.ts";
import { root } from "./services/wrangler.ts";

writeFileSync(join(root, "docs/fonts.md"), fontPage());
