// Tests expiry, scopes and limits of keys, and their usage, with a separate service.
// Contract: docs/api.md#limits-of-a-client, #usage, #variants, #keys, #errors
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { giveKeys, postHtml } from "../support/keyed-service.ts";
import { type Service, startService } from "../support/service.ts";

const MB = 2 ** 20;

let service: Service;
beforeAll(async () => {
  service = await startService({ variant: "keyed", apiKeys: ["plain"] });
  await giveKeys(service, {
    expired: { expires: new Date(Date.now() - 1000).toISOString() },
    valid: { expires: new Date(Date.now() + 3_600_000).toISOString() },
    scoped: { scopes: ["html", "steps", "upload"] },
    ten: { limits: { requestsPerMinute: 10 } },
    jobs: { limits: { concurrentJobs: 2 } },
    bytes: { limits: { megabytesPerDay: 1 } },
    revoked: {},
    counted: { scopes: ["html", "zip"], limits: { requestsPerMinute: 1000 } },
    later: { limits: { concurrentJobs: 1 } },
    gone: { limits: { concurrentJobs: 1 } },
    agent: { scopes: ["html"], limits: { megabytesPerDay: 1 } },
    addresses: { limits: { megabytesPerDay: 1 } },
    made: { limits: { megabytesPerDay: 2 } },
    stored: { limits: { storedMegabytes: 2 } },
  });
});
afterAll(() => service.stop());

const statusesOf = (responses: readonly Response[]) =>
  Object.fromEntries([...Map.groupBy(responses, ({ status }) => status)].map(([status, all]) => [status, all.length]));
const errorOf = async (response: Response) => [response.status, await response.json()];
const usageOf = async (key: string, query = "") =>
  fetch(`${service.url}/usage${query}`, { headers: { "Api-Key": key } });

describe("a key", () => {
  test("that has expired gives 401, one that has not is valid", async () => {
    expect(await errorOf(await postHtml(service.url, "expired"))).toEqual([
      401,
      { error: "The provided key is not valid." },
    ]);
    expect((await postHtml(service.url, "valid")).status).toBe(200);
  });

  test("with scopes gives 403 for other endpoints, resumable uploads belong to upload", async () => {
    expect((await postHtml(service.url, "scoped")).status).toBe(200);
    const refused = { error: "The key does not allow this endpoint." };
    for (const path of ["/zip", "/delete", "/png"]) {
      const { status, body } = await createClient(service.url, "scoped").post(path, { output: "a" });
      expect([path, status, body]).toEqual([path, 403, refused]);
    }
    const steps = { file: new File(["%PDF-"], "a.pdf"), steps: '[{"pdf": {}}, {"png": {}}]', output: "a" };
    const { status, body } = await createClient(service.url, "scoped").post("/steps", steps);
    expect([status, body.error]).toEqual([403, `${refused.error} The error is in step 1, pdf.`]);
    const headers = { "Api-Key": "scoped", "Tus-Resumable": "1.0.0", "Upload-Length": "3" };
    expect((await fetch(`${service.url}/upload/tus`, { method: "POST", headers })).status).toBe(201);
  });

  test("with scopes is told which paths do not exist, and its agents may use what it may use", async () => {
    expect((await createClient(service.url, "scoped").post("/unknown", { output: "a" })).status).toBe(404);
    const call = async (name: string, input: object) => {
      const answer = await fetch(`${service.url}/mcp`, {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
        headers: {
          ...{ "Api-Key": "agent", Accept: "application/json, text/event-stream" },
          "Content-Type": "application/json",
        },
      });
      return answer.text();
    };
    expect(await call("html", { content: "<p>a" })).toContain("resource_link");
    expect(await call("zip", { inputs: ["https://example.com/"] })).toContain("The key does not allow this endpoint.");
  });

  test("that is revoked gives 401 from the next request on", async () => {
    expect((await postHtml(service.url, "revoked")).status).toBe(200);
    await giveKeys(service, { revoked: { revoked: new Date().toISOString() } });
    expect((await postHtml(service.url, "revoked")).status).toBe(401);
  });

  test("without limits has no RateLimit fields", async () => {
    const { headers, status } = await postHtml(service.url, "plain");
    expect([status, headers.get("RateLimit"), headers.get("RateLimit-Policy")]).toEqual([200, null, null]);
  });
});

