// Tests the download of files from the web: names, types, limits, failures, and that only public addresses are visited.
// Contract: docs/api.md#inputs-by-url
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attackersDns, furtherAddresses, privateAddresses } from "../../../../test/support/private-addresses.ts";
import { type Answer, type Ear, openEar, type Site, startDns, startPages } from "../../../../test/support/web.ts";
import { WebFiles } from "../web-files.ts";
import { WebRequests } from "../web-requests.ts";

const MiB = 2 ** 20;
const content = Buffer.alloc(3 * MiB, "content");
const pages = new Map<string, Answer>();
let site: Site;
let ear: Ear;
let dns: Awaited<ReturnType<typeof startDns>>;
let files: WebFiles;

beforeAll(async () => {
  ear = await openEar();
  site = await startPages(pages);
  dns = await startDns(attackersDns);
  // Allows the listener's port as a web port, so that only the listener's address is forbidden.
  files = filesOf(`127.0.0.1:${site.port}`);
});
afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await ear?.[Symbol.asyncDispose]();
  await dns?.[Symbol.asyncDispose]();
});

const filesOf = (allow: string) =>
  new WebFiles(new WebRequests({ allow, usualPorts: [80, 443, ear.port], dnsServers: [dns.address] }));
const never = new AbortController().signal;

async function fetched(url: string, { maxBytes = 10 * MiB, signal = never, from = files } = {}) {
  const { name, type, body } = await from.fetch(url, maxBytes, signal);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { name, type, bytes: Buffer.concat(chunks) };
}
const reason = (error: unknown) =>
  (error as { reason?: string; parameter?: string }).reason ?? (error as { parameter?: string }).parameter;
const failure = (url: string, options = {}) => fetched(url, options).then(() => "none", reason);

describe("a file", () => {
  test.each([
    ["the path", "/folder/report.pdf", "application/pdf", undefined, "report.pdf"],
    ["the path, decoded", "/gr%C3%BC%C3%9Fe.txt", "text/plain", undefined, "grüße.txt"],
    ["a path that cannot be decoded", "/100%25%.txt", "text/plain", undefined, "100%25%.txt"],
    ["the path and the type", "/report", "text/csv; charset=utf-8", undefined, "report.csv"],
    ["the host", "/", "image/png", undefined, "127.0.0.1.png"],
    ["the header", "/a", "text/plain", "attachment; filename=b.txt", "b.txt"],
    ["the header, quoted", "/a", "text/plain", 'inline; filename="b \\"c\\".txt"', 'b "c".txt'],
    [
      "the header, in UTF-8",
      "/a",
      "text/plain",
      "attachment; filename=x; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt",
      "grüße.txt",
    ],
  ])("is named by %s", async (_, path, type, disposition, expected) => {
    pages.set(path, (_, response) => {
      response.setHeader("Content-Type", type);
      if (disposition !== undefined) response.setHeader("Content-Disposition", disposition);
      response.end("x");
    });
    expect(await fetched(site.url + path)).toMatchObject({ name: expected, type });
  });

  test.each([
    ["identity", content],
    ["gzip", gzipSync(content)],
    ["br", brotliCompressSync(content)],
  ])("arrives whole, coded as %s", async (coding, coded) => {
    pages.set("/coded", (_, response) => {
      if (coding !== "identity") response.setHeader("Content-Encoding", coding);
      response.end(coded);
    });
    const { bytes } = await fetched(`${site.url}/coded`);
    const digest = (of: Buffer) => createHash("sha256").update(of).digest("hex");
    expect(digest(bytes)).toBe(digest(content));
  });

  test("is found behind redirects, up to ten", async () => {
    pages.set("/hop", (request, response) => {
      const left = Number(new URL(request.url!, "http://a").searchParams.get("left"));
      if (left === 0) response.end("found");
      else
        response
          .writeHead(302, { Location: left % 2 ? `?left=${left - 1}` : `${site.url}/hop?left=${left - 1}` })
          .end();
    });
    expect((await fetched(`${site.url}/hop?left=10`)).bytes.toString()).toBe("found");
    expect(await failure(`${site.url}/hop?left=11`)).toBe("unreachable");
  });
});

