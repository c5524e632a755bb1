// `npm start`: runs the service on this machine until Ctrl-C. Environment variables: VARIANT (private or keyed), PORT,
// API_KEY, the SETTINGS in src/service/settings/settings.ts, the container's settings, and STATE_DIR (folder for stored
// files, keys and logs, by default .wrangler).

import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { LOOPBACK_HOSTS, SETTINGS } from "../src/service/settings/settings.ts";
import { ensureDevelopmentKey } from "./keys/development-key.ts";
import { type ContainerProcess, installEngines, startContainer } from "./services/container-process.ts";
import { type DevServer, logTail, startDevServer, type Variant } from "./services/dev-server.ts";
import { isPortFree } from "./services/ports.ts";
import { root } from "./services/wrangler.ts";
import { takeNoArguments } from "./usage.ts";

const USAGE = `Usage: npm start

Runs the service on this machine until Ctrl-C. Environment variables configure it:
  VARIANT     private (default) or keyed
  PORT        default 8787
  API_KEY     the development key of the keyed variant; default a new one
  STATE_DIR   folder of stored files, keys and logs; default .wrangler
docs/deploy.md describes the others.`;

/** Interval between deletions of expired files. Needed because wrangler dev does not fire cron triggers. */
const SWEEP_EVERY_MS = 10 * 60_000;
/**
 * Two SIGINT within this time count as one Ctrl-C: the terminal sends the signal to every foreground process, and npm
 * forwards it too.
 */
const SAME_CTRL_C_MS = 300;

takeNoArguments(USAGE);

const interrupted = new AbortController();
let interruptedAt = 0;
let service: DevServer | undefined;
let container: ContainerProcess | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
process.on("disconnect", onSignal);
process.channel?.unref();
// The terminal can close before this process ends. Writing to it then fails.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

try {
  await main();
} catch (error) {
  if (!interrupted.signal.aborted) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
process.exit(0);

async function main(): Promise<void> {
  const variant = readVariant(process.env.VARIANT || "private");
  const port = readPort(process.env.PORT || "8787");
  if (!(await isPortFree(port))) {
    const command = [`PORT=${await freePortNear(port)}`, ...givenVariables(), "npm start"].join(" ");
    throw new Error(`Port ${port} is in use by another program. Choose another port: ${command}`);
  }
  const folder = join(resolve(root, process.env.STATE_DIR || ".wrangler"), variant);
  const logFile = `${folder}.log`;
  const apiKey = variant === "keyed" ? await ensureDevelopmentKey(folder, process.env.API_KEY) : undefined;
  const inspectorPort = await portBeside(port);

  await startEngines(`${folder}-container.log`, port);
  if (interrupted.signal.aborted) return container?.stop();
  service = await startDevServer({
    variant,
    port,
    inspectorPort,
    persistTo: folder,
    logFile,
    vars: { FORM_SECRET: await keptSecret(join(folder, "form-secret")), ...settings(), ...container?.vars },
    onLine: showError,
    signal: interrupted.signal,
  });
  if (interrupted.signal.aborted) return stop();

  const address = `http://localhost:${port}`;
  // The URL fragment contains the key. Browsers never send a fragment, and the page removes it immediately.
  const page = apiKey === undefined ? address : `${address}/#key=${encodeURIComponent(apiKey)}`;
  const header = apiKey === undefined ? "" : `-H 'Api-Key: ${apiKey}' `;
  console.log(`
Ready: ${address} (${variant} variant; log: ${relative(root, logFile)}; press Ctrl-C to stop)${
    apiKey === undefined ? "" : `\nDevelopment key: ${apiKey}`
  }

  Open ${page} to try it in a browser, or send a request:

  curl ${header}-F output=hello --form-string 'content=<h1>Hello</h1>' ${address}/html
`);

  const { url } = service;
  // wrangler provides this route, only on the loopback address.
  setInterval(() => void fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => {}), SWEEP_EVERY_MS).unref();

  await service.ended;
  await container?.stop();
  if (!interrupted.signal.aborted) throw new Error(`The service ended. ${logFile} ends with:\n${logTail(logFile)}`);
}

function onSignal(): void {
  if (!interrupted.signal.aborted) {
    interruptedAt = performance.now();
    interrupted.abort();
    void stop();
  } else if (performance.now() - interruptedAt > SAME_CTRL_C_MS) {
    service?.kill();
    container?.kill();
    process.exit(130);
  }
}

async function stop(): Promise<void> {
  await Promise.all([service?.stop(), container?.stop()]);
}

/**
 * Starts the engines. Without them, endpoints that need no engine still work. All other endpoints report that the
 * service is busy.
 */
async function startEngines(logFile: string, port: number): Promise<void> {
  try {
    await installEngines(interrupted.signal);
    if (interrupted.signal.aborted) return;
    container = await startContainer({ logFile, port: port + 2000 <= 65535 ? port + 2000 : port - 2000 });
  } catch (error) {
    if (interrupted.signal.aborted) return;
    console.error(`${(error as Error).message}\nContinuing without the container. Operations that need it return 503.`);
  }
}

function readVariant(value: string): Variant {
  if (value === "private" || value === "keyed") return value;
  throw new Error(`VARIANT is "${value}"; it can be private or keyed.`);
}

function readPort(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port >= 1 && port <= 65535) return port;
  throw new Error(`PORT must be a number from 1 to 65535, not "${value}".`);
}

/**
 * Returns the debugger's port: the service's port plus a fixed offset, so that it is predictable. If that port is in
 * use, returns 0, which means any free port.
 */
async function portBeside(port: number): Promise<number> {
  const beside = nearbyPort(port);
  return (await isPortFree(beside)) ? beside : 0;
}

function nearbyPort(port: number): number {
  return port + 1000 <= 65535 ? port + 1000 : port - 1000;
}

/** Returns the first free port, starting at the debugger's default. */
async function freePortNear(port: number): Promise<number> {
  for (let near = nearbyPort(port); near <= 65535; near++) if (await isPortFree(near)) return near;
  return nearbyPort(port);
}

/** Returns the environment variables for this command that are set, quoted for a shell. */
function givenVariables(): string[] {
  const quoted = (value: string) => (/^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);
  return ["VARIANT", "API_KEY", "STATE_DIR", ...SETTINGS].flatMap((name) =>
    process.env[name] ? [`${name}=${quoted(process.env[name])}`] : [],
  );
}

/** Returns the secret in a file. Creates both at the first start, so that queued requests survive a restart. */
async function keptSecret(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, randomUUID(), { mode: 0o600, flag: "wx" }).catch(() => {});
  return readFile(file, "utf8");
}

function settings(): Record<string, string> {
  const names = [...SETTINGS, "FORM_SECRET", "LLM_API_KEY"];
  const given = Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  // Without BASE_URL, accepts only loopback hosts, because wrangler listens on the loopback address.
  return given.BASE_URL ? given : { ALLOWED_HOSTS: LOOPBACK_HOSTS, ...given };
}

/**
 * Prints failures on the terminal too, not only in the log: failures that the Worker logs, and errors of the runtime.
 */
function showError(line: string): void {
  if (line.startsWith("[wrangler:error]") || line.includes("[ERROR]")) console.error(line);
  if (!line.startsWith("{")) return;
  try {
    const entry = JSON.parse(line) as Record<string, unknown>;
    if (entry.message === "request failed" && Number(entry.status) >= 500) console.error(line);
  } catch {
    // The line is not a log line of this project.
  }
}