describe("limits", () => {
  test("10 of 20 requests at once are within a limit of 10 a minute, and the others do not count", async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => postHtml(service.url, "ten")));
    expect(statusesOf(responses)).toEqual({ 200: 10, 429: 10 });
    const rests = responses.map(({ headers }) => /^"requests";r=(\d+);t=\d+$/.exec(headers.get("RateLimit")!)![1]);
    expect(rests.map(Number).sort((a, b) => b - a)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ...Array(10).fill(0)]);
    const refused = responses.find(({ status }) => status === 429)!;
    expect(refused.headers.get("RateLimit-Policy")).toBe('"requests";q=10;w=60');
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(61);
    const error = "The limit of 10 requests a minute is reached, please try again later.";
    expect(await refused.json()).toEqual({ error });
  });

  test("a third job at the same time gives 429, a further upload does not, and ended jobs make room", async () => {
    // The bodies of these two jobs stay incomplete, so the jobs keep running.
    const held = await Promise.all([holdJob(), holdJob()]);
    await eventually(async () => expect((await leftOf("jobs")).concurrentJobs).toEqual({ left: 0 }));
    const third = await postHtml(service.url, "jobs");
    expect(await errorOf(third)).toEqual([
      429,
      { error: "The limit of 2 jobs at the same time is reached, please try again later." },
    ]);
    expect(third.headers.get("Retry-After")).toMatch(/^\d+$/);
    const uploaded = await createClient(service.url, "jobs").post("/upload", { file: upload("a", "a.txt") });
    expect(uploaded.status).toBe(200);
    for (const job of held) expect((await job.finish()).status).toBe(200);
    await eventually(async () => expect((await leftOf("jobs")).concurrentJobs).toEqual({ left: 2 }));
    expect((await postHtml(service.url, "jobs")).status).toBe(200);
  });

  test("a job whose client leaves makes room", async () => {
    const job = await holdJob("gone");
    await eventually(async () => expect((await leftOf("gone")).concurrentJobs).toEqual({ left: 0 }));
    job.leave();
    await eventually(async () => expect((await leftOf("gone")).concurrentJobs).toEqual({ left: 1 }));
  });

  test("bodies of a day: the one that goes beyond the limit gives 429, a smaller one does not", async () => {
    const send = (bytes: number) =>
      createClient(service.url, "bytes").post("/upload", { file: upload(randomBytes(bytes), "a.bin") });
    expect((await send(0.7 * MB)).status).toBe(200);
    const { status, body, headers } = await send(0.4 * MB);
    expect([status, body]).toEqual([429, { error: "The limit of 1 MB a day is reached, please try again later." }]);
    expect(Number(headers.get("Retry-After"))).toBeLessThanOrEqual(86_400);
    expect((await send(0.2 * MB)).status).toBe(200);
  });

  test("bodies of a day: files that others send to an upload address count for the key that made it", async () => {
    const make = async () => {
      const { body } = await createClient(service.url, "addresses").post("/upload/once", {});
      return (body as { uploadUrl: string }).uploadUrl;
    };
    const send = (url: string, bytes: number) => fetch(url, { method: "PUT", body: randomBytes(bytes) });
    const [first, second] = [await make(), await make()];
    expect((await send(first, 0.7 * MB)).status).toBe(200);
    const refused = await send(second, 0.4 * MB);
    expect(await errorOf(refused)).toEqual([
      429,
      { error: "The limit of 1 MB a day is reached, please try again later." },
    ]);
    expect((await send(second, 0.2 * MB)).status).toBe(200);
  });

  test("bytes of a day: outputs count as bodies do, however small the request", async () => {
    const client = createClient(service.url, "made");
    const { body } = await client.post("/upload", { file: upload(randomBytes(0.4 * MB), "a.bin") });
    const [{ id }] = (body as { files: [{ id: string }] }).files;
    const zip = () => client.post("/zip", { id: [id, id, id], output: "a" });
    expect((await zip()).status).toBe(200);
    await eventually(async () => {
      const { left } = (await leftOf("made")).megabytesPerDay as { left: number };
      expect(left).toBeLessThan(0.5 * MB);
    });
    const { status } = await client.post("/upload", { file: upload(randomBytes(0.5 * MB), "a.bin") });
    expect(status).toBe(429);
  });

  test("stored bytes: what is beyond the limit is refused and does not stay, removed files make room", async () => {
    const client = createClient(service.url, "stored");
    const error = "The limit of 2 MB of stored files is reached, please try again later.";
    const left = async () => ((await leftOf("stored")).storedMegabytes as { left: number }).left;
    const leftIs = (bytes: number) => eventually(async () => expect(await left()).toBe(bytes));
    const send = () => client.post("/upload", { file: upload(randomBytes(0.75 * MB), "a.bin") });
    const { body } = await send();
    const [{ id }] = (body as { files: [{ id: string }] }).files;
    expect(await left()).toBe(1.25 * MB);
    const refused = await client.post("/zip", { id: [id, id, id], output: "a" });
    expect([refused.status, refused.body]).toEqual([429, { error }]);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    const zipped = new FormData();
    zipped.append("id", id);
    zipped.append("output", "a");
    const headers = { "Api-Key": "stored" };
    const sent = await fetch(`${service.url}/zip`, {
      ...{ method: "POST", body: zipped },
      headers: { ...headers, Accept: "application/zip" },
    });
    expect((await sent.arrayBuffer()).byteLength).toBeGreaterThan(0.75 * MB);
    await leftIs(1.25 * MB);
    const tus = { ...headers, "Tus-Resumable": "1.0.0" };
    const create = (length: number) =>
      fetch(`${service.url}/upload/tus`, { method: "POST", headers: { ...tus, "Upload-Length": String(length) } });
    expect((await create(1.5 * MB)).status).toBe(429);
    const begun = await create(MB);
    expect([begun.status, await left()]).toEqual([201, 0.25 * MB]);
    expect((await send()).status).toBe(429);
    expect((await fetch(begun.headers.get("Location")!, { method: "DELETE", headers: tus })).status).toBe(204);
    const file = `${service.url}/resource/${id}`;
    const removals = await Promise.all([1, 2, 3].map(() => fetch(file, { method: "DELETE", headers })));
    expect(removals.map(({ status }) => status)).toContain(204);
    await leftIs(2 * MB);
    const { body: address } = await client.post("/upload/once", {});
    const { uploadUrl } = address as { uploadUrl: string };
    expect((await fetch(uploadUrl, { method: "PUT", body: randomBytes(2.1 * MB) })).status).toBe(429);
    expect((await fetch(uploadUrl, { method: "PUT", body: randomBytes(0.5 * MB) })).status).toBe(200);
    await leftIs(1.5 * MB);
    const job = await fetch(`${service.url}/zip`, {
      ...{ method: "POST", headers: { ...headers, Prefer: "respond-async" } },
      body: asyncForm(),
    });
    const { requestId } = (await job.json()) as { requestId: string };
    const status = `${service.url}/request-status/${requestId}`;
    await eventually(async () => expect(await (await fetch(status)).text()).toContain('"completed"'));
    expect(await left()).toBeLessThan(0.6 * MB);
    expect((await fetch(status, { method: "DELETE", headers })).status).toBe(204);
    await leftIs(1.5 * MB);
  });

  test("every answer tells what is left, also that there is no such endpoint", async () => {
    const { status, headers } = await createClient(service.url, "jobs").post("/unknown", { output: "a" });
    expect([status, headers.get("RateLimit-Policy")]).toEqual([404, '"jobs";q=2;qu="concurrent-requests"']);
  });

  test("a connection is of use after an answer that did not wait for the body", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const send = async (path: string, body: Buffer) => {
      const asking = request(service.url + path, { method: "POST", headers: { "Api-Key": "scoped" }, agent });
      asking.end(body);
      const [answer] = (await once(asking, "response")) as [IncomingMessage];
      await json(answer);
      return { status: answer.statusCode, reused: asking.reusedSocket };
    };
    expect(await send("/zip", randomBytes(0.4 * MB))).toEqual({ status: 403, reused: false });
    // If a body does not end, the host's server closes the connection half a second after the response.
    await setTimeout(700);
    expect(await send("/zip", Buffer.from("a"))).toEqual({ status: 403, reused: true });
  });

  test("bodies of a day: a body of unknown size gives 411", async () => {
    const headers = { "Api-Key": "bytes", "Content-Filename": "a.txt", "Transfer-Encoding": "chunked" };
    const asking = request(`${service.url}/upload`, { method: "POST", headers, agent: false });
    asking.end("abc");
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    expect([answer.statusCode, await json(answer)]).toEqual([
      411,
      { error: "The request must have a Content-Length." },
    ]);
  });
});

