// Bundles a Worker for services that tests start.
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { root, runWrangler } from "../../scripts/services/wrangler.ts";

export interface WorkerBundle {
  readonly modulesRoot: string;
  /** Modules for Miniflare; the first is the main module. */
  readonly modules: { readonly type: "ESModule" | "CompiledWasm" | "Text"; readonly path: string }[];
}

/** @param folder an empty folder @param entry path of the main module @default the service's */
export async function bundleWorker(folder: string, entry = join(root, "src/index.ts")): Promise<WorkerBundle> {
  const config = ["--config", join(root, "wrangler.toml")];
  await runWrangler(["deploy", entry, ...config, "--dry-run", "--containers-rollout=none", "--outdir", folder]);
  await rm(join(folder, "README.md"));
  const main = `${basename(entry, ".ts")}.js`;
  const others = (await readdir(folder)).filter((name) => name !== main && name !== `${main}.map`);
  return {
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: join(folder, main) },
      ...others.map((name) => ({
        type: name.endsWith(".wasm") ? ("CompiledWasm" as const) : ("Text" as const),
        path: join(folder, name),
      })),
    ],
  };
}
