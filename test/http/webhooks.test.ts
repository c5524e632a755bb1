// Tests webhooks over HTTP: messages are signed, retried, and never sent to a private address.
// Contract: docs/api.md#webhooks, #webhooks-on-your-own-machine
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { putKeys } from "../../scripts/keys/key-records.ts";
import { serviceRecord, withSecret } from "../../scripts/keys/signing-secrets.ts";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { hashOfId } from "../../src/runtime/log-line.ts";
import type { KeyRecord } from "../../src/service/ports/api-key.ts";
import { beginning } from "../support/beginning.ts";
import { eventually } from "../support/eventually.ts";
import { giveKeys } from "../support/keyed-service.ts";
import { attackersDns, furtherAddresses, privateAddresses } from "../support/private-addresses.ts";
import { freePort } from "../support/processes.ts";
import { type MortalService, startMortalService } from "../support/restartable-service.ts";
import { targetOf } from "../support/service.ts";
import { type Ear, openEar, type Site, startDns, startSite } from "../support/web.ts";

type Headers = Readonly<Record<string, string>>;

/** A message as the receiver gets it. */
interface Received {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

const folder = mkdtempSync(join(tmpdir(), "webhooks-test-"));
/** Received messages by path. */
const received = new Map<string, Received[]>();
/** Statuses of the receiver's responses, by the first part of the path. The last status of a list is repeated. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  failing: [500, 503, 200],
  redirecting: [307],
  gone: [410],
  canceled: [500],
};
let site: Site;
let ear: Ear;
let dns: Awaited<ReturnType<typeof startDns>>;
let container: ContainerProcess;
let service: MortalService;
const secrets = { new: "", old: "" };
let lookups = 0;
/** Port of the receiver in the reference's example. */
let receiverPort = 0;

beforeAll(async () => {
  ear = await openEar();
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const all = received.get(path) ?? [];
      received.set(path, [
        ...all,
        { method: String(request.method), headers: request.headers as Record<string, string>, body },
      ]);
      const kind = path.split("/")[1]!;
      if (kind === "slow") return;
      const statuses = STATUSES[kind] ?? [204];
      response.writeHead(statuses[Math.min(all.length, statuses.length - 1)]!, { Location: "/target" });
      response.end(kind === "endless" ? "x".repeat(2 ** 20) : "");
    });
  });
  dns = await startDns((name) => {
    if (name !== "rebinding.attack.net") return attackersDns(name);
    lookups++;
    // The first lookup, which has two queries, returns a public address; later lookups return a private one.
    return lookups <= 2 ? ["93.184.216.34"] : ["127.0.0.1"];
  });
  receiverPort = await freePort();
  const allowed = [site.port, receiverPort].map((port) => `127.0.0.1:${port}`).join();
  const env = { ENGINES: "chromium,threads", URL_ALLOW: allowed, URL_DNS: dns.address };
  container = await startContainer({ logFile: join(folder, "container.log"), env });
  service = await startMortalService(folder, container.vars);
  const storage = join(folder, "storage");
  const namespace = targetOf(process.env) === "host" ? { data: storage } : { persistTo: storage };
  const first = withSecret(await serviceRecord(namespace), { isRotated: false });
  const rotated = withSecret(first, { isRotated: true });
  await putKeys(namespace, [rotated]);
  [secrets.new, secrets.old] = rotated.webhookSecrets!.map(({ secret }) => secret) as [string, string];
}, 600_000);
afterAll(async () => {
  await service?.stop();
  await container?.stop();
  for (const started of [site, ear, dns]) await started?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const NO_RECORD: KeyRecord = { owner: "", created: "", revoked: null };
const ASYNC = { Prefer: "respond-async" };
const at = (path: string) => `${site.url}${path}`;

function post(
  webhook: string | undefined,
  { headers = {} as Headers, path = "/zip", text = "text", base = service.url } = {},
) {
  const form = new FormData();
  form.append("file", new File([text], "a.txt"));
  if (path !== "/upload") form.append("output", "made");
  const all = { ...ASYNC, ...(webhook === undefined ? {} : { "Webhook-Url": webhook }), ...headers };
  return fetch(base + path, { method: "POST", body: form, headers: all });
}
async function submit(webhook: string, options = {}): Promise<string> {
  const response = await post(webhook, options);
  const body = (await response.json()) as { requestId: string };
  expect([response.status, body]).toEqual([202, { requestId: expect.any(String) }]);
  return body.requestId;
}
async function refusal(webhook: string | undefined, options = {}): Promise<readonly [number, unknown]> {
  const response = await post(webhook, options);
  return [response.status, ((await response.json()) as { error: unknown }).error];
}
const arrivals = (path: string, count = 1) =>
  eventually(() => {
    const all = received.get(path) ?? [];
    expect(all.length).toBeGreaterThanOrEqual(count);
    return all;
  });
const statusOf = async (id: string) => (await fetch(`${service.url}/request-status/${id}`)).json();
const verified = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, { ...headers });

describe("a message", () => {
  test("has the answer of the job, and a signature that the reference library accepts", async () => {
    const id = await submit(at("/completed?x=1"));
    const [message] = await arrivals("/completed?x=1");
    expect(message).toMatchObject({
      method: "POST",
      headers: { "content-type": "application/json", "webhook-id": id },
    });
    expect(verified(secrets.new, message!)).toEqual({
      type: "job.completed",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { requestId: id, ...((await statusOf(id)) as object) },
    });
    const forged = { ...message!, body: message!.body.replace("completed", "failed") };
    expect(() => verified(secrets.new, forged)).toThrow("No matching signature");
    // For a day after a rotation, the previous secret signs too.
    expect(verified(secrets.old, message!)).toEqual(verified(secrets.new, message!));
    const [another] = withSecret(NO_RECORD, { isRotated: false }).webhookSecrets!;
    expect(() => verified(another!.secret, message!)).toThrow("No matching signature");
  });

  test("tells that a job failed", async () => {
    const id = await submit(at("/failed"), { path: "/split-pdf", text: "%PDF-1.7\nbut nothing else" });
    const [message] = await arrivals("/failed");
    const data = { requestId: id, ...((await statusOf(id)) as object) };
    expect(verified(secrets.new, message!)).toMatchObject({ type: "job.failed", data });
    expect(data).toMatchObject({ status: "failed", errorStatus: 400 });
  });

  test("follows /upload, too", async () => {
    const id = await submit(at("/uploaded"), { path: "/upload" });
    const [message] = await arrivals("/uploaded");
    expect(verified(secrets.new, message!)).toMatchObject({ data: { requestId: id, files: [{ name: "a.txt" }] } });
  });
});

test("the receiver and the request of the reference run as written, but for ports and the operation", async () => {
  const reference = await (await fetch(`${service.url}/docs.md`)).text();
  const [, section = ""] = /^### Webhooks on your own machine$([\s\S]*?)^### /m.exec(reference) ?? [];
  const codeIn = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m")
      .exec(section)![1]!
      .replaceAll("9000", String(receiverPort));
  const env = { ...process.env, SECRET: secrets.new };
  // Run in the project's folder, where Node finds the package.
  const receiver = spawn(process.execPath, ["--input-type=module", "-e", codeIn("js")], { env });
  try {
    let said = "";
    for (const stream of [receiver.stdout, receiver.stderr]) {
      stream.on("data", (chunk) => {
        said += chunk;
      });
    }
    await eventually(async () => {
      expect((await fetch(`http://127.0.0.1:${receiverPort}/`, { method: "POST" })).status).toBe(400);
    });
    await writeFile(join(folder, "report.pdf"), "any file");
    const command = codeIn("sh").replace("/png", "/zip");
    const { stdout } = await promisify(execFile)("sh", ["-ec", command], { cwd: folder });
    const { requestId } = JSON.parse(stdout) as { requestId: string };
    await eventually(() => {
      expect(said).toContain(requestId);
      expect(said).toContain("type: 'job.completed'");
    });
  } finally {
    receiver.kill();
  }
});

describe("a receiver", () => {
  test("that is slow, fails, redirects, is gone or answers at length", async () => {
    // No other job is submitted before, so that this one is canceled before its second attempt.
    const canceled = await submit(at("/canceled/a"));
    await arrivals("/canceled/a");
    const deleted = await fetch(`${service.url}/request-status/${canceled}`, { method: "DELETE" });
    expect(deleted.status).toBe(204);
    const [, , , failing] = await Promise.all(
      ["slow", "gone", "endless", "failing", "redirecting"].map((kind) => submit(at(`/${kind}/a`))),
    );
    await arrivals("/slow/a");
    // Other messages do not wait for the slow receiver.
    await submit(at("/beside-slow"), { text: "another" });
    await arrivals("/beside-slow");
    const [first, second] = await arrivals("/failing/a", 2);
    await arrivals("/redirecting/a", 2);
    expect(second!.body).toBe(first!.body);
    expect([first!.headers["webhook-id"], second!.headers["webhook-id"]]).toEqual([failing, failing]);
    for (const one of [first!, second!]) verified(secrets.new, one);
    // Each of these had enough time for a second attempt.
    expect(["/gone/a", "/canceled/a", "/endless/a"].map((path) => received.get(path)?.length)).toEqual([1, 1, 1]);
    expect(received.has("/target")).toBe(false);
  });

  test("whose name leads to another place later is not visited", async () => {
    const id = await submit("http://rebinding.attack.net/");
    await eventually(() => {
      const lines = readFileSync(join(folder, "service.log"), "utf8").split("\n");
      const own = lines.filter((line) => line.includes("webhook not delivered") && line.includes(hashOfId(id)));
      expect(own.join("\n")).toContain("OutOfRange");
    });
    expect(lookups).toBeGreaterThan(2);
    expect(ear.count).toBe(0);
  });
});

describe("a place that is not public is not visited", () => {
  const all = [...privateAddresses.map(([name, , address]) => [name, address] as const), ...furtherAddresses];

  test(`${all.length} forms`, async () => {
    expect(all.length).toBeGreaterThanOrEqual(40);
    const statuses: [string, number][] = [];
    for (const [name, address] of all) {
      // A header value is bytes, without line ends.
      const url = Buffer.from(address(ear.port).replaceAll("\n", "")).toString("latin1");
      statuses.push([name, (await post(url)).status]);
    }
    expect(statuses).toEqual(all.map(([name]) => [name, 400]));
    expect(ear.count).toBe(0);
  });
});

describe("a request", () => {
  test("with an address that is none, or without a need for it", async () => {
    const range = (url: string) => [400, beginning(`${url} is not within the acceptable range for Webhook-Url.`)];
    expect(await refusal("ftp://a.example/")).toEqual(range("ftp://a.example/"));
    expect(await refusal("https://user:password@a.net/")).toEqual(range("https://user:password@a.net/"));
    expect(await refusal("nonsense")).toEqual(range("nonsense"));
    expect(await refusal("http://10.0.0.1/")).toEqual(range("http://10.0.0.1/"));
    expect(await refusal("https://printer.internal/")).toEqual(range("https://printer.internal/"));
    const invalid = [400, "The Webhook-Url header is not valid."];
    expect(await refusal("")).toEqual(invalid);
    expect(await refusal(`https://a.net/${"a".repeat(8192)}`)).toEqual(invalid);
    expect(await refusal("https://a.net/, https://b.net/")).toEqual(invalid);
    expect(await refusal(at("/none"), { headers: { Prefer: "wait=1" } })).toEqual([
      400,
      "The Webhook-Url header needs 'Prefer: respond-async'.",
    ]);
  });

  test("of a key needs a secret of the key", async () => {
    const { keyed } = inject("services");
    const refused = (key: string) => refusal("http://10.0.0.1/", { base: keyed.url, headers: { "Api-Key": key } });
    const sentence = "The service has no secret to sign webhooks with, please ask its operator for one.";
    expect(await refused(keyed.key!)).toEqual([400, beginning(sentence)]);
    expect((await refused(keyed.key!))[1]).toContain("npm run keys -- secret, followed by the key");
    const key = randomUUID();
    const { webhookSecrets = [] } = withSecret(NO_RECORD, { isRotated: false });
    await giveKeys(keyed, { [key]: { webhookSecrets } });
    expect(await refused(key)).toEqual([
      400,
      beginning("http://10.0.0.1/ is not within the acceptable range for Webhook-Url."),
    ]);
  });

  test.each(["/zip", "/upload"])("to %s is another one with another receiver", async (path) => {
    const headers = { "Idempotency-Key": randomUUID() };
    const receiver = at(`/once${path}`);
    await submit(receiver, { headers, path });
    await arrivals(`/once${path}`);
    expect(await refusal(at("/other"), { headers, path })).toEqual([
      422,
      "This Idempotency-Key was used with another request.",
    ]);
  });
});

test("a message outlives the service", async () => {
  const id = await submit(at("/failing/restart"));
  await arrivals("/failing/restart");
  await service.kill();
  service = await startMortalService(folder, container.vars);
  const messages = await arrivals("/failing/restart", 2);
  for (const one of messages) expect(verified(secrets.new, one)).toMatchObject({ data: { requestId: id } });
});
