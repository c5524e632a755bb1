// Tests webhooks of the keyed variant over HTTP, with the secrets that `npm run keys -- secret` prints.
// Contract: docs/api.md#webhooks
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { eventually } from "../support/eventually.ts";
import { run } from "../support/processes.ts";
import { type Service, startService } from "../support/service.ts";
import { type Site, startSite } from "../support/web.ts";

interface Message {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const folder = mkdtempSync(join(tmpdir(), "keyed-webhooks-"));
/** Received messages by path. */
const received = new Map<string, Message>();
let site: Site;
let container: ContainerProcess;
let service: Service;

beforeAll(async () => {
  site = await startSite((request, response) => {
    const { url: path = "", headers } = request;
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.set(path, { headers: headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
  });
  const env = { ENGINES: "chromium,threads", URL_ALLOW: `127.0.0.1:${site.port}` };
  container = await startContainer({ logFile: join(folder, "container.log"), env });
  service = await startService({ variant: "keyed", container });
}, 600_000);
afterAll(async () => {
  await service?.stop();
  await container?.stop();
  await site?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function keys(...args: readonly string[]): Promise<{ readonly code: number | string; readonly output: string }> {
  const storage = [service.target === "host" ? "--data" : "--persist-to", service.persistTo];
  const command = run("npm", ["run", "--silent", "keys", "--", ...args, ...storage]);
  const code = await command.ended;
  return { code, output: command.output().trim() };
}

/** @returns the secret that the command prints */
async function secretOf(key: string, ...options: readonly string[]): Promise<string> {
  const { code, output } = await keys("secret", key, ...options);
  expect([code, output]).toEqual([0, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/m)]);
  return output.split("\n").find((line) => line.startsWith("whsec_"))!;
}

async function created(): Promise<string> {
  const { code, output } = await keys("create");
  expect(code).toBe(0);
  return output.split("\n").at(-1)!;
}

/** Posts a job with a webhook. @returns its message, and the ID of the request */
async function messageTo(path: string, key: string): Promise<{ readonly id: string; readonly message: Message }> {
  const form = new FormData();
  form.append("content", "<p>a");
  form.append("output", "a");
  const headers = { "Api-Key": key, Prefer: "respond-async", "Webhook-Url": site.url + path };
  const response = await fetch(`${service.url}/html`, { method: "POST", body: form, headers });
  const answer = (await response.json()) as { requestId: string };
  expect([response.status, answer]).toEqual([202, { requestId: expect.any(String) }]);
  return eventually(() => {
    const message = received.get(path);
    expect(message).toBeDefined();
    return { id: answer.requestId, message: message! };
  });
}

const verified = (secret: string, { body, headers }: Message) => new Webhook(secret).verify(body, headers);

test("the command prints the same secret until it is replaced", async () => {
  const key = await created();
  const first = await secretOf(key);
  expect(await secretOf(key)).toBe(first);
  const second = await secretOf(key, "--rotate");
  expect([second === first, await secretOf(key)]).toEqual([false, second]);
  const chosen = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  expect(await secretOf(key, "--secret", chosen)).toBe(chosen);
  expect(await secretOf(key)).toBe(chosen);
  const refused = await keys("secret", key, "--secret", "whsec_short");
  expect(refused).toEqual({ code: 1, output: expect.stringContaining("24 to 64 bytes") });
  expect((await keys("secret", "no-such-key")).output).toContain("No key matches");
});

test("a message is signed with the secret of the key whose job it is, and with no other", async () => {
  const [ada, grace] = [await created(), await created()];
  const secrets = { ada: await secretOf(ada), grace: await secretOf(grace) };
  const { id, message } = await messageTo("/ada", ada);
  expect(message.headers["webhook-id"]).toBe(id);
  expect(verified(secrets.ada, message)).toMatchObject({
    type: "job.completed",
    data: { requestId: id, status: "completed", outputId: expect.any(String) },
  });
  expect(() => verified(secrets.grace, message)).toThrow("No matching signature");
  const { message: hers } = await messageTo("/grace", grace);
  expect(verified(secrets.grace, hers)).toMatchObject({ type: "job.completed" });
  expect(() => verified(secrets.ada, hers)).toThrow("No matching signature");
});

test("a secret that was replaced signs as well, beside the new one", async () => {
  const key = await created();
  const before = await secretOf(key);
  await messageTo("/before", key);
  const after = await secretOf(key, "--rotate");
  const { message } = await messageTo("/after", key);
  expect(verified(after, message)).toEqual(verified(before, message));
});
