// Starts one Chromium, controlled through two pipes. As far as the machine allows, it runs as a separate user, in a
// separate network namespace and in Chromium's sandbox.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, statfs } from "node:fs/promises";
import type { Server } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { WEB_RULES } from "../../fonts/system-fonts.ts";
import { killGroup, minimalEnvironment, Tail } from "../../processes/process.ts";
import { EngineLost, isExternalSignal, withRetries } from "../../processes/retry.ts";
import type { JobFolder, Scratch } from "../../scratch/scratch.ts";
import {
  BROWSER_USER,
  type Confinement,
  type ConfinementOption,
  confinedBrowser,
  confinementOptions,
  isRoot,
} from "./network/confinement.ts";
import { listenPerAddress, listenPerPort, PROXY_PORT, type ProxyListeners } from "./network/proxy-listeners.ts";
import { Pipe } from "./pipe.ts";
import { Watchdog } from "./watchdog.ts";

export interface LaunchedChromium extends Confinement {
  readonly process: ChildProcess;
  readonly pipe: Pipe;
  readonly doors: ProxyListeners;
  readonly watch: Watchdog;
  readonly version: string;
  readonly startMs: number;
  /** Returns the end of the output on standard error. */
  lastWords(): string;
  /** Kills all of the browser's processes and removes its files. Never rejects. */
  end(): Promise<void>;
}

export interface LaunchSettings {
  readonly scratch: Scratch;
  /** Candidate paths; the first existing one is used. @default Debian's paths */
  readonly programs?: readonly string[];
  /** The confinement that worked before. @default the strongest that works */
  readonly confinement?: Confinement | undefined;
  /** Aborts a launch. */
  readonly signal: AbortSignal;
}

/** Paths in Debian's packages, the preferred headless shell first. */
export const PROGRAMS = ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"];
const START_TIMEOUT_MS = 60_000;
/**
 * Maximum retries of a start. `disturbed`: the browser was killed or stopped. `failed`: the browser exited by itself,
 * for example because another program killed one of its processes.
 */
const START_RETRIES = { disturbed: 4, failed: 1 };
/** Maximum time between the closing of the browser's pipe and its exit event. */
const END_TOLD_MS = 1_000;
/** Interval between checks of a browser that is starting. */
const LOOK_MS = 250;
/** Maximum wait for killed processes to exit. Long enough for a busy machine. */
const END_TIMEOUT_MS = 5_000;
/** Required size of shared memory. Containers often have 64 MiB, which a few large images exceed. */
const ENOUGH_SHARED_MEMORY_BYTES = 2 ** 29;
/**
 * File descriptors of the child: standard error and Chromium's two pipes. In a network namespace, a fifth one is
 * briefly the channel that passes a socket.
 */
const STDIO = ["ignore", "ignore", "pipe", "pipe", "pipe"] as const;

/**
 * Starts a browser in the strongest confinement that works.
 * @throws Error with the reasons, if none works
 * @throws EngineLost if the browser was killed or stopped repeatedly
 */
export async function launchChromium(settings: LaunchSettings): Promise<LaunchedChromium> {
  const { scratch, programs = PROGRAMS, confinement: first, signal } = settings;
  const program = programs.find(existsSync);
  if (program === undefined) throw new Error(`not installed: ${programs.join(", ")}`);
  const reasons: string[] = [];
  const kindOf = (error: unknown) => {
    signal.throwIfAborted();
    return error instanceof EngineLost ? "disturbed" : "failed";
  };
  for (const way of await confinementOptions(first)) {
    try {
      return await withRetries({ retries: START_RETRIES, kindOf }, () => launch(program, scratch, way, signal));
    } catch (error) {
      // A browser that was killed or stopped repeatedly does not prove that the confinement fails.
      if (signal.aborted || error instanceof EngineLost) throw error;
      reasons.push(`${way.network}${way.sandbox ? " and sandbox" : ""}: ${(error as Error).message}`);
    }
  }
  throw new Error(reasons.join("; "));
}

async function launch(
  program: string,
  scratch: Scratch,
  way: ConfinementOption,
  signal: AbortSignal,
): Promise<LaunchedChromium> {
  const started = performance.now();
  const folder = await scratch.folder("chromium");
  const stderr = new Tail(4096);
  let child: ChildProcess | undefined;
  let listening: Server | undefined;
  const end = async () => {
    if (child?.pid !== undefined) await endGroup(child);
    listening?.close();
    try {
      await folder[Symbol.asyncDispose]();
    } catch {
      // Deleting the parent folder deletes the remaining files.
    }
  };
  try {
    await prepareFolder(folder);
    child = start(program, folder.path, way, await hasSharedMemory());
    child.stderr!.on("data", (chunk: Buffer) => stderr.add(chunk));
    const exited = exitOf(child);
    const [, , , out, incoming] = child.stdio as unknown as [unknown, unknown, unknown, Writable, Readable];
    const browser = child;
    const pipe = new Pipe(out, incoming, () => killGroup(browser));
    const ready = async (starting: ChildProcess) => {
      if (way.network === "namespace") listening = await socketOf(starting);
      return pipe.browser.send("Browser.getVersion").catch(async (error: unknown) => {
        await Promise.race([exited, sleep(END_TOLD_MS)]);
        throw error;
      });
    };
    const watch = new Watchdog(child.pid ?? 0);
    const { product } = await whileItStarts(Promise.race([ready(child), exited]), watch, signal);
    return {
      network: way.network,
      sandbox: way.sandbox,
      process: child,
      pipe,
      doors: listening ? listenPerAddress(listening) : listenPerPort(),
      watch,
      version: product.split("/")[1] ?? product,
      startMs: Math.round(performance.now() - started),
      lastWords: () => stderr.text(),
      end,
    };
  } catch (error) {
    await end();
    const reason = `${(error as Error).message} ${stderr.text().slice(-300)}`.trim();
    throw error instanceof EngineLost ? new EngineLost(reason, { cause: error }) : new Error(reason, { cause: error });
  }
}

