// Tests deploy/haproxy.cfg with HAProxy in front of two hosts, which share an S3 store and the databases of one folder:
// hosts that stop, die and come back under load, bodies that arrive in parts, event streams and resumable uploads.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../../scripts/services/wrangler.ts";
import { eventually } from "../../support/eventually.ts";
import { type HostServer, startHost } from "../../support/host-server.ts";
import { type Command, freePort, run } from "../../support/processes.ts";
import { missingS3Server, type S3Server, startS3Server } from "../../support/s3-server.ts";

const missing = await missingS3Server();
if (missing) console.log(missing);
const CLIENTS = 6;

let folder: string;
let store: S3Server;
let balancer: Command;
let url: string;
let ports: readonly number[];
const hosts: (HostServer | undefined)[] = [];

beforeAll(async () => {
  if (missing) return;
  folder = await mkdtemp(join(tmpdir(), "balancer-"));
  store = await startS3Server();
  ports = [await freePort(), await freePort()];
  // The first host makes the databases.
  await start(0);
  await start(1);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const settings = await readFile(join(root, "deploy/haproxy.cfg"), "utf8");
  const file = join(folder, "haproxy.cfg");
  const address = (_: string, number: string) => `127.0.0.1:${ports[Number(number) - 1]}`;
  await writeFile(file, settings.replace(/host-(\d):8787/g, address).replace("bind :8787", `bind 127.0.0.1:${port}`));
  balancer = run("haproxy", ["-db", "-f", file]);
  await eventually(async () => expect((await fetch(`${url}/ready`)).status, balancer.output()).toBe(200));
});
afterAll(async () => {
  if (missing) return;
  balancer?.child.kill("SIGKILL");
  await Promise.all(hosts.map((host) => host?.kill()));
  await store?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function start(number: number): Promise<void> {
  const { endpoint, bucket, accessKeyId, secretAccessKey } = store.settings;
  hosts[number] = await startHost({
    dataFolder: join(folder, "data"),
    logFile: join(folder, `host-${number}.log`),
    settings: {
      ...{ ENGINES: "off", PORT: String(ports[number]), TRUSTED_PROXIES: "1", SHUTDOWN_DELAY_SECONDS: "5" },
      ...{
        S3_ENDPOINT: endpoint,
        S3_BUCKET: bucket,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
      },
    },
  });
}

/** Number of requests that a host has answered, by its log. */
const answered = (number: number) =>
  readFileSync(join(folder, `host-${number}.log`), "utf8").split('"path":"/html"').length - 1;

/** Stores a text and reads it again, each by a request that any host can get. @throws Error unless it is the same */
async function roundTrip(text: string): Promise<void> {
  const body = new FormData();
  body.append("output", "page");
  body.append("content", text);
  const stored = await fetch(`${url}/html`, { method: "POST", body });
  if (stored.status !== 200) throw new Error(`POST: ${stored.status} ${await stored.text()}`);
  const { outputUrl } = (await stored.json()) as { readonly outputUrl: string };
  if (!outputUrl.startsWith(`${url}/`))
    throw new Error(`The host has another name than the client knows: ${outputUrl}`);
  const read = await fetch(outputUrl);
  if (read.status !== 200 || (await read.text()) !== text) throw new Error(`GET: ${read.status}`);
}

/** Sends requests while something happens. @returns the number of requests, and what failed */
async function underLoad(happens: () => Promise<void>): Promise<{ done: number; failures: string[] }> {
  const failures: string[] = [];
  let done = 0;
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let count = 0; !isOver; count++) {
      await roundTrip(`<p>${client}/${count}`).catch((error) => failures.push(`${error} ${error.cause ?? ""}`));
      done++;
    }
  });
  await happens().finally(() => {
    isOver = true;
  });
  await Promise.all(clients);
  return { done, failures };
}

const isReady = (number: number) =>
  eventually(async () => expect((await fetch(`http://127.0.0.1:${ports[number]}/ready`)).status).toBe(200));

test.skipIf(missing)("hosts that stop and start again, one after the other, cost no request", async () => {
  const before = [answered(0), answered(1)];
  const { done, failures } = await underLoad(async () => {
    for (const number of [0, 1]) {
      const stopped = hosts[number]!.stop();
      await sleep(1000);
      const ending = await fetch(`http://127.0.0.1:${ports[number]}/ready`);
      expect([ending.status, ending.headers.get("connection")]).toEqual([503, "close"]);
      expect(((await ending.json()) as { readonly reasons: string[] }).reasons).toEqual([
        "The service is shutting down.",
      ]);
      await stopped;
      await start(number);
      await isReady(number);
      await sleep(2000);
    }
  });
  expect(failures).toEqual([]);
  expect(done).toBeGreaterThan(50);
  for (const number of [0, 1]) expect(answered(number) - before[number]!).toBeGreaterThan(done / 10);
});

test.skipIf(missing)("a host that is killed costs only the requests that it runs", async () => {
  const { done, failures } = await underLoad(async () => {
    await sleep(1000);
    await hosts[0]!.kill();
    await sleep(4000);
  });
  await start(0);
  await isReady(0);
  expect(failures.length).toBeLessThanOrEqual(CLIENTS);
  // HAProxy closes a client's connection, instead of responding, if the client can have expected that.
  for (const failure of failures) expect(failure).toMatch(/502|socket|closed|ECONNRESET/i);
  expect(done).toBeGreaterThan(30);
});

test.skipIf(missing)("bodies, event streams and parts of uploads pass through as they arrive", async () => {
  // The host rejects the path before the body has ended: it has got the headers without the body.
  const upload = request(`${url}/no-such-path`, { method: "POST", headers: { "Transfer-Encoding": "chunked" } });
  upload.on("error", () => {});
  upload.write(Buffer.alloc(100_000));
  const [rejected] = await once(upload, "response");
  expect(rejected.statusCode).toBe(404);
  upload.destroy();

  const body = JSON.stringify({ content: "<p>later", output: "page" });
  const headers = { "Content-Type": "application/json", Prefer: "respond-async" };
  const accepted = await fetch(`${url}/html`, { method: "POST", headers, body });
  const { requestId } = (await accepted.json()) as { readonly requestId: string };
  const events = await fetch(`${url}/request-status/${requestId}`, { headers: { Accept: "text/event-stream" } });
  expect(events.headers.get("content-type")).toContain("text/event-stream");
  expect(await events.text()).toMatch(/event: status[\s\S]*"status":"completed"/);

  const tus = { "Tus-Resumable": "1.0.0" };
  const bytes = randomBytes(300_000);
  const created = await fetch(`${url}/upload/tus`, { method: "POST", headers: { ...tus, "Upload-Length": "300000" } });
  const location = created.headers.get("Location")!;
  expect(location).toContain(`${url}/`);
  for (const offset of [0, 100_000, 200_000]) {
    const type = { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) };
    const part = bytes.subarray(offset, offset + 100_000);
    expect((await fetch(location, { method: "PATCH", headers: { ...tus, ...type }, body: part })).status).toBe(204);
  }
  const read = await fetch(`${url}/resource/${location.split("/").at(-1)}?format=file`);
  expect(bytes.equals(Buffer.from(await read.arrayBuffer()))).toBe(true);
});
