// `npm run bench:several-hosts`: measures what it costs that hosts share PostgreSQL and an S3 store. Compares the
// throughput of one, two and three hosts on the same processors; a client's response time while another one keeps all
// hosts busy; and the requests and jobs per second that one database carries. Rounds are interleaved.

import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import { PostgresLimiter } from "../host/storage/postgres/client-limits.ts";
import { Database } from "../host/storage/postgres/database.ts";
import { openPostgresJobs } from "../host/storage/postgres/job-database.ts";
import { migrate } from "../host/storage/postgres/migrations.ts";
import { putKeys } from "../scripts/keys/key-records.ts";
import { hashKey } from "../src/service/ports/api-key.ts";
import type { Limits } from "../src/service/ports/limiter.ts";
import { Cluster } from "../test/faults/hosts/cluster.ts";
import { textPdf } from "../test/fixtures/pdfs.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";

const ROUNDS = process.argv.includes("--quick") ? 2 : 6;
const ROUND_MS = 5000;
const CLIENTS = 6;
const HEAVY_CLIENTS = 24;
const LIMITS: Limits = { requestsPerMinute: 1e8, concurrentJobs: 1e6, megabytesPerDay: 1e6 };
/** Jobs at a time of each host, so that two processors have as many jobs with one host as with two. */
const CONCURRENCY = ["2", "1", "1"];

const page = multipart({ output: "a", resolution: 150 }, [{ name: "a.pdf", bytes: await textPdf(1) }]);
const pages = multipart({ output: "a", resolution: 150 }, [{ name: "a.pdf", bytes: await textPdf(50) }]);
const png = (url: string, key: string, body = page) => exchange(`${url}/png`, body, { "Api-Key": key });

console.log(`Load of the machine ${loadavg()[0]!.toFixed(1)}.`);
try {
  await compareHosts();
} finally {
  agent.destroy();
}
await measureDatabase();

async function compareHosts(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const clusters: Cluster[] = [];
  for (const [index, jobs] of CONCURRENCY.entries()) {
    const settings = { JOB_CONCURRENCY: jobs };
    const cluster = stack.use(await Cluster.start({ engines: Array(index + 1).fill("threads"), settings }));
    const record = { owner: "bench", created: new Date().toISOString(), revoked: null, limits: LIMITS };
    await putKeys(
      { database: cluster.database },
      ["one", "other"].map((key) => ({ hash: hashKey(key), ...record })),
    );
    clusters.push(cluster);
  }
  const rates = clusters.map((): number[] => []);
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at, { balancer }] of clusters.entries()) {
      const times = await repeated(() => png(balancer.url, "one"), { clients: CLIENTS });
      if (round >= 0) rates[at]!.push(times.length / (ROUND_MS / 1000));
    }
  }
  console.log(row(["hosts", "pages/s", "ratio to one host"]));
  for (const [at, rate] of rates.entries()) {
    const ratio = median(rate.map((one, round) => one / rates[0]![round]!));
    console.log(row([String(at + 1), median(rate).toFixed(1), ratio.toFixed(3)]));
  }
  const { url } = clusters[2]!.balancer;
  const alone = await repeated(() => png(url, "one"), { clients: 1 });
  let isOver = false;
  const heavy = Array.from({ length: HEAVY_CLIENTS }, async () => {
    while (!isOver) await png(url, "other", pages);
  });
  const beside = await repeated(() => png(url, "one"), { clients: 1, forMs: 4 * ROUND_MS });
  isOver = true;
  await Promise.all(heavy);
  const worst = beside.toSorted((a, b) => a - b).at(Math.floor(0.95 * beside.length))!;
  console.log(
    `A page over three hosts: ${median(alone).toFixed(0)} ms alone; ${median(beside).toFixed(0)} ms (95 %: ` +
      `${worst.toFixed(0)}) while another client sends 50 pages ${HEAVY_CLIENTS} times at once.`,
  );
}

/** @returns the time of each call, in milliseconds */
async function repeated(call: () => Promise<unknown>, { clients = 1, forMs = ROUND_MS }): Promise<number[]> {
  const until = performance.now() + forMs;
  const times: number[] = [];
  const client = async () => {
    for (let started = performance.now(); started < until; started = performance.now()) {
      await call();
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}

/** Measures the database without hosts: with two processors, they would be the bottleneck. */
async function measureDatabase(): Promise<void> {
  await using postgres = await startPostgres();
  const url = await postgres.createDatabase();
  await migrate(url);
  await using first = new Database(url, 8);
  await using second = new Database(url, 8);
  const limiters = [first, second].map((database) => new PostgresLimiter(database));
  let turn = 0;
  const request = async () => {
    const limiter = limiters[turn++ % 2]!;
    const client = `client ${turn % 50}`;
    const { lease } = await limiter.acquire(client, LIMITS, { isJob: true, bytes: 1000 });
    await limiter.release(client, lease, 1000);
  };
  const stores = [first, second].map((database) => openPostgresJobs(database, { lifetimeMs: 1000, maxQueued: 1e6 }));
  const job = async () => {
    const store = stores[turn++ % 2]!;
    const inputs = [randomUUID()];
    const marks = { id: randomUUID(), path: "/png", form: "{}", baseUrl: "http://a.test", client: `c${turn % 50}` };
    await store.enqueue({ ...marks, inputs, isTransient: false });
    const taken = await store.dequeue();
    if (taken) await store.complete(taken, "{}");
  };
  for (const [name, call] of Object.entries({ "requests with all limits": request, jobs: job })) {
    await repeated(call, { clients: 4, forMs: 1000 });
    const times = await repeated(call, { clients: 16 });
    console.log(`One database: ${(times.length / (ROUND_MS / 1000)).toFixed(0)} ${name} a second.`);
  }
}