describe("a huge body", () => {
  let eager: Service;
  beforeAll(async () => {
    eager = await startService({ variant: "keyed", apiKeys: ["announced"], drainBodies: false });
  });
  afterAll(() => eager.stop());

  test.each([
    ["/upload", "multipart/form-data; boundary=x", 413],
    ["/upload", "application/json", 413],
    ["/delete", "multipart/form-data; boundary=x", 413],
    ["/delete", "application/json", 413],
    ["/upload/once", "application/json", 413],
    ["/html", "multipart/form-data; boundary=x", 413],
    ["/unknown", "application/json", 404],
  ])("for %s as %s is refused before it is read, and counts for nothing", async (path, type, status) => {
    const headers = { "Api-Key": "announced", "Content-Type": type, "Content-Length": String(2 ** 53 - 1) };
    const asking = request(eager.url + path, { method: "POST", headers, agent: false });
    asking.on("error", () => {});
    asking.write("a");
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(status);
    asking.destroy();
    await eventually(async () => {
      const response = await fetch(`${eager.url}/usage`, { headers: { "Api-Key": "announced" } });
      expect(response.status).toBe(200);
      const { total } = (await response.json()) as Usage;
      expect(total).toMatchObject({ bytesIn: 0 });
    });
  });
});

describe("GET /usage", () => {
  test("sums what a key has done, refused requests too", async () => {
    for (let at = 0; at < 60; at++) expect((await postHtml(service.url, "counted")).status).toBe(200);
    const file = upload(randomBytes(5000), "a.bin");
    const { body } = await createClient(service.url, "counted").post("/zip", { output: "a", file });
    await createClient(service.url, "counted").post("/png", { output: "a" });
    await eventually(async () => {
      const { total, usage, limits, scopes } = (await (await usageOf("counted")).json()) as Usage;
      expect([limits, scopes]).toEqual([{ requestsPerMinute: 1000 }, ["html", "zip"]]);
      expect(total).toMatchObject({ requests: 62, errors: 1 });
      const [html, png, zip] = usage;
      expect(html).toMatchObject({ operation: "html", requests: 60, errors: 0, bytesOut: 60 * 4 });
      expect(png).toMatchObject({ operation: "png", requests: 1, errors: 1, bytesOut: 0 });
      expect(zip).toMatchObject({ operation: "zip", requests: 1, errors: 0, bytesOut: body.outputSize });
      expect(zip!.bytesIn).toBeGreaterThan(5000);
      expect(zip!.day).toBe(new Date().toISOString().slice(0, 10));
    });
  });

  test("counts an asynchronous job once, with its outputs or its failure", async () => {
    const submit = async (path: string, file: string) => {
      const body = new FormData();
      body.set("output", "a");
      body.set("file", new File([file], "a.pdf"));
      const headers = { "Api-Key": "later", Prefer: "respond-async" };
      const response = await fetch(service.url + path, { method: "POST", body, headers });
      expect(response.status).toBe(202);
      return ((await response.json()) as { requestId: string }).requestId;
    };
    const resultOf = (id: string) =>
      eventually(async () => {
        const status = (await (await fetch(`${service.url}/request-status/${id}`)).json()) as Record<string, unknown>;
        expect(status.status).not.toBe("pending");
        return status;
      });
    const { outputSize } = await resultOf(await submit("/zip", "text"));
    expect(await resultOf(await submit("/png", "%PDF-1.7 and nothing else"))).toMatchObject({ status: "failed" });
    await eventually(async () => {
      const { usage, left } = (await (await usageOf("later")).json()) as Usage;
      expect(usage).toMatchObject([
        { operation: "png", requests: 1, errors: 1, bytesOut: 0 },
        { operation: "zip", requests: 1, errors: 0, bytesOut: outputSize },
      ]);
      expect(left.concurrentJobs).toEqual({ left: 1 });
    });
  });

  test("is for the key itself, and for valid values of days", async () => {
    expect((await fetch(`${service.url}/usage`)).status).toBe(401);
    expect((await usageOf("expired")).status).toBe(401);
    for (const query of ["?days=0", "?days=401", "?days=x", "?days=1&days=2"]) {
      expect((await usageOf("plain", query)).status).toBe(400);
    }
    expect((await usageOf("plain", "?days=400")).status).toBe(200);
    const posted = await fetch(`${service.url}/usage`, { method: "POST", headers: { "Api-Key": "plain" } });
    expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET"]);
  });
});

