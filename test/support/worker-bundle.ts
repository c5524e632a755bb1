// Bundles a Worker for services that tests start.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root, runWrangler } from "../../scripts/services/wrangler.ts";

export interface WorkerBundle {
  readonly modulesRoot: string;
  /** Modules for Miniflare; the first is the main module. */
  readonly modules: BundledModule[];
}

interface BundledModule {
  readonly type: "ESModule" | "CompiledWasm" | "Text";
  readonly path: string;
  /** @default those of the file */
  readonly contents?: Uint8Array<ArrayBuffer>;
}

const bundles = new Map<string, Promise<WorkerBundle>>();

/**
 * Returns a bundle in memory. Bundles the same source only once for all test files that share this module, because a
 * bundle takes longer than a start of the service.
 * @param source main module, which imports by absolute paths. @default it exports what the service's does
 */
export function bundleOf(source = reexporting(join(root, "src/index.ts"))): Promise<WorkerBundle> {
  const known = bundles.get(source) ?? bundleInMemory(source);
  bundles.set(source, known);
  return known;
}

/** @returns the source of a module that exports what the module at a path does */
export const reexporting = (path: string): string =>
  `export * from ${JSON.stringify(path)};\nexport { default } from ${JSON.stringify(path)};\n`;

async function bundleInMemory(source: string): Promise<WorkerBundle> {
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  try {
    const entry = join(folder, "entry.ts");
    await writeFile(entry, source);
    const { modulesRoot, modules } = await bundleWorker(join(folder, "bundle"), entry);
    return {
      modulesRoot,
      modules: await Promise.all(
        modules.map(async (module) => ({ ...module, contents: new Uint8Array(await readFile(module.path)) })),
      ),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
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
