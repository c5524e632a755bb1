// Sends mixed requests to three hosts while hosts, their database and its connections fail; then checks that every
// accepted request has one answer, whole files, messages, exact limits and usage. `--requests` 2000, `--clients` 8,
// `--restarts` 10 of the database, `--freeze-ms` 35000; `--only cut` also breaks connections to the database.

import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { putKeys } from "../../../scripts/keys/key-records.ts";
import { hashKey } from "../../../src/service/ports/api-key.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { type Site, startSite } from "../../support/web.ts";
import { Random, seedOf } from "../statistics.ts";
import type { FaultOptions, Verdict } from "../suite.ts";
import { Cluster, type Fault, missingForHosts } from "./cluster.ts";
import { type Accepted, addResult, LIMITED, PLAIN, Traffic, UPLOADS } from "./traffic.ts";
import * as verification from "./verification.ts";

/** Only hosts with a browser accept webhooks. */
const ENGINES = ["chromium,threads", "threads", "chromium,threads"];

export async function run(options: FaultOptions): Promise<Verdict> {
  const missing = await missingForHosts();
  if (missing) return { ok: false, line: missing };
  const random = new Random(seedOf(options.seed, "hosts"));
  const messages = new Map<string, verification.Message[]>();
  await using receiver = await startReceiver(messages);
  await using cluster = await Cluster.start({
    engines: ENGINES,
    cuts: options.only.includes("cut") ? new Random(seedOf(options.seed, "cuts")) : undefined,
    settings: { URL_ALLOW: `127.0.0.1:${receiver.port}` },
  });
  await putKeys({ database: cluster.database }, [
    keyOf(PLAIN, { webhookSecrets: [{ secret: `whsec_${randomBytes(32).toString("base64")}` }] }),
    keyOf(LIMITED, { limits: { requestsPerMinute: verification.PER_MINUTE } }),
    keyOf(UPLOADS, {}),
  ]);
  const requests = options.count("requests", 2000);
  const traffic = new Traffic(cluster.balancer.url, `${receiver.url}/`, random, await textPdf(1));
  await Promise.all([
    traffic.run(requests, options.count("clients", 8), options.count("pause-ms", 0)),
    breakThings(cluster, random, options, () => traffic.done >= requests),
  ]);
  return await judged(cluster, traffic, messages);
}

/** Restarts the database, kills and freezes hosts, one after the other, at least once each. */
async function breakThings(cluster: Cluster, random: Random, options: FaultOptions, isOver: () => boolean) {
  const restarts = options.count("restarts", 10);
  for (let count = 0; count < restarts && (count === 0 || !isOver()); count++) {
    await sleep(1000 + 3000 * random.next());
    const frozen = cluster.freeze(count % 3, options.count("freeze-ms", 35_000));
    await sleep(3000 + 3000 * random.next());
    await cluster.kill((count + 1) % 3);
    await sleep(2000 + 3000 * random.next());
    await cluster.restartDatabase(count % 2 === 0 ? "immediate" : "fast");
    await frozen;
  }
}

async function judged(
  cluster: Cluster,
  traffic: Traffic,
  messages: ReadonlyMap<string, readonly verification.Message[]>,
): Promise<Verdict> {
  const { accepted, successes, broken } = traffic;
  console.log(`  ${traffic.done} requests are answered; waiting for the jobs`);
  await traffic.jobs();
  const ids = accepted.flatMap((entry) => [...entry.ids]);
  const { balancer, faults } = cluster;
  const wrong = [
    ...traffic.complaints,
    ...(await verification.wrongAnswers(balancer.url, accepted)),
    ...(await verification.wrongObjects(cluster, ids, broken)),
    ...(await verification.wrongMessages(accepted, messages)),
    ...verification.wronglyBroken(broken, faults),
    ...verification.exceededLimits(successes, faults),
    ...(await verification.wrongUsage(cluster, traffic)),
    ...(await leftAfterExpiry(cluster)),
  ];
  const sent = [...messages.values()].reduce((sum, list) => sum + list.length, 0);
  const jobs = accepted.reduce((sum, entry) => sum + entry.jobs.size, 0);
  const figures =
    `${traffic.done} requests: ${[...traffic.statuses].map(([status, count]) => `${count} × ${status}`).join(", ")}, ` +
    `${broken.length} without; ${ids.length} files, ${jobs} jobs with ${sent} messages; ${namesOf(faults)}, ` +
    `${cluster.proxy?.broken ?? 0} cuts`;
  const shown =
    wrong.length > 0
      ? `; ${wrong.length} not as required (logs: ${cluster.keepLogs()}): ${wrong.slice(0, 12).join("; ")}`
      : "";
  return { ok: wrong.length === 0, line: figures + shown };
}

const namesOf = (faults: readonly Fault[]) =>
  [...Map.groupBy(faults, ({ what }) => what)].map(([what, { length }]) => `${length} × ${what}`).join(", ");

async function leftAfterExpiry(cluster: Cluster): Promise<string[]> {
  await cluster.expire();
  for (let tries = 0; tries < 60; tries++) {
    const left = await verification.objectsIn(cluster.files.settings);
    if (left.length === 0) return [];
    await sleep(500);
  }
  const left = await verification.objectsIn(cluster.files.settings);
  return [`${left.length} objects are left after they expired, for example ${left[0]!.key}`];
}

function startReceiver(messages: Map<string, verification.Message[]>): Promise<Site> {
  return startSite(async (request, response) => {
    const body = JSON.parse(await text(request)) as { readonly data: Readonly<Record<string, unknown>> };
    const id = String(request.headers["webhook-id"]);
    const entry: Accepted = { kind: "async", results: new Set(), jobs: new Set(), ids: new Set() };
    addResult(entry, body.data);
    messages.set(id, [...(messages.get(id) ?? []), { result: [...entry.results][0]!, at: Date.now() }]);
    response.writeHead(204).end();
  });
}

const keyOf = (key: string, settings: object) => ({
  ...{ hash: hashKey(key), owner: "tests", created: "2026-01-01T00:00:00.000Z", revoked: null },
  ...settings,
});
