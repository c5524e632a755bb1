// Writes the compiled code of the server and its threads, and of the modules that are named, to the folder
// NODE_COMPILE_CACHE, while an image is built. With this cache, they start in a third of the CPU time.
// Usage: node container/compile-ahead.ts [<module>…]

import { flushCompileCache } from "node:module";
import { resolve } from "node:path";

for (const module of [
  "./jobs/app.ts",
  "./engine-lifecycle/running-engines.ts",
  "./fonts/system-fonts.ts",
  "../src/operations/index.ts",
  ...process.argv.slice(2).map((path) => resolve(path)),
]) {
  await import(module);
}
flushCompileCache();
