// `npm run deploy`: checks the configuration, then deploys the Worker and its containers to Cloudflare. Passes its
// arguments to `wrangler deploy`.

import { spawn } from "node:child_process";
import { checkConfiguration } from "./checks/deployment.ts";
import { root, wranglerCli } from "./services/wrangler.ts";

try {
  console.log(checkConfiguration());
} catch (error) {
  console.error(`wrangler.toml: ${(error as Error).message}`);
  process.exit(1);
}
const args = ["--no-warnings", wranglerCli, "deploy", ...process.argv.slice(2)];
// Inherits the terminal, because wrangler asks questions and shows the progress of the image build.
spawn(process.execPath, args, { cwd: root, stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1));
