// `npm run serve`: runs the service on Node, without Cloudflare's platform. Installs the engines if they are missing.
// host/settings.ts lists the environment variables.

import { enableCompileCache } from "node:module";
import { compiledFolder } from "../host/engines.ts";
import { installEngines } from "./services/container-process.ts";
import { takeNoArguments } from "./usage.ts";

takeNoArguments(`Usage: npm run serve

Runs the service on Node until Ctrl-C. Environment variables configure it:
  VARIANT            private (default) or keyed
  PORT, HOST         default 8787, 127.0.0.1
  DATA_DIR           folder of the stored files and the databases; default .pagewright
  ENGINES            engines that start, such as office,chromium; default all; off: none
docs/deploy.md describes the others.`);

const interrupted = new AbortController();
const interrupt = () => interrupted.abort();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

if (process.env.ENGINES !== "off" && !process.env.CONTAINER_URL) {
  for (const signal of signals) process.on(signal, interrupt);
  await installEngines(interrupted.signal).catch((error: Error) => {
    if (interrupted.signal.aborted) process.exit(130);
    console.error(`${error.message}\nContinuing without the container. Operations that need it return 503.`);
    process.env.ENGINES = "off";
  });
  for (const signal of signals) process.off(signal, interrupt);
}
// Caches compiled code, which halves the CPU time of the next start. NODE_COMPILE_CACHE selects another folder.
enableCompileCache(process.env.NODE_COMPILE_CACHE ?? compiledFolder);
await import(new URL("../host/server.ts", import.meta.url).href);
