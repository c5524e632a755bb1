// Three hosts behind a balancer, with one PostgreSQL server and one S3 store, and faults of each.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Balancer, startBalancer } from "../../support/balancer.ts";
import { type BreakingProxy, startBreakingProxy } from "../../support/breaking-proxy.ts";
import { type HostServer, startHost } from "../../support/host-server.ts";
import { missingPostgres, type PostgresServer, startPostgres } from "../../support/postgres.ts";
import { processTree } from "../../support/processes.ts";
import { missingS3Server, type S3Server, startS3Server } from "../../support/s3-server.ts";
import type { Random } from "../statistics.ts";

/** Time after which the balancer notices that a host is frozen. */
const NOTICED_AFTER_MS = 2000;
/** Mean number of bytes to the database between two broken connections. */
const CUT_EVERY_BYTES = 60_000;

export interface Fault {
  readonly what: "kill" | "freeze" | "fast" | "immediate";
  /** Port of the host, or of the database. */
  readonly port: number;
  /** Times in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

export interface ClusterOptions {
  /** ENGINES of each host. */
  readonly engines: readonly string[];
  /** If given, a proxy breaks connections to the database at random. */
  readonly cuts?: Random | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

/** Returns the reason why the hosts cannot start on this machine, or undefined if they can. */
export const missingForHosts = async () => missingPostgres() ?? (await missingS3Server());

const portOf = (url: string) => Number(new URL(url).port);

export class Cluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #hosts: HostServer[] = [];
  readonly #postgres: PostgresServer;
  readonly #options: ClusterOptions;
  readonly #stack: AsyncDisposableStack;
  readonly files: S3Server;
  readonly balancer: Balancer;
  /** URL of the database, without the proxy. */
  readonly database: string;
  readonly proxy: BreakingProxy | undefined;
  readonly faults: Fault[] = [];
  private keepsLogs = false;

  private constructor(parts: Pick<Cluster, "files" | "balancer" | "database" | "proxy">, own: Parts) {
    ({ files: this.files, balancer: this.balancer, database: this.database, proxy: this.proxy } = parts);
    [this.#folder, this.#postgres, this.#options, this.#stack] = [own.folder, own.postgres, own.options, own.stack];
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), "hosts-"));
    let cluster: Cluster | undefined;
    stack.defer(() => (cluster?.keepsLogs ? undefined : rm(folder, { recursive: true, force: true, maxRetries: 3 })));
    const postgres = stack.use(await startPostgres());
    const files = stack.use(await startS3Server());
    const balancer = stack.use(await startBalancer());
    const database = await postgres.createDatabase();
    const { cuts } = options;
    const proxy = cuts && stack.use(await startBreakingProxy(portOf(database), cutsOf(cuts), () => cuts.next() < 0.5));
    const own = { folder, postgres, options, stack: stack.move() };
    cluster = new Cluster({ files, balancer, database, proxy }, own);
    try {
      for (const at of options.engines.keys()) await cluster.#start(at);
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.kill()));
    await this.#stack.disposeAsync();
  }

  /** Keeps the logs of the hosts after the end. @returns their folder */
  keepLogs(): string {
    this.keepsLogs = true;
    return this.#folder;
  }

  /** Kills a host, and starts another in its place. */
  async kill(at: number): Promise<void> {
    const host = this.#hosts[at]!;
    const from = Date.now();
    await host.kill();
    this.balancer.ports.delete(portOf(host.url));
    await this.#start(at);
    this.#note("kill", portOf(host.url), from);
  }

  /** Stops all processes of a host for a time. */
  async freeze(at: number, ms: number): Promise<void> {
    const { pid, url } = this.#hosts[at]!;
    const from = Date.now();
    const pids = processTree(pid);
    signalAll(pids, "SIGSTOP");
    await sleep(NOTICED_AFTER_MS);
    this.balancer.ports.delete(portOf(url));
    await sleep(ms - NOTICED_AFTER_MS);
    signalAll(pids, "SIGCONT");
    this.balancer.ports.add(portOf(url));
    this.#note("freeze", portOf(url), from);
  }

  async restartDatabase(what: "fast" | "immediate"): Promise<void> {
    const from = Date.now();
    await this.#postgres.stop(what === "fast" ? "SIGINT" : "SIGQUIT");
    await sleep(1000);
    await this.#postgres.start();
    this.#note(what, portOf(this.database), from);
  }

  /** Stops all hosts, and starts one whose files have expired. */
  async expire(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.stop()));
    await sleep(1000);
    this.#hosts.splice(1);
    await this.#start(0, { FILE_LIFETIME_HOURS: "0.0001" });
  }

  async #start(at: number, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const { endpoint, bucket, accessKeyId, secretAccessKey } = this.files.settings;
    const url = new URL(this.database);
    if (this.proxy) url.port = new URL(this.proxy.url).port;
    this.#hosts[at] = await startHost({
      dataFolder: join(this.#folder, `host-${at}`),
      logFile: join(this.#folder, `host-${at}.log`),
      settings: {
        ...{ VARIANT: "keyed", ENGINES: this.#options.engines[at]!, DATABASE_URL: url.href },
        ...{ FORM_SECRET: "the same secret on each host", S3_ENDPOINT: endpoint, S3_BUCKET: bucket },
        ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
        ...this.#options.settings,
        ...more,
      },
    });
    this.balancer.ports.add(portOf(this.#hosts[at].url));
  }

  #note(what: Fault["what"], port: number, from: number): void {
    this.faults.push({ what, port, from, until: Date.now() });
  }
}

interface Parts {
  readonly folder: string;
  readonly postgres: PostgresServer;
  readonly options: ClusterOptions;
  readonly stack: AsyncDisposableStack;
}

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has just ended.
    }
  }
}

/** Returns ascending numbers of bytes, more than any run needs. */
function cutsOf(random: Random): number[] {
  let sum = 0;
  return Array.from({ length: 20_000 }, () => {
    sum += Math.ceil(random.next() * 2 * CUT_EVERY_BYTES);
    return sum;
  });
}
