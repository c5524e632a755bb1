// Builds the client's package (`client/dist`): ES modules with type declarations.
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../services/wrangler.ts";

/**
 * @param folder of the project, or of a copy of it
 * @throws Error with the compiler's output
 */
export function buildClient(folder: string = root): void {
  rmSync(join(folder, "client/dist"), { recursive: true, force: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", join(folder, "client")], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The client does not compile:\n${stdout}`);
  copyFileSync(join(folder, "LICENSE"), join(folder, "client/LICENSE"));
}
