// Writes changed copies of wrangler.toml.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/services/wrangler.ts";

export interface Configuration extends AsyncDisposable {
  readonly path: string;
  readonly text: string;
}

/** Returns a copy of wrangler.toml in a temporary folder, in which `other` replaces `text`. */
export async function configurationWith(text: string, other: string): Promise<Configuration> {
  const original = await readFile(join(root, "wrangler.toml"), "utf8");
  if (!original.includes(text)) throw new Error(`wrangler.toml does not contain ${text}`);
  const absolute = original
    .replace(text, other)
    .replaceAll('"./', `"${root}/`)
    .replaceAll('"."', `"${root}"`)
    .replace('"src/', `"${root}/src/`);
  const folder = await mkdtemp(join(tmpdir(), "wrangler-"));
  const path = join(folder, "wrangler.toml");
  await writeFile(path, absolute);
  return { path, text: absolute, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Returns a copy of wrangler.toml with the setting `REGIONS`. */
export const configurationWithRegions = (regions: string): Promise<Configuration> =>
  configurationWith("[vars]", `[vars]\nREGIONS = "${regions}"`);