interface Usage {
  readonly limits: object;
  readonly scopes?: readonly string[];
  readonly left: Record<string, object>;
  readonly total: object;
  readonly usage: { operation: string; day: string; bytesIn: number }[];
}

function asyncForm(): FormData {
  const form = new FormData();
  form.append("file", new File([randomBytes(0.45 * MB)], "a.bin"));
  form.append("output", "a");
  return form;
}

const leftOf = async (key: string) => ((await (await usageOf(key)).json()) as Usage).left;

/** Sends the first bytes of a job's body. */
async function holdJob(key = "jobs") {
  const start = '--x\r\nContent-Disposition: form-data; name="output"\r\n\r\na\r\n--x\r\n';
  const end = 'Content-Disposition: form-data; name="content"\r\n\r\n<p>a\r\n--x--\r\n';
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const leaving = new AbortController();
  const headers = { "Api-Key": key, "Content-Type": "multipart/form-data; boundary=x" };
  const init = { method: "POST", headers, body: readable, duplex: "half", signal: leaving.signal } as RequestInit;
  const answer = fetch(`${service.url}/html`, init);
  answer.catch(() => {});
  await write(start);
  return {
    async finish() {
      await write(end);
      await writer.close();
      return answer;
    },
    leave: () => leaving.abort(),
  };
}
