// Tests the proxy alone: which addresses are public, what the operator can allow, and that the proxy connects to the
// addresses that it checked.

import { request } from "node:http";
import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Ear, openEar, type Site, startDns, startSite } from "../../../../test/support/web.ts";
import { AddressBlocked, AllowList, type DnsResolver, isPublic, resolveAllowed } from "../network/web-addresses.ts";
import { type ProxySession, type VisitLimits, WebProxy, type WebProxySettings } from "../network/web-proxy.ts";

describe("addresses", () => {
  test.each([
    ["93.184.216.34", true],
    ["8.8.8.8", true],
    ["172.15.255.255", true],
    ["172.32.0.1", true],
    ["100.63.255.255", true],
    ["100.128.0.1", true],
    ["192.0.1.1", true],
    ["198.17.255.255", true],
    ["198.20.0.1", true],
    ["223.255.255.255", true],
    ["2606:4700::1111", true],
    ["2a00:1450::1", true],
    ["2001:4860::8888", true],
    ["0.0.0.0", false],
    ["0.1.2.3", false],
    ["10.255.255.255", false],
    ["100.64.0.1", false],
    ["100.127.255.255", false],
    ["127.0.0.1", false],
    ["127.255.255.255", false],
    ["168.63.129.15", true],
    ["168.63.129.16", false],
    ["169.254.169.254", false],
    ["172.16.0.1", false],
    ["172.31.255.255", false],
    ["192.0.0.192", false],
    ["192.0.2.1", false],
    ["192.88.99.1", false],
    ["192.168.1.1", false],
    ["198.18.0.1", false],
    ["198.19.255.255", false],
    ["198.51.100.1", false],
    ["203.0.113.1", false],
    ["224.0.0.1", false],
    ["239.255.255.250", false],
    ["240.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::127.0.0.1", false],
    ["::ffff:8.8.8.8", false],
    ["::ffff:7f00:1", false],
    ["64:ff9b::808:808", false],
    ["64:ff9b:1::7f00:1", false],
    ["100::1", false],
    ["2001::1", false],
    ["2001:0:7f00:1::80ff:fffe", false],
    ["2001:2::1", false],
    ["2001:10::1", false],
    ["2001:db8::1", false],
    ["2002:7f00:1::1", false],
    ["2002:808:808::1", false],
    ["3fff::1", false],
    ["5f00::1", false],
    ["fc00::1", false],
    ["fd00:ec2::254", false],
    ["fe80::1", false],
    ["fe80::1%lo", false],
    ["fec0::1", false],
    ["ff02::1", false],
  ])("%s: %s", (address, expected) => {
    expect(isPublic(address)).toBe(expected);
  });
});

