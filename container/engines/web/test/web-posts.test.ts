// Tests messages to receivers on the web: their content, and that only public addresses receive them.
// Contract: docs/api.md#webhooks
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../../test/support/eventually.ts";
import { attackersDns, furtherAddresses, privateAddresses } from "../../../../test/support/private-addresses.ts";
import { type Answer, type Ear, openEar, type Site, startDns, startPages } from "../../../../test/support/web.ts";
import { WebPosts } from "../web-posts.ts";
import { WebRequests } from "../web-requests.ts";

const pages = new Map<string, Answer>();
const visits: string[] = [];
const never = new AbortController().signal;
const message = Buffer.from('{"type":"test"}');
let site: Site;
let ear: Ear;
let dns: Awaited<ReturnType<typeof startDns>>;
let posts: WebPosts;

beforeAll(async () => {
  ear = await openEar();
  site = await startPages(pages);
  dns = await startDns(attackersDns);
  // Allows the listener's port as a web port, so that only the listener's address is forbidden.
  const settings = { allow: `127.0.0.1:${site.port}`, usualPorts: [80, 443, ear.port], dnsServers: [dns.address] };
  posts = new WebPosts(new WebRequests(settings));
});
afterAll(async () => {
  for (const started of [site, ear, dns]) await started?.[Symbol.asyncDispose]();
});

const post = (url: string, signal = never) => posts.post(url, { "webhook-id": "a" }, message, signal);
const reason = (error: unknown) =>
  (error as { reason?: string }).reason ?? (error as { parameter?: string }).parameter ?? String(error);

test("a receiver gets the message and its headers", async () => {
  pages.set("/ok", (request, response) => {
    expect(request.headers).toMatchObject({
      "webhook-id": "a",
      "content-length": "15",
      host: `127.0.0.1:${site.port}`,
    });
    request.on("data", (chunk) => visits.push(String(chunk)));
    request.on("end", () => response.writeHead(202).end());
  });
  expect(await post(`${site.url}/ok?a=b#c`)).toBe(202);
  expect(visits).toEqual([String(message)]);
});

test("a redirect is an answer like others", async () => {
  pages.set("/moved", (_, response) => response.writeHead(302, { Location: `http://127.0.0.1:${ear.port}/` }).end());
  expect(await post(`${site.url}/moved`)).toBe(302);
  expect(await post(`${site.url}/none`)).toBe(404);
  expect(ear.count).toBe(0);
});

test("nothing of an answer is read but its beginning", async () => {
  let isClosed = false;
  pages.set("/endless", (_, response) => {
    const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
    response.on("close", () => {
      clearInterval(timer);
      isClosed = true;
    });
  });
  expect(await post(`${site.url}/endless`)).toBe(200);
  await eventually(() => expect(isClosed).toBe(true));
});

test.each([
  ["breaks off", "x"],
  ["answers nonsense", "nonsense\r\n\r\n"],
  ["has endless headers", `HTTP/1.1 200 OK\r\n${`A: ${"b".repeat(1000)}\r\n`.repeat(100)}\r\n`],
])("a receiver that %s is not reached", async (_, answer) => {
  const server = createServer((socket) =>
    socket
      .on("error", () => {})
      .resume()
      .end(answer),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const own = new WebPosts(new WebRequests({ allow: `127.0.0.1:${port}` }));
  expect(await own.post(`http://127.0.0.1:${port}/`, {}, message, never).then(String, reason)).toBe("unreachable");
  await new Promise((resolve) => server.close(resolve));
});

test("an aborted attempt closes its connection", async () => {
  const aborted = new AbortController();
  pages.set("/slow", () => aborted.abort(new Error("enough")));
  await expect(post(`${site.url}/slow`, aborted.signal)).rejects.toThrow("enough");
});

describe("a place that is not public", () => {
  const all = [...privateAddresses.map(([name, , address]) => [name, address] as const), ...furtherAddresses];

  test.each(all)("%s", async (_, address) => {
    const url = address(ear.port);
    if (URL.canParse(url)) {
      expect(["url", "unreachable"]).toContain(await post(url).then(String, reason));
      expect(await posts.check(url).then(String, reason)).toBe("url");
    }
    expect(ear.count).toBe(0);
  });
});

test("an address whose name is unknown is not refused", async () => {
  const silent = new WebPosts(new WebRequests({ dnsServers: [dns.address] }));
  await expect(silent.check("https://public.net/")).rejects.toMatchObject({ parameter: "url" });
  const none = await startDns(() => []);
  await new WebPosts(new WebRequests({ dnsServers: [none.address] })).check("https://public.net/");
  await none[Symbol.asyncDispose]();
});
