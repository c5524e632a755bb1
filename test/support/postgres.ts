// Starts a private PostgreSQL server of the Debian package, which stores nothing beyond the tests.

import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Command, freePort, processTree, run } from "./processes.ts";

const VERSIONS = "/usr/lib/postgresql";
/** User of the Debian package. PostgreSQL refuses to run as root. */
const USER = "postgres";
const STARTED_WITHIN_MS = 60_000;

export interface PostgresServer extends AsyncDisposable {
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /**
   * Stops the server, as an operator does: open transactions are rolled back, connections are closed.
   * @param signal SIGQUIT ends it at once, as a crash does. @default SIGINT
   */
  stop(signal?: "SIGINT" | "SIGQUIT"): Promise<void>;
  /** Starts the server again, on the same port. */
  start(): Promise<void>;
  /** Stops or continues all processes of the server, as if its machine or network were frozen. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
}

/** Returns the folder of the newest version's programs; undefined if none is installed. */
function programs(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).filter((name) => /^\d+$/.test(name)) : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  return newest && join(VERSIONS, newest, "bin");
}

/** Returns the reason why the server cannot start on this machine, or undefined if it can. */
export const missingPostgres = (): string | undefined =>
  programs() === undefined ? `PostgreSQL is not in ${VERSIONS}. \`npm test\` installs it.` : undefined;

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "postgres-"));
  const isRoot = process.getuid?.() === 0;
  const idOf = (option: string) => Number(execFileSync("id", [option, USER], { encoding: "utf8" }));
  if (isRoot) chownSync(folder, idOf("-u"), idOf("-g"));
  const identity = isRoot ? ["--reuid", USER, "--regid", USER, "--clear-groups"] : [];
  const data = join(folder, "data");
  const program = (name: string) => [...identity, join(programs()!, name)];
  execFileSync("setpriv", [...program("initdb"), "-D", data, "-U", "tests", "-A", "trust", "--no-sync", "-E", "UTF8"]);
  const port = await freePort();
  const url = (name: string) => `postgres://tests@127.0.0.1:${port}/${name}`;
  const settings = ["fsync=off", "max_connections=200", "listen_addresses=127.0.0.1", `port=${port}`];
  const options = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => ["-c", setting]);
  let server: Command | undefined;
  const failure = async () => {
    const client = new pg.Client(url("postgres"));
    client.on("error", () => {});
    const error = await client.connect().then(
      () => undefined,
      (error: Error) => error,
    );
    await client.end();
    return error;
  };
  const start = async () => {
    // The server ends with the process that runs the tests.
    server = run("setpriv", ["--pdeathsig", "INT", ...program("postgres"), "-D", data, ...options]);
    const started = performance.now();
    for (let error = await failure(); error; error = await failure()) {
      if (performance.now() - started < STARTED_WITHIN_MS) await sleep(50);
      else throw new Error(`PostgreSQL does not answer:\n${server.output()}`, { cause: error });
    }
  };
  const stop = async (signal: NodeJS.Signals = "SIGINT") => {
    server?.child.kill(signal);
    await server?.ended;
  };
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processTree(server!.pid)) {
      try {
        process.kill(pid, name);
      } catch {
        // It has just ended.
      }
    }
  };
  await start();
  return {
    start,
    stop,
    signal,
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      const client = new pg.Client(url("postgres"));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return url(name);
    },
    async [Symbol.asyncDispose]() {
      signal("SIGCONT");
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