describe("the allow-list", () => {
  const nobody: DnsResolver = {
    public: async () => ["93.184.216.34", "10.0.0.1", "2606:4700::1111", "::1"],
    allowed: async () => ["10.1.2.3"],
  };
  const ask = (allow: string, host: string, port = 80) =>
    resolveAllowed(host, port, new AllowList(allow), nobody).then(
      (addresses) => addresses.map(({ address }) => address),
      (error: unknown) => (error instanceof AddressBlocked ? "refused" : error),
    );

  test("without one: public addresses alone, on two ports", async () => {
    expect(await ask("", "www.public.net")).toEqual(["93.184.216.34", "2606:4700::1111"]);
    expect(await ask("", "www.public.net", 443)).toEqual(["93.184.216.34", "2606:4700::1111"]);
    expect(await ask("", "www.public.net", 8080)).toBe("refused");
    expect(await ask("", "10.0.0.1")).toBe("refused");
    expect(await ask("", "93.184.216.34")).toEqual(["93.184.216.34"]);
    expect(await ask("", "93.184.216.34", 22)).toBe("refused");
  });

  test.each([
    "localhost",
    "wiki",
    "wiki.corp",
    "a.localhost",
    "printer.local",
    "db.internal",
    "x.home.arpa",
    "document.localhost",
  ])("%s is nobody's name", async (name) => {
    expect(await ask("", name)).toBe("refused");
    expect(await ask("", `${name}.`)).toBe("refused");
  });

  test("names, addresses and networks, with and without a port", async () => {
    expect(await ask("wiki.corp", "wiki.corp")).toEqual(["10.1.2.3"]);
    expect(await ask("WIKI.corp", "wiki.corp.", 443)).toEqual(["10.1.2.3"]);
    expect(await ask("wiki.corp", "wiki.corp", 8080)).toBe("refused");
    expect(await ask("wiki.corp:8080", "wiki.corp", 8080)).toEqual(["10.1.2.3"]);
    expect(await ask("wiki.corp:8080", "wiki.corp", 80)).toBe("refused");
    expect(await ask("wiki.corp:*", "wiki.corp", 1)).toEqual(["10.1.2.3"]);
    expect(await ask("10.0.0.1", "10.0.0.1")).toEqual(["10.0.0.1"]);
    expect(await ask("10.0.0.1", "10.0.0.2")).toBe("refused");
    expect(await ask("[::1]:81", "::1", 81)).toEqual(["::1"]);
    expect(await ask("[fd00::]/8", "fd12::1")).toEqual(["fd12::1"]);
    expect(await ask("127.0.0.1", "::ffff:7f00:2")).toBe("refused");
  });

  test("what is allowed is for no other name that leads there", async () => {
    const everything = "wiki.corp:*, 10.0.0.0/8:*, [::1]:*, 93.184.216.34:8080";
    const open = ["93.184.216.34", "2606:4700::1111"];
    // The name also has the addresses 10.0.0.1 and ::1, because its owner can choose any address.
    expect(await ask(everything, "attacker.public.net")).toEqual(open);
    expect(await ask(everything, "wiki.corp.public.net")).toEqual(open);
    expect(await ask(everything, "10.0.0.1.public.net", 443)).toEqual(open);
    for (const port of [8080, 8443, 1]) expect(await ask(everything, "attacker.public.net", port)).toBe("refused");
    for (const name of ["printer", "other.corp", "a.wiki.corp", "localhost"]) {
      expect(await ask(everything, name)).toBe("refused");
      expect(await ask(everything, name, 8080)).toBe("refused");
    }
    expect(await ask(everything, "10.0.0.1", 8080)).toEqual(["10.0.0.1"]);
    expect(await ask(everything, "93.184.216.34", 8080)).toEqual(["93.184.216.34"]);
  });

  test.each(["10.0.0.0/33", "[wiki]", "a/b", "wiki.corp/8", "::1", "a:port", "[::1]/129"])("%s is no item", (item) => {
    expect(() => new AllowList(item)).toThrow(item);
  });
});

