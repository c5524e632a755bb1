// Tests the host's responses to requests whose URL cannot belong to the service, or whose client left, and what it knows
// of clients.
import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostCapacity } from "../../../host/capacity.ts";
import { RequestListener } from "../../../host/request-listener.ts";
import { createApp } from "../../../src/app/app.ts";
import type { Env } from "../../../src/service/settings/config.ts";

const app = createApp(hostCapacity(2 ** 29));
const listener = new RequestListener({ app, env: () => ({}) as Env, trustedProxies: 0 });
const server = createServer(getRequestListener(listener.fetch));
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => void server.close());

async function statusFor(host: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const asked = request({ port, host: "127.0.0.1", path: "/up", headers: { Host: host }, agent: false }).end();
  const [answer] = await once(asked, "response");
  answer.resume();
  return answer.statusCode;
}

test.each(["a.127", "evil.0x1", "1.2.3.4.5", "256.256.256.256", "08.1", "a:-1", "[::1"])(
  "400 for the host %s",
  async (host) => {
    expect(await statusFor(host)).toBe(400);
  },
);

test.each(["localhost:8787", "a_b", "xn--a", "[::1]:80", "0x7f.1"])("an answer for the host %s", async (host) => {
  expect(await statusFor(host)).toBe(200);
});

test.each([
  ["1.1", {}, "none"],
  ["1.0", {}, "1"],
  ["1.1", { BASE_URL: "https://pdf.example.com" }, "1"],
])("HTTP/%s with %o: whether the address hides clients: %s", async (version, settings, hides) => {
  const tell = (_: Request, { HIDES_CLIENTS }: Env) => new Response(`hides: ${HIDES_CLIENTS ?? "none"}`);
  const telling = { ...app, fetch: tell } as unknown as typeof app;
  const one = new RequestListener({ app: telling, env: () => settings as Env, trustedProxies: 0 });
  const own = createServer(getRequestListener(one.fetch));
  await once(own.listen(0, "127.0.0.1"), "listening");
  const socket = connect((own.address() as AddressInfo).port, "127.0.0.1");
  socket.end(`GET / HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toContain(`hides: ${hides}`);
  own.close();
});

test("a request whose client left counts once, as 499", async () => {
  const statuses: number[] = [];
  const left = createApp(hostCapacity(2 ** 29), ({ status }) => void statuses.push(status));
  // A server aborts a request with a string.
  const env = { VARIANT: "keyed", API_KEYS: { get: () => Promise.reject("the client left") } } as unknown as Env;
  const asked = new Request("http://localhost/html", { method: "POST", headers: { "Api-Key": "key" } });
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} };
  await expect(left.fetch(asked, env, context)).rejects.toBe("the client left");
  expect(statuses).toEqual([499]);
});