test("cookies go to the hosts of their domains, headers only to the origin of the address", async () => {
  const heard: unknown[] = [];
  await using other = await startPages(new Map([["/b/end", (request, response) => response.end(hear(request))]]));
  const hear = ({ url, headers }: IncomingMessage) => {
    heard.push([url, headers.authorization, headers.cookie, headers["user-agent"]]);
    return "x";
  };
  pages.set("/a", (request, response) => {
    hear(request);
    response.writeHead(302, { Location: `${other.url}/b/end` }).end();
  });
  const cookie = (name: string, more = {}) => ({ name, value: "v", domain: "127.0.0.1", ...more });
  const { body } = await filesOf(`127.0.0.1:${site.port} 127.0.0.1:${other.port}`).fetch(`${site.url}/a`, MiB, never, {
    headers: { authorization: "Bearer grüße" },
    userAgent: "Printer/1",
    cookies: [
      ...[cookie("all"), cookie("below", { path: "/b" }), cookie("beside", { path: "/b/e" })],
      ...[cookie("safe", { secure: true }), cookie("suffix", { domain: "0.0.1" }), cookie("c", { domain: "a.test" })],
    ],
  });
  await body.return(undefined);
  const sent = Buffer.from("Bearer grüße").toString("latin1");
  expect(heard).toEqual([
    ["/a", sent, "all=v", "Printer/1"],
    ["/b/end", undefined, "all=v; below=v", "Printer/1"],
  ]);
});

describe("too large", () => {
  test.each([
    ["by its length", (length: number) => ({ "Content-Length": length })],
    ["without a length", () => ({})],
  ])("%s", async (_, headers) => {
    pages.set("/large", (_, response) => response.writeHead(200, headers(content.length)).end(content));
    expect(await failure(`${site.url}/large`, { maxBytes: content.length - 1 })).toBe("too-large");
    expect((await fetched(`${site.url}/large`, { maxBytes: content.length })).bytes.length).toBe(content.length);
  });

  test("once it is decompressed", async () => {
    pages.set("/bomb", (_, response) => {
      response.setHeader("Content-Encoding", "gzip").end(gzipSync(Buffer.alloc(64 * MiB)));
    });
    expect(await failure(`${site.url}/bomb`)).toBe("too-large");
  });
});

describe("unreachable", () => {
  test.each([
    ["a status of an error", (_, response) => response.writeHead(404).end("no")],
    [
      "a body that breaks off",
      (_, response) => response.writeHead(200, { "Content-Length": 9 }).write("x", () => response.destroy()),
    ],
    ["a redirect to nowhere", (_, response) => response.writeHead(302, { Location: "http://" }).end()],
    ["a coding that is wrong", (_, response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end("x")],
  ] satisfies [string, Answer][])("%s", async (_, answer) => {
    pages.set("/failing", answer);
    expect(await failure(`${site.url}/failing`)).toBe("unreachable");
  });

  test("a server that speaks no HTTP, and one whose certificate nobody signed", async () => {
    const server = createServer((socket) => socket.on("error", () => {}).end("hello\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const from = filesOf("127.0.0.1:*");
    expect(await failure(`http://127.0.0.1:${port}/`, { from })).toBe("unreachable");
    expect(await failure(`https://127.0.0.1:${port}/`, { from })).toBe("unreachable");
    server.close();
  });

  test("a client that leaves ends the fetch", async () => {
    pages.set("/slow", (_, response) => response.write("x"));
    const leaving = new AbortController();
    const { body } = await files.fetch(`${site.url}/slow`, MiB, leaving.signal);
    await body.next();
    const next = body.next();
    leaving.abort(new Error("gone"));
    await expect(next).rejects.toThrow("gone");
  });
});

describe("a place that is not public hears nothing of", () => {
  const all = [...privateAddresses.map(([name, , address]) => [name, address] as const), ...furtherAddresses];

  test("many forms", () => expect(new Set(all.map(([name]) => name)).size).toBeGreaterThanOrEqual(40));

  test.each(all)("%s, by itself and behind redirects", async (_, address) => {
    const before = ear.count;
    const url = address(ear.port);
    if (URL.canParse(url)) expect(await failure(url)).toMatch(/^(url|unreachable)$/);
    for (const status of [301, 302, 303, 307, 308]) {
      pages.set("/redirect", (_, response) => {
        // Node rejects some characters in headers.
        const location = URL.canParse(url) ? new URL(url).href : encodeURI(url);
        response.writeHead(status, { Location: location }).end();
      });
      expect(await failure(`${site.url}/redirect`)).toMatch(/^(url|unreachable)$/);
    }
    expect(ear.count).toBe(before);
  });

  test.each(["ftp://127.0.0.1/", "file:///etc/passwd", "http://name:password@127.0.0.1/"])(
    "a redirect to %s",
    async (location) => {
      pages.set("/redirect", (_, response) => response.writeHead(302, { Location: location }).end());
      expect(await failure(`${site.url}/redirect`)).toBe("url");
    },
  );
});

test.each(privateAddresses.filter(([, reached]) => reached === "always"))(
  "a place that is allowed hears of %s",
  async (_, __, address) => {
    const before = ear.count;
    const from = filesOf("127.0.0.1:* 0.0.0.0:* localhost:* [::1]:* [::]:* [::ffff:127.0.0.1]:*");
    await failure(address(ear.port), { from });
    expect(ear.count).toBeGreaterThan(before);
  },
);