function start(program: string, folder: string, way: ConfinementOption, hasSharedMemory: boolean): ChildProcess {
  const [command, ...args] = [...confinedBrowser(way), program, ...flags(folder, way, hasSharedMemory)] as [
    string,
    ...string[],
  ];
  return spawn(command, args, {
    cwd: folder,
    env: { ...minimalEnvironment(folder, WEB_RULES), TZ: "UTC", PROXY_PORT: String(PROXY_PORT) },
    // Starts a session, and so a process group, so that all processes can be killed together.
    detached: true,
    stdio: [...STDIO, ...(way.network === "namespace" ? ["ipc" as const] : [])],
  });
}

/**
 * Returns a promise that rejects when a process ends: with EngineLost if the process was killed, otherwise with Error.
 */
function exitOf(child: ChildProcess): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  child.on("exit", (code, by) => {
    const how = `it ended by ${by ?? code}`;
    reject(isExternalSignal(by) ? new EngineLost(how) : new Error(how));
  });
  child.on("error", reject);
  promise.catch(() => {});
  return promise;
}

/**
 * Waits until a browser is ready.
 * @throws Error if it takes too long, or one of its processes is stopped
 * @throws the signal's reason when aborted
 */
async function whileItStarts<T>(ready: Promise<T>, watch: Watchdog, signal: AbortSignal): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const onTimeout = () => reject(new Error(`not ready after ${START_TIMEOUT_MS} ms`));
  const timer = setTimeout(onTimeout, START_TIMEOUT_MS);
  const looks = setInterval(() => {
    const stopped = watch.stopped();
    if (stopped !== undefined) reject(new EngineLost(stopped));
  }, LOOK_MS);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([ready, failed]);
  } finally {
    clearTimeout(timer);
    clearInterval(looks);
    signal.removeEventListener("abort", abort);
    ready.catch(() => {});
  }
}

/** Kills the process group. Waits until none of its processes can write files. */
async function endGroup(child: ChildProcess): Promise<void> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, 100)) {
    killGroup(child);
    if (!hasGroup(child.pid!) || performance.now() > deadline) return;
    await sleep(pauseMs);
  }
}

function hasGroup(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function prepareFolder({ path }: JobFolder): Promise<void> {
  const profile = join(path, "profile");
  await mkdir(profile);
  if (isRoot()) for (const own of [path, profile]) await chown(own, BROWSER_USER, BROWSER_USER);
}

function flags(folder: string, { sandbox }: Confinement, hasSharedMemory: boolean): string[] {
  return [
    "--headless",
    "--remote-debugging-pipe",
    `--user-data-dir=${join(folder, "profile")}`,
    ...(sandbox ? [] : ["--no-sandbox"]),
    ...(hasSharedMemory ? [] : ["--disable-dev-shm-usage"]),
    // All traffic goes through our proxy, at a separate address per context. Requests outside a context fail.
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.*",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // Disables requests to Google's servers, stored data and windows.
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--hide-scrollbars",
    "--mute-audio",
    "--lang=en-US",
    // Reports a mouse on a machine without one (ui/base/pointer: hover is 2, fine is 4). Touch emulation overrides
    // these values.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    // Disables the throttling of hidden pages.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-gpu",
    // Disables hinting, so that glyphs on screen are as wide as on paper.
    "--font-render-hinting=none",
    // Frames of other sites run in their job's single process. Sharing is safe, because a job has no cookies and no
    // accounts.
    "--disable-site-isolation-trials",
    `--disable-features=${DISABLED_FEATURES.join(",")}`,
    // Opens no page at the start. Pages are created for jobs.
    "--no-startup-window",
  ];
}

const DISABLED_FEATURES = [
  "AutofillServerCommunication",
  "BackForwardCache",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "InterestFeedContentSuggestions",
  // Disables the check for local addresses: behind our proxy, every server seems to have the proxy's local address.
  "LocalNetworkAccessChecks",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  // Loads a document into the blank page's existing frame, whose ID we know, instead of a new frame.
  "RenderDocument",
  "SpareRendererForSitePerProcess",
  "Translate",
];

async function hasSharedMemory(): Promise<boolean> {
  const { blocks, bsize } = await statfs("/dev/shm").catch(() => ({ blocks: 0, bsize: 0 }));
  return blocks * bsize >= ENOUGH_SHARED_MEMORY_BYTES;
}

function socketOf(child: ChildProcess): Promise<Server> {
  return new Promise((resolve) => child.once("message", (_, server) => resolve(server as Server)));
}
