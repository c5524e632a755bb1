// Verifies the files of a release as a stranger uses them, in a clean folder: installs the client's archive, checks its
// package and its types, and converts with its API and its command at a host that runs from the context of the images.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../services/wrangler.ts";
import { contextPaths, namesOf } from "./artifacts.ts";
import type { Release } from "./changes.ts";

const PUBLINT = "publint@0.3.25";
const LISTENS_WITHIN_MS = 120_000;
const STOPS_WITHIN_MS = 30_000;
const PROGRAM_TIMEOUT_MS = 300_000;
/** Outputs of builds in the images, which would take minutes again. */
const BUILT = ["node_modules", "wasm/dist", "site/dist"];

const FIRST_CALLS = `import { Pagewright } from "@pagewright/client";

const pw = new Pagewright({ baseUrl: process.argv[2]! });
const pages = pw.blank({ pageSize: "A5", pageOrientation: "portrait", pageCount: 2 });
await pages.watermark({ watermarkText: "First" }).save("first.pdf");
`;

/**
 * @param folder of the release
 * @param clean an empty folder, which gets the results of the first conversions: first.pdf and first.png
 * @throws Error with the output of the failing step
 */
export async function verifyArtifacts(release: Release, folder: string, clean: string): Promise<void> {
  const names = namesOf(release);
  const step = (name: string, program: string, ...args: string[]) => {
    try {
      execFileSync(program, args, { cwd: clean, encoding: "utf8", timeout: PROGRAM_TIMEOUT_MS });
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`${name}: ${program} ${args.join(" ")}\n${stdout}${stderr}`);
    }
    console.log(`ok      ${name}`);
  };
  const inFolder = `cd "$1" && sha256sum --check --strict --quiet ${names.sums}`;
  step("checksums", "sh", "-c", inFolder, "sh", folder);
  writeFileSync(join(clean, "package.json"), '{ "type": "module", "private": true }');
  writeFileSync(join(clean, "first.ts"), FIRST_CALLS);
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  step("installation", "npm", "install", ...quiet, join(folder, names.client), PUBLINT);
  step("package", "node_modules/.bin/publint", "--strict", "--pack", "false", "node_modules/@pagewright/client");
  checkTypes(step);
  const unpack = 'tar -xzf "$1" && grep -qx "version: $2" pagewright/Chart.yaml';
  step("chart", "sh", "-c", unpack, "sh", join(folder, names.chart), release.versions.service);
  const host = await startHost(join(folder, names.context), join(clean, "context"));
  try {
    step("first call", process.execPath, "first.js", host.url);
    const command = ["png", "first.pdf", "--pages", "1", "--resolution", "50", "-o", "first.png", "--url", host.url];
    step("first command", "node_modules/.bin/pagewright", ...command);
  } finally {
    await host.stop();
  }
}

/** Compiles the first program with the two ways in which projects find modules; the second writes first.js. */
function checkTypes(step: (name: string, program: string, ...args: string[]) => void): void {
  const compiler = [join(root, "node_modules/typescript/bin/tsc"), "first.ts", "--ignoreConfig", "--strict"];
  // The declarations of this project's Node are only for the argument of the program.
  const platform = ["--target", "es2023", "--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const bundler = ["--module", "esnext", "--moduleResolution", "bundler", "--noEmit"];
  step("types for bundlers", process.execPath, ...compiler, ...platform, ...bundler);
  step("types for Node", process.execPath, ...compiler, ...platform, "--module", "node16");
}

/** Runs the service from nothing but the context of the images, and the results of their builds. */
async function startHost(context: string, folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  mkdirSync(folder);
  execFileSync("tar", ["-xzf", context, "-C", folder]);
  const sources = ["container", "host"].map((name) => readFileSync(join(folder, name, "Dockerfile"), "utf8"));
  const missing = sources.flatMap(contextPaths).filter((path) => !existsSync(join(folder, path)));
  if (missing.length > 0) throw new Error(`The context of the images lacks ${missing.join(", ")}.`);
  for (const path of BUILT) symlinkSync(join(root, path), join(folder, path));
  const child = spawn(process.execPath, ["--no-warnings", "host/server.ts"], {
    cwd: folder,
    env: { ...process.env, PORT: "0", ENGINES: "threads", DATA_DIR: join(folder, "data"), VARIANT: "private" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), STOPS_WITHIN_MS);
    await ended;
    clearTimeout(timer);
    rmSync(join(folder, "data"), { recursive: true, force: true });
  };
  const timer = setTimeout(() => child.kill("SIGKILL"), LISTENS_WITHIN_MS);
  const [message] = await Promise.race([once(child, "message"), ended.then(() => [undefined])]);
  clearTimeout(timer);
  if (!message) throw new Error("The host does not start from the context of the images.");
  console.log("ok      the host starts from the context of the images");
  return { url: `http://127.0.0.1:${(message as { readonly port: number }).port}`, stop: () => end("SIGTERM") };
}
