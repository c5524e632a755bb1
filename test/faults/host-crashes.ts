// Kills the host on Node at random moments under mixed load, and restarts it. Every file whose response was sent must
// exist and be complete. After the lifetime, no file may remain, whether its request got a response or not. `--rounds`
// 100, `--clients` 4.

import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startContainer } from "../../scripts/services/container-process.ts";
import { type HostServer, startHost } from "../support/host-server.ts";
import { archiveOf, LIMIT_MS, type Sample } from "./sample.ts";
import { smallSamples } from "./service-samples.ts";
import { Random, seedOf, Tally } from "./statistics.ts";
import type { Run } from "./suite.ts";
import { formOf } from "./transports.ts";

const EARLIEST_MS = 300;
const LATEST_MS = 4_000;
const KEY = "a key of the crashes";
/** A lifetime so short that files have expired when the host starts again and sweeps. */
const SHORT_LIFETIME = { FILE_LIFETIME_HOURS: "0.0001" };
const SWEPT_WITHIN_MS = 20_000;

export const run: Run = async (options) => {
  const rounds = options.count("rounds", 100);
  const clients = options.count("clients", 4);
  const random = new Random(seedOf(options.seed, "host"));
  const folder = await mkdtemp(join(tmpdir(), "host-crashes-"));
  const container = await startContainer({ logFile: join(folder, "container.log") });
  const crashes = new Crashes(folder, container.vars, [...(await smallSamples()), LARGE, LARGE]);
  try {
    for (let round = 1; round <= rounds; round++) {
      await crashes.round(clients, EARLIEST_MS + random.next() * (LATEST_MS - EARLIEST_MS), random);
      if (round % 10 === 0) console.log(`  ${round} rounds: ${crashes.line}`);
    }
    await crashes.end();
    return { ok: crashes.complaints.total === 0 && crashes.answered > 0, line: `${rounds} kills, ${crashes.line}` };
  } finally {
    await crashes.stop();
    await container.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** A request with its response, and the IDs of the files that it stored. */
interface Answered {
  readonly sample: Sample;
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
}

/** A sample whose files are stored in parts. */
const LARGE: Sample = {
  name: "/zip of 12 MB",
  engine: "edge",
  path: "/zip",
  fields: { output: "made" },
  files: [{ name: "random.bin", bytes: randomBytes(12e6) }],
  check: archiveOf(1),
};

class Crashes {
  readonly #folder: string;
  readonly #vars: Readonly<Record<string, string>>;
  readonly #samples: readonly Sample[];
  readonly complaints = new Tally();
  answered = 0;
  #files = 0;
  #cutOff = 0;
  #host: HostServer | undefined;

  constructor(folder: string, vars: Readonly<Record<string, string>>, samples: readonly Sample[]) {
    this.#folder = folder;
    this.#vars = vars;
    this.#samples = samples;
  }

  get line(): string {
    return (
      `${this.answered} answers with ${this.#files} files, ${this.#cutOff} requests cut off; ` +
      `not as required: ${this.complaints.text(12)}`
    );
  }

  /** Runs load on the host, kills it, and compares the files of the restarted host with the responses. */
  async round(clients: number, afterMs: number, random: Random): Promise<void> {
    const host = await this.#start();
    const over = new AbortController();
    const answers: Answered[] = [];
    const load = Array.from({ length: clients }, async () => {
      while (!over.signal.aborted) {
        const sent = await this.#send(host.url, random.pick(this.#samples));
        if (sent) answers.push(sent);
        else await sleep(50);
      }
    });
    await sleep(afterMs);
    over.abort();
    await host.kill();
    await Promise.all(load);
    this.#host = undefined;
    const next = await this.#start();
    for (const sent of answers) await this.#verify(next.url, sent);
    await this.#verifyAll(next.url);
  }

  /** Starts a host whose sweep deletes all files. */
  async end(): Promise<void> {
    await this.stop();
    await sleep(1_000);
    await this.#start(SHORT_LIFETIME);
    const until = performance.now() + SWEPT_WITHIN_MS;
    let left = await this.#filesIn("objects");
    while (left.length > 0 && performance.now() < until) {
      await sleep(200);
      left = await this.#filesIn("objects");
    }
    if (left.length > 0) this.complaints.add("left after the sweep", left.length);
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
    this.#host = undefined;
  }

  async #start(more: Readonly<Record<string, string>> = {}): Promise<HostServer> {
    this.#host ??= await startHost({
      dataFolder: join(this.#folder, "data"),
      logFile: join(this.#folder, "host.log"),
      settings: { VARIANT: "keyed", API_KEYS: KEY, ...this.#vars, ...more },
    });
    return this.#host;
  }

  /** @returns undefined if the connection was cut off */
  async #send(url: string, sample: Sample): Promise<Answered | undefined> {
    const response = await fetch(url + sample.path, {
      method: "POST",
      body: formOf(sample),
      headers: { "Api-Key": KEY },
      signal: AbortSignal.timeout(LIMIT_MS[sample.engine]),
    }).catch(() => undefined);
    const body = (await response?.json().catch(() => undefined)) as Record<string, string | string[]> | undefined;
    if (!response || !body) {
      this.#cutOff++;
      return undefined;
    }
    if (response.status !== 200) return undefined;
    this.answered++;
    return { sample, outputs: [body.outputId ?? []].flat(), inputs: [body.inputId ?? []].flat() };
  }

  /** Compares the files of a response with the expected files. */
  async #verify(url: string, { sample, outputs, inputs }: Answered): Promise<void> {
    const made = await Promise.all(outputs.map((id) => this.#read(url, id)));
    const kept = await Promise.all(inputs.map((id) => this.#read(url, id)));
    this.#files += made.length + kept.length;
    if ([...made, ...kept].some((bytes) => bytes === undefined))
      return this.complaints.add(`${sample.name}: not whole`);
    const complaint = await sample.check(made as Uint8Array[]).catch((error: unknown) => String(error));
    if (complaint) this.complaints.add(`${sample.name}: ${complaint}`);
    const sent = sample.files.filter(({ field }) => field === undefined);
    const isSame = kept.every((bytes, place) => Buffer.compare(bytes!, sent[place]!.bytes) === 0);
    if (!isSame) this.complaints.add(`${sample.name}: another input`);
  }

  /** Files of requests that were cut off can exist until their lifetime ends, but must be complete. */
  async #verifyAll(url: string): Promise<void> {
    const unfinished = [...(await this.#filesIn("writing")), ...(await this.#filesIn("unfinished"))];
    if (unfinished.length > 0) this.complaints.add("left half written", unfinished.length);
    for (const id of await this.#filesIn("objects/files")) {
      if (!(await this.#read(url, id))) this.complaints.add("a file that is not whole");
    }
  }

  /** @returns undefined if the file does not exist or has the wrong size */
  async #read(url: string, id: string): Promise<Uint8Array | undefined> {
    const response = await fetch(`${url}/resource/${id}?format=file`);
    const bytes = await response.bytes().catch(() => undefined);
    const length = Number(response.headers.get("Content-Length"));
    return response.status === 200 && bytes?.length === length ? bytes : undefined;
  }

  async #filesIn(name: string): Promise<string[]> {
    const folder = join(this.#folder, "data", name);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }
}
