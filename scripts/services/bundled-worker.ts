// Runs a bundled Worker in workerd, as `wrangler dev` does, but without its bundler and its proxy: these take half of
// the processor time of a start, and a part of each request. Started by dev-server.ts with the path of a
// BundledWorker, and its Settings, both as arguments.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

/** Options of Miniflare for a Worker, from its configuration and bundle. */
export type BundledWorker = { readonly bindings: Readonly<Record<string, unknown>> } & Readonly<
  Record<string, unknown>
>;

export interface Settings {
  /** 0 selects any free port. */
  readonly port: number;
  readonly persistTo: string;
  /** Variables that replace those of the configuration. */
  readonly vars: Readonly<Record<string, string>>;
}

const [file, settings] = process.argv.slice(2) as [string, string];
const worker = JSON.parse(readFileSync(file, "utf8")) as BundledWorker;
const { port, persistTo, vars } = JSON.parse(settings) as Settings;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    ...{ host: "127.0.0.1", port, cf: false, resourcePersistencePath: join(persistTo, "v3") },
    workers: [{ ...worker, bindings: { ...worker.bindings, ...vars } } as never],
  }),
);
const url = await miniflare.ready;
process.on("SIGTERM", () => void miniflare.dispose().then(() => process.exit(0)));
process.send?.(JSON.stringify({ event: "DEV_SERVER_READY", port: Number(url.port) }));
