// `npm run bench:keys`: measures the cost of keys and traces. Sends the same requests to four services: the private
// variant, which counts nothing; the keyed variant without limits; the keyed variant with all limits; and the private
// variant with exported traces. On the host, also to the keyed variants with PostgreSQL. Compares all with the first.
// Rounds are interleaved: each round sends every request once. The CPU time of a service includes the work after its
// responses. CPU time depends less on other programs than elapsed time does.
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { putKeys } from "../scripts/keys/key-records.ts";
import { startContainer } from "../scripts/services/container-process.ts";
import { hashKey } from "../src/service/ports/api-key.ts";
import type { Limits } from "../src/service/ports/limiter.ts";
import { docx, paragraph } from "../test/fixtures/office.ts";
import { textPdf } from "../test/fixtures/pdfs.ts";
import { startCollector } from "../test/support/collector.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { type Service, type ServiceOptions, startService, type Target } from "../test/support/service.ts";
import { agent, exchange, median, multipart, row } from "./measuring/measure.ts";
import { processorMs } from "./measuring/processor-time.ts";

const ROUNDS = process.argv.includes("--quick") ? 50 : 200;
const WARM_UP_ROUNDS = 20;
/** Time after which the background work of earlier requests has ended. */
const SETTLED_MS = 2500;
const ALL_LIMITS: Limits = { requestsPerMinute: 1e8, concurrentJobs: 1e6, megabytesPerDay: 1e6 };
const TASKS = [
  { path: "/html", body: multipart({ output: "a", content: "<p>a" }, []) },
  { path: "/png", body: multipart({ output: "a", resolution: 150 }, [{ name: "a.pdf", bytes: await textPdf(1) }]) },
  { path: "/pdf", body: multipart({ output: "a" }, [{ name: "a.docx", bytes: docx({ body: paragraph("A page") }) }]) },
];

const container = await startContainer({ logFile: join(process.cwd(), ".wrangler/bench-container.log") });
await using collector = await startCollector();
await using postgres = await startPostgres();
const database = await postgres.createDatabase();
// Each host has files of its own, and so a database of its own.
const inDatabase = (url: string) => ({ DATABASE_URL: url });
/** The name is also the key. */
const WAYS: readonly { readonly name: string; readonly options: Omit<ServiceOptions, "target"> }[] = [
  { name: "private", options: { variant: "private" } },
  { name: "key", options: { variant: "keyed", apiKeys: ["key"] } },
  { name: "limits", options: { variant: "keyed", apiKeys: ["unused"] } },
  {
    name: "key-postgresql",
    options: { variant: "keyed", apiKeys: ["key-postgresql"], vars: inDatabase(await postgres.createDatabase()) },
  },
  { name: "limits-postgresql", options: { variant: "keyed", apiKeys: ["unused"], vars: inDatabase(database) } },
  { name: "traces", options: { variant: "private", vars: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } } },
];
try {
  for (const target of ["host", "wrangler"] as const) await compare(target);
} finally {
  agent.destroy();
  await container.stop();
}

async function compare(target: Target): Promise<void> {
  const services: Service[] = [];
  const ways = WAYS.filter(({ options }) => target === "host" || !options.vars?.DATABASE_URL);
  try {
    for (const { options } of ways) services.push(await startService({ ...options, target, container }));
    const { persistTo } = services[2]!;
    const record = { owner: "bench", created: new Date().toISOString(), revoked: null, limits: ALL_LIMITS };
    await putKeys(target === "host" ? { data: persistTo } : { persistTo }, [{ hash: hashKey("limits"), ...record }]);
    if (target === "host") await putKeys({ database }, [{ hash: hashKey("limits-postgresql"), ...record }]);
    console.log(`\n${target}: ms of ${ROUNDS} requests, load of the machine ${loadavg()[0]!.toFixed(1)}`);
    console.log(row(["", "median", "added", "processor", "added"]));
    for (const { path, body } of TASKS) {
      const times = services.map((): number[] => []);
      const spentMs = services.map(() => 0);
      for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
        if (round === 0) {
          await setTimeout(SETTLED_MS);
          for (const [at, service] of services.entries()) spentMs[at] = -processorMs([service.appPid()]);
        }
        for (const [at, { url }] of services.entries()) {
          const started = performance.now();
          await exchange(url + path, body, { "Api-Key": ways[at]!.name });
          if (round >= 0) times[at]!.push(performance.now() - started);
        }
        collector.spans.length = 0;
      }
      await setTimeout(SETTLED_MS);
      const medians = times.map(median);
      const spent = services.map((service, at) => (spentMs[at]! + processorMs([service.appPid()])) / ROUNDS);
      for (const [at, { name }] of ways.entries()) {
        const cells = [medians[at]!, medians[at]! - medians[0]!, spent[at]!, spent[at]! - spent[0]!];
        console.log(row([`${path} ${name}`, ...cells.map((ms) => ms.toFixed(2))]));
      }
    }
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}
