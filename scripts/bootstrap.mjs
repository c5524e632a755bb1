// Prepares a fresh clone (node modules, the pinned Node, WebAssembly artifacts, parts of the client, pages), then runs
// a script of the project. Plain JavaScript without dependencies, because it runs before anything is installed, on any
// Node from version 20.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = join(root, "node_modules/.bin/node");
const wasmSources = join(root, "wasm");
const wasmOutputs = join(root, "wasm/dist");
/** Generated folders. Each contains a list of the sources that it was generated from. */
const generated = [
  { script: "scripts/write-client.ts", folder: join(root, "client/generated") },
  { script: "site/build.ts", folder: join(root, "site/dist") },
];
const lockFile = join(root, ".wrangler/bootstrap.lock");

const PROGRESS_EVERY_MS = 5_000;

/** The running child process, which receives this process's signals. */
let child;

/** An error that is printed as its message, without a stack. */
class Refusal extends Error {}

async function main() {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    throw new Refusal(`Node ${process.versions.node} is too old: install Node 20 or newer.`);
  }
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) throw new Refusal("Usage: node scripts/bootstrap.mjs <script> [arguments]");
  process.chdir(root);

  if (!modulesAreInstalled() || staleWasmFolders().length > 0 || generated.some(isStale)) await prepare();

  // With the pinned Node, npm's path already contains the installed programs, so the script can run in this process.
  if (process.version === `v${pinnedVersion()}`) {
    process.argv = [process.execPath, resolve(script), ...args];
    endWithParent(() => process.kill(process.pid, "SIGTERM"));
    await import(pathToFileURL(resolve(script)).href);
  } else {
    await runWithPinnedNode(script, args);
  }
}

async function prepare() {
  const relay = (signal) => {
    child?.kill(signal);
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, relay);
  process.on("exit", unlock);
  await lock();
  // Checked again: the process that held the lock might have installed them.
  if (!modulesAreInstalled()) await installModules();
  for (const folder of staleWasmFolders()) await buildWasm(folder);
  for (const one of generated.filter(isStale)) await generate(one);
  unlock();
  process.off("exit", unlock);
  for (const signal of signals) process.off(signal, relay);
}

// Node modules

/**
 * Reports whether node_modules matches package-lock.json exactly, according to npm's own record of the installation.
 */
