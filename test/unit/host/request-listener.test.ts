// Tests the host's responses to requests whose URL cannot belong to the service, and requests whose client left.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
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
