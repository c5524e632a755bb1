// Detects which confinements of a browser this machine supports. Returns the commands that confine the browser.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { minimalEnvironment } from "../../../processes/process.ts";
import { USERS } from "../../../processes/users.ts";

/** The confinement of a browser. */
export interface Confinement {
  /** `namespace`: the kernel limits the browser to the proxy. `flags`: only command-line flags do. */
  readonly network: "namespace" | "flags";
  /** True if the renderers run in Chromium's own sandbox. */
  readonly sandbox: boolean;
}

/**
 * The user who creates the network namespace. `root`: this process, which is root. `user`: the browser's user, in a
 * user namespace, without privileges.
 */
type Entry = "root" | "user";

/** A confinement, and how to create it. */
export interface ConfinementOption extends Confinement {
  /** @default undefined, if there is no network namespace */
  readonly entry?: Entry;
}

/** The user that the browser runs as, if this process is root. */
export const BROWSER_USER: number = USERS.chromium.first;

const PROBE_TIMEOUT_MS = 5_000;
const UNSHARE_USER = ["unshare", "--user", "--map-current-user", "--keep-caps"];
/** Maximum size of a file that the browser writes, including shared memory. */
const FILE_BYTES = 2 ** 31;
const OPEN_FILES = 8192;

const helper = (name: string) => join(import.meta.dirname, name);
export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Returns the confinements to try, strongest first. Skips those that cannot work here, because each failed attempt
 * takes a start of the browser.
 * @param wanted the only confinement to return. @default all that this machine seems to allow
 */
export async function confinementOptions(wanted?: Confinement): Promise<readonly ConfinementOption[]> {
  const [entry, hasSandbox] = await Promise.all([
    entryToNamespace(),
    allows(asBrowser("unshare", "--user", "--pid", "--net")),
  ]);
  if (wanted?.network === "namespace") return [{ ...wanted, entry: entry ?? defaultEntry() }];
  if (wanted) return [wanted];
  const sandboxes = hasSandbox ? [true, false] : [false];
  return [
    ...(entry ? sandboxes.map((sandbox) => ({ network: "namespace" as const, sandbox, entry })) : []),
    ...sandboxes.map((sandbox) => ({ network: "flags" as const, sandbox })),
  ];
}

/** Returns the command that confines a program. The program and its arguments follow the command. */
export function confinedBrowser({ entry }: ConfinementOption): string[] {
  return [
    ...(entry ? enterNamespace(entry, process.execPath, helper("proxy-socket.mjs")) : []),
    ...becomeBrowser(entry),
  ];
}

async function entryToNamespace(): Promise<Entry | undefined> {
  const entries: readonly Entry[] = isRoot() ? ["root", "user"] : ["user"];
  for (const entry of entries) if (await allows(enterNamespace(entry, "true", "true"))) return entry;
  return undefined;
}

const defaultEntry = (): Entry => (isRoot() ? "root" : "user");

/**
 * Returns the command that enters a new network namespace and brings up its loopback device. Both unshare(1), in
 * util-linux, and Perl are essential in Debian.
 * @param listener a program and its argument, run in the namespace before the browser
 */
function enterNamespace(entry: Entry, ...listener: [string, string]): string[] {
  const unshare = entry === "root" ? ["unshare"] : asBrowser(...UNSHARE_USER);
  return [...unshare, "--net", "--", "perl", helper("network-namespace.pl"), ...listener];
}

function asBrowser(...command: string[]): string[] {
  return isRoot() ? [...changeUser(), "--", ...command] : command;
}

const changeUser = () => ["setpriv", `--reuid=${BROWSER_USER}`, `--regid=${BROWSER_USER}`, "--clear-groups"];

/** Runs `true` by a command that runs another one. Reports whether this works here. */
async function allows([program, ...args]: string[]): Promise<boolean> {
  const options = { cwd: "/", env: minimalEnvironment("/"), timeout: PROBE_TIMEOUT_MS };
  return promisify(execFile)(program!, [...args, "true"], options).then(
    () => true,
    () => false,
  );
}

function becomeBrowser(entry: Entry | undefined): string[] {
  return [
    "setpriv",
    "--no-new-privs",
    ...["--pdeathsig", "KILL"],
    ...(isRoot() && entry !== "user" ? changeUser().slice(1) : []),
    // Before the browser starts, drops the capabilities that created the namespace.
    ...(entry === "user" ? ["--inh-caps=-all", "--ambient-caps=-all"] : []),
    // oom_score_adj (proc(5)): when memory runs out, the kernel kills the browser before the service.
    ...["choom", "-n", "500", "--"],
    ...["prlimit", `--fsize=${FILE_BYTES}`, `--nofile=${OPEN_FILES}`, "--core=0", "--"],
  ];
}