function modulesAreInstalled() {
  const record = join(root, "node_modules/.package-lock.json");
  if (!existsSync(record) || !existsSync(pinnedNode)) return false;
  const wanted = readJson(join(root, "package-lock.json")).packages;
  const installed = readJson(record).packages;
  for (const [path, { version, integrity, optional }] of Object.entries(wanted)) {
    if (path === "") continue;
    const found = installed[path];
    if (found === undefined && optional) continue; // built for another platform
    if (found?.version !== version || found.integrity !== integrity) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

/**
 * Prints how many node modules are installed. npm creates all folders first, so only folders with a file count.
 */
function installedModules() {
  const { packages } = readJson(join(root, "package-lock.json"));
  const wanted = Object.keys(packages).filter((path) => path !== "" && !packages[path].optional);
  const there = wanted.filter((path) => existsSync(join(root, path, "package.json")));
  return `${there.length} of ${wanted.length}`;
}

async function installModules() {
  const first = !existsSync(join(root, "node_modules"));
  console.log(first ? "Installing node modules (first run)…" : "Updating node modules…");
  const progress = setInterval(() => console.log(`  ${installedModules()}`), PROGRESS_EVERY_MS);
  let install = await run(...npm("ci", "--include=dev"));
  // npm 11 rejects a lock file without the optional packages of other platforms. This command accepts it, and installs
  // the same versions.
  if (install.code !== 0) install = await run(...npm("install", "--no-save", "--include=dev"));
  clearInterval(progress);
  if (install.code !== 0) {
    throw new Refusal(
      `${tail(install.output)}\nThe node modules could not be installed. ` +
        "Is the package registry within reach? Try again with: npm ci",
    );
  }
  // An npm that is configured to skip install scripts does not install the pinned Node.
  if (!existsSync(pinnedNode) || (await run(pinnedNode, ["--version"])).output.trim() !== `v${pinnedVersion()}`) {
    await run(...npm("rebuild", "node", "--ignore-scripts=false"));
  }
  if (!existsSync(pinnedNode)) {
    throw new Refusal(
      "Node modules are installed, but the pinned Node is not: its install script did not run. " +
        "Try: npm rebuild node --ignore-scripts=false",
    );
  }
}

/**
 * Returns the command that runs npm: the npm that started this script, or else the npm on the path. Never uses the
 * installed Node, because npm might replace it.
 */
function npm(...args) {
  const own = join(root, "node_modules");
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  if (cli?.endsWith("npm-cli.js") && node && existsSync(node) && !node.startsWith(own)) return [node, [cli, ...args]];
  return ["npm", args];
}

/** Returns the environment without the project's own programs. */
function outerEnvironment() {
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.endsWith("node_modules/.bin"));
  return { ...process.env, PATH: path.join(delimiter) };
}

// WebAssembly artifacts

/** Returns the folders of wasm/ that have a build script, and whose outputs are missing or outdated. */
function staleWasmFolders() {
  if (!existsSync(wasmSources)) return [];
  return readdirSync(wasmSources).filter((folder) => {
    if (!existsSync(join(wasmSources, folder, "build.ts"))) return false;
    const { sources, outputs } = readStamp(join(wasmOutputs, `.${folder}.json`));
    return sources !== fingerprint(folder) || outputs.some((name) => !existsSync(join(wasmOutputs, name)));
  });
}

async function buildWasm(folder) {
  console.log(`Building WebAssembly: ${folder}…`);
  const before = fingerprint(folder);
  const since = Date.now();
  mkdirSync(wasmOutputs, { recursive: true });
  const build = await run(pinnedNode, [join(wasmSources, folder, "build.ts")]);
  if (build.code !== 0) throw new Refusal(`${tail(build.output)}\nwasm/${folder}/build.ts failed.`);
  // Tolerates a second, because file systems round times.
  const outputs = readdirSync(wasmOutputs).filter(
    (name) => !name.startsWith(".") && statSync(join(wasmOutputs, name)).mtimeMs >= since - 1000,
  );
  writeFileSync(join(wasmOutputs, `.${folder}.json`), JSON.stringify({ sources: before, outputs }));
}

/**
 * Returns a hash of the folder's files, of files that several builds share, and of the lock file, which includes the
 * compiler and the third-party engine.
 */
function fingerprint(folder) {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  // The image kernel uses the JPEG kernel's transform. The builds of third-party binaries share the code that rewrites
  // binaries.
  const files = [folder, "jpeg", "rewrite"]
    .flatMap((name) => readdirSync(join(wasmSources, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .concat(join(wasmSources, "kernel.ts"))
    .sort();
  for (const file of files) hash.update(`${relative(wasmSources, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

// Generated files: parts of the client, and pages for the browser

/** Reports whether a source has changed since the files were written, or an output is missing. */
function isStale({ folder }) {
  const { files = [], outputs, digest } = readStamp(join(folder, "sources.json"));
  return digest !== digestOf(files) || outputs.some((name) => !existsSync(join(folder, name)));
}

async function generate({ script, folder }) {
  const build = await run(pinnedNode, [join(root, script)]);
  if (build.code !== 0) throw new Refusal(`${tail(build.output)}\n${script} failed.`);
  const stamp = join(folder, "sources.json");
  const { files, outputs } = readJson(stamp);
  writeFileSync(stamp, JSON.stringify({ files, outputs, digest: digestOf(files) }));
}

/** Returns a hash of the files, and of the lock file, which includes the packages that the files import. */
function digestOf(files) {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const file of files) {
    const path = join(root, file);
    hash.update(`${file}\0`).update(existsSync(path) ? readFileSync(path) : "");
  }
  return hash.digest("hex");
}

// Only one preparation runs at a time. On a fresh clone, two services can be started at once.

async function lock() {
  mkdirSync(dirname(lockFile), { recursive: true });
  for (let waits = 0; ; waits++) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = lockHolder();
    if (holder === undefined || !isAlive(holder)) rmSync(lockFile, { force: true });
    else if (waits === 0) console.log("Waiting for another command that is installing…");
    await new Promise((wake) => setTimeout(wake, 300));
  }
}

function unlock() {
  if (lockHolder() === process.pid) rmSync(lockFile, { force: true });
}

function lockHolder() {
  try {
    return Number(readFileSync(lockFile, "utf8")) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

// Processes

/** Runs a command to its end, and returns its exit code and output. */
function run(command, args) {
  return new Promise((done) => {
    let output = "";
    child = spawn(command, args, { cwd: root, env: outerEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => done({ code: 1, output: `${command}: ${error.message}` }));
    child.on("close", (code) => done({ code: code ?? 1, output }));
  });
}

function runWithPinnedNode(script, args) {
  // The path of npm lacks these programs if they were installed after npm started.
  const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
  // The IPC channel closes when this process ends for any reason, so the script can end too.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  child = spawn(pinnedNode, [resolve(script), ...args], { env: { ...process.env, PATH: path }, stdio });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  endWithParent(() => child.kill("SIGTERM"));
  return new Promise((_, fail) => {
    child.on("error", fail);
    child.on("exit", (code, signal) => {
      if (signal === null) process.exit(code);
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
      process.kill(process.pid, signal);
    });
  });
}

/**
 * Ends this process when its parent, npm, ends. Needed because npm does not forward every signal, and forwards none if
 * it is killed. Does nothing outside npm, where the parent can end first (nohup).
 */
function endWithParent(end) {
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, 1000);
  timer.unref();
}

function pinnedVersion() {
  return readJson(join(root, "package.json")).devDependencies.node;
}

/** Returns the record of a build. Returns an empty record if there is none, or if its writer was interrupted. */
function readStamp(file) {
  try {
    return readJson(file);
  } catch {
    return {};
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

function tail(output) {
  return output.trimEnd().split("\n").slice(-25).join("\n");
}

main().catch((error) => {
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
});