describe("a proxy", () => {
  const limits: VisitLimits = { bytes: 10_000_000, requests: 100 };
  let site: Site;
  let ear: Ear;
  let dns: Awaited<ReturnType<typeof startDns>>;
  let answers: (name: string, time: number) => readonly string[] = () => [];
  const asked = new Map<string, number>();
  let reached: { host: string | undefined; address: string | undefined; headers: Record<string, unknown> }[] = [];
  let door: Server;
  let visit: ProxySession;
  let exceeded: string[] = [];

  beforeAll(async () => {
    ear = await openEar();
    // Listens on every loopback address, so that a request shows which address the proxy chose.
    site = await startSite(
      (incoming, answer) => {
        reached.push({ host: incoming.headers.host, address: incoming.socket.localAddress, headers: incoming.headers });
        if (incoming.url === "/large") answer.end(Buffer.alloc(20_000_000));
        else if (incoming.url === "/endless") {
          answer.write("x");
          const timer = setInterval(() => answer.write(Buffer.alloc(1_000_000)), 1);
          answer.on("close", () => clearInterval(timer));
        } else if (incoming.url === "/headers") answer.setHeader("X-Large", "x".repeat(30_000)).end("yes");
        else incoming.pipe(answer);
      },
      { host: "0.0.0.0" },
    );
    dns = await startDns((name, type) => {
      const time = (asked.get(name + type) ?? 0) + 1;
      asked.set(name + type, time);
      return answers(name, time);
    });
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    await ear?.[Symbol.asyncDispose]();
    await dns?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    reached = [];
    exceeded = [];
    asked.clear();
    return () => {
      visit?.end();
      door?.close();
    };
  });

  /** Opens a proxy that treats 127.0.0.2 as the public web: pages can visit the site there. */
  async function open(settings: WebProxySettings = {}, most = limits): Promise<number> {
    const publicWeb = { usualPorts: [80, 443, site.port], isPublic: (address: string) => address === "127.0.0.2" };
    const proxy = new WebProxy({ ...publicWeb, dnsServers: [dns.address], ...settings });
    visit = proxy.visit({ limits: most, document: undefined, exceeded: (what) => exceeded.push(what) });
    door = createServer((socket) => proxy.serve(socket, visit));
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    return (door.address() as { port: number }).port;
  }

  function get(port: number, url: string, { method = "GET", body = "", headers = {} } = {}) {
    return new Promise<{ status: number; bytes: number; text: string; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const asking = request(
          { port, host: "127.0.0.1", path: url, method, headers, maxHeaderSize: 65_536 },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("error", reject);
            response.on("end", () => {
              const all = Buffer.concat(chunks);
              resolve({
                status: response.statusCode!,
                bytes: all.length,
                text: all.toString("latin1", 0, 100),
                headers: response.headers,
              });
            });
          },
        );
        asking.on("error", reject);
        asking.end(body);
      },
    );
  }

  /** @returns the status, and the open tunnel */
  function tunnel(port: number, to: string): Promise<{ status: number; socket: Socket }> {
    return new Promise((resolve, reject) => {
      request({ port, host: "127.0.0.1", method: "CONNECT", path: to })
        .on("connect", ({ statusCode }, socket) => resolve({ status: statusCode!, socket: socket as Socket }))
        .on("error", reject)
        .end();
    });
  }

  test("passes a request on, without what concerns one connection alone", async () => {
    answers = () => ["127.0.0.2"];
    const port = await open();
    const headers = {
      "Proxy-Connection": "keep-alive",
      "Proxy-Authorization": "x",
      Connection: "X-Hop",
      "X-Hop": "1",
      "X-End": "1",
    };
    const { status, text } = await get(port, `http://site.public.net:${site.port}/echo`, {
      method: "POST",
      body: "hello",
      headers,
    });
    expect([status, text]).toEqual([200, "hello"]);
    expect(reached[0]).toMatchObject({ host: `site.public.net:${site.port}`, address: "127.0.0.2" });
    expect(Object.keys(reached[0]!.headers)).toContain("x-end");
    for (const hop of ["proxy-connection", "proxy-authorization", "x-hop"]) {
      expect(Object.keys(reached[0]!.headers)).not.toContain(hop);
    }
  });

  test("tunnels", async () => {
    answers = () => ["127.0.0.2"];
    const { status, socket } = await tunnel(await open(), `site.public.net:${site.port}`);
    expect(status).toBe(200);
    socket.write("GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const [chunk] = await new Promise<[Buffer]>((resolve) => socket.once("data", (data: Buffer) => resolve([data])));
    expect(chunk.toString()).toContain("200 OK");
    socket.destroy();
  });

  test("takes of a name's addresses those that may be visited, and no other", async () => {
    answers = () => ["127.0.0.1", "127.0.0.2", "10.0.0.1", "::1"];
    const { status } = await get(await open(), `http://mixed.public.net:${site.port}/`);
    expect([status, reached.map(({ address }) => address)]).toEqual([200, ["127.0.0.2"]]);
  });

  test("a name that leads elsewhere the second time is looked at the second time", async () => {
    answers = (_, time) => [time === 1 ? "127.0.0.2" : "127.0.0.1"];
    const port = await open();
    const url = `http://rebound.public.net:${site.port}/`;
    expect((await get(port, url)).status).toBe(200);
    // Closes the connections, so that the next request needs a new lookup.
    visit.agent.destroy();
    expect((await get(port, url)).status).toBe(403);
    expect((await tunnel(port, `rebound.public.net:${site.port}`)).status).toBe(403);
    expect(reached.map(({ address }) => address)).toEqual(["127.0.0.2"]);
    expect(visit.isRefused(url)).toBe(true);
    expect(visit.isRefused(`http://other.public.net:${site.port}/`)).toBe(false);
  });

  test("a public name that leads to what the operator allows: 403, by either way", async () => {
    answers = () => ["127.0.0.1"];
    const port = await open({ allow: `127.0.0.1:${site.port}, 127.0.0.0/8:*` });
    expect((await get(port, `http://127.0.0.1:${site.port}/`)).status).toBe(200);
    expect((await get(port, `http://attacker.public.net:${site.port}/`)).status).toBe(403);
    expect((await tunnel(port, `attacker.public.net:${site.port}`)).status).toBe(403);
    expect(reached.map(({ host }) => host)).toEqual([`127.0.0.1:${site.port}`]);
  });

  test("a name without an address: 502; one that may not be visited: 403, and nobody hears of it", async () => {
    answers = (name) => (name.startsWith("none") ? [] : ["127.0.0.1"]);
    const port = await open({ usualPorts: [ear.port], allow: "" });
    expect((await get(port, `http://none.public.net:${ear.port}/`)).status).toBe(502);
    expect((await get(port, `http://private.public.net:${ear.port}/`)).status).toBe(403);
    expect((await tunnel(port, `[::1]:${ear.port}`)).status).toBe(403);
    expect((await tunnel(port, `0x7f.1:${ear.port}`)).status).toBe(403);
    expect(ear.count).toBe(0);
  });

  test("a port that is not one of the web's: 403", async () => {
    answers = () => ["127.0.0.2"];
    const port = await open();
    expect((await get(port, "http://site.public.net:22/")).status).toBe(403);
    expect((await tunnel(port, "site.public.net:25")).status).toBe(403);
  });

  test.each(["/", "ftp://site.public.net/", "https://site.public.net/", "http://"])(
    "the target %s: 400",
    async (target) => {
      expect((await get(await open(), target)).status).toBe(400);
    },
  );

  test("more bytes than a page may have: the end of all its connections", async () => {
    answers = () => ["127.0.0.2"];
    const port = await open();
    await expect(get(port, `http://site.public.net:${site.port}/large`)).rejects.toThrow();
    expect(exceeded).toEqual(["10000000 bytes"]);
    await expect(get(port, `http://site.public.net:${site.port}/`)).rejects.toThrow();
  });

  test("the same through a tunnel, and of an answer without end", async () => {
    answers = () => ["127.0.0.2"];
    const { socket } = await tunnel(await open(), `site.public.net:${site.port}`);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.resume();
    socket.write("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    await closed;
    expect(exceeded).toEqual(["10000000 bytes"]);
  });

  test("more requests than a page may make", async () => {
    answers = () => ["127.0.0.2"];
    const port = await open({}, { ...limits, requests: 3 });
    const ask = () => get(port, `http://site.public.net:${site.port}/`);
    for (let count = 0; count < 3; count++) expect((await ask()).status).toBe(200);
    await expect(ask()).rejects.toThrow();
    expect(exceeded).toEqual(["3 requests"]);
  });

  test("what a server sends in long headers is passed on", async () => {
    answers = () => ["127.0.0.2"];
    expect((await get(await open(), `http://site.public.net:${site.port}/headers`)).status).toBe(200);
  });

  test.each(["000", "042", "099", "1000", "99999", "-1", "2e2"])(
    "a server that answers with the status %s: 502",
    async (status) => {
      const hostile = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.end(`HTTP/1.1 ${status} X\r\nContent-Length: 2\r\n\r\nhi`));
      });
      await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.2", resolve));
      const { port: there } = hostile.address() as { port: number };
      const port = await open({ allow: "127.0.0.2:*" });
      expect((await get(port, `http://127.0.0.2:${there}/`)).status).toBe(502);
      // The browser's connection to the proxy stays usable.
      expect((await get(port, `http://127.0.0.2:${site.port}/`)).status).toBe(200);
      hostile.close();
    },
  );

  test("what is no HTTP ends the connection", async () => {
    const socket = connectTcp(await open(), "127.0.0.1");
    socket.on("error", () => {});
    socket.end("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n");
    await new Promise((resolve) => socket.once("close", resolve));
    expect(reached).toEqual([]);
  });
});
