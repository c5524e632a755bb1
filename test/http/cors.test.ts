// Tests the headers that let web pages of other origins call the service, and the headers that protect clients.
// Contract: docs/api.md#web-pages-of-other-origins, #limits
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { bundle } from "../support/client-platforms.ts";
import { type Service, startService } from "../support/service.ts";
import { startSite } from "../support/web.ts";
import { openBrowser } from "../support/workbench.ts";

const ORIGIN = "https://app.example.com";

/** Headers that pages can always read (the safelisted names of Fetch), or do not need. */
const SAFE = [
  "access-control-allow-origin",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "expires",
  "last-modified",
  "vary",
];

interface Operation {
  readonly responses?: Readonly<Record<string, { readonly headers?: object }>>;
}

let service: Service;
beforeAll(async () => {
  service = await startService({
    variant: "keyed",
    vars: { CORS_ORIGINS: `https://one.example.com, ${ORIGIN}`, BASE_URL: "https://pdf.example.com" },
  });
});
afterAll(() => service.stop());

const preflight = (url: string, path: string, origin: string, method: string) =>
  fetch(url + path, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": method,
      "Access-Control-Request-Headers": "api-key, content-type, tus-resumable",
    },
  });

describe("an origin that is listed", () => {
  test.each([
    ["/png", "POST"],
    ["/upload/tus", "POST"],
    ["/upload/tus/x", "PATCH"],
    ["/upload/once/x", "PUT"],
    ["/resource/x", "DELETE"],
    ["/usage", "GET"],
    ["/unknown", "POST"],
  ])("may ask for %s with %s, without a key", async (path, method) => {
    const { status, headers } = await preflight(service.url, path, ORIGIN, method);
    expect(status).toBe(204);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(ORIGIN);
    expect(headers.get("Access-Control-Allow-Methods")!.split(",")).toContain(method);
    expect(headers.get("Access-Control-Allow-Headers")!.split(",")).toEqual([
      "api-key",
      "content-type",
      "tus-resumable",
    ]);
    expect(headers.get("Vary")).toContain("Origin");
  });

  test("may read answers, errors too, and the fields that pages need", async () => {
    for (const [path, method, status] of [
      ["/up", "GET", 200],
      ["/html", "POST", 401],
      ["/unknown", "GET", 404],
    ] as const) {
      const response = await fetch(service.url + path, { method, headers: { Origin: ORIGIN } });
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe(ORIGIN);
      const exposed = response.headers.get("Access-Control-Expose-Headers")!.split(",");
      expect(exposed).toEqual(expect.arrayContaining(["Location", "X-Request-Id", "RateLimit", "Upload-Offset"]));
      expect(response.headers.get("Vary")!.split(", ")).toContain("Origin");
      if (method === "POST") expect(response.headers.get("Vary")!.split(", ")).toContain("Accept");
    }
  });

  test("may read every field that the description names", async () => {
    const response = await fetch(`${service.url}/openapi.json`, { headers: { Origin: ORIGIN } });
    const exposed = response.headers.get("Access-Control-Expose-Headers")!.toLowerCase().split(",");
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> };
    const named = Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ responses = {} }) =>
        Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
      ),
    );
    expect(named.length).toBeGreaterThan(0);
    const readable = new Set([...exposed, ...SAFE]);
    expect([...new Set(named)].filter((name) => !readable.has(name.toLowerCase()))).toEqual([]);
  });
});

test.each(["https://evil.example.com", `${ORIGIN}.evil.com`, "null"])("another origin may not: %s", async (origin) => {
  const asked = await preflight(service.url, "/png", origin, "POST");
  expect(asked.headers.get("Access-Control-Allow-Origin")).toBeNull();
  const { headers } = await fetch(`${service.url}/up`, { headers: { Origin: origin } });
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
});

test("agents' path takes messages of pages that are listed, and of no others", async () => {
  const statusOf = async (origin: string, key: string) => {
    const headers = { "Api-Key": key, Origin: origin, "Content-Type": "application/json" };
    return (await fetch(`${service.url}/mcp`, { method: "POST", headers, body: "{}" })).status;
  };
  // The allowed page gets 400, because its message is not valid in the protocol.
  expect(await statusOf("https://evil.example.com", service.key!)).toBe(403);
  expect(await statusOf(ORIGIN, service.key!)).toBe(400);
});

test("OPTIONS that is no preflight is answered by the endpoint", async () => {
  const response = await fetch(`${service.url}/upload/tus`, { method: "OPTIONS", headers: { Origin: ORIGIN } });
  expect([response.status, response.headers.get("Tus-Version")]).toEqual([204, "1.0.0"]);
});

describe("by default", () => {
  const { url } = inject("services").private;

  test("no origin is allowed, and nothing answers preflight requests", async () => {
    const asked = await preflight(url, "/png", ORIGIN, "POST");
    expect([asked.status, asked.headers.get("Access-Control-Allow-Origin")]).toEqual([405, null]);
    expect((await fetch(`${url}/up`, { headers: { Origin: ORIGIN } })).headers.get("Vary")).toBeNull();
  });

  test("pages of other origins may not send anything that makes files; the service's own and programs may", async () => {
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await fetch(url + path, { method: "POST", headers })).status;
    for (const path of ["/upload", "/upload/once", "/html", "/mcp"]) {
      expect([path, await statusOf(path, { Origin: ORIGIN })]).toEqual([path, 403]);
      expect([path, await statusOf(path, { Origin: ORIGIN, "Sec-Fetch-Site": "cross-site" })]).toEqual([path, 403]);
    }
    expect(await statusOf("/upload/once", { Origin: new URL(url).origin })).toBe(200);
    expect(await statusOf("/upload/once", {})).toBe(200);
    expect((await fetch(`${url}/openapi.json`, { headers: { Origin: ORIGIN } })).status).toBe(200);
  });

  test("every answer has the fields that protect its client; HTTPS is demanded only where it is used", async () => {
    for (const path of ["/up", "/unknown", "/openapi.json", "/resource/x?format=file"]) {
      const { headers } = await fetch(url + path);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Referrer-Policy")).toBe("no-referrer");
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(headers.get("Strict-Transport-Security")).toBeNull();
    }
    const secure = await fetch(`${service.url}/up`);
    expect(secure.headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d+$/);
  });
});

test("the client on a page of another origin fails at once, and says why; it tries a service that is away again", async () => {
  const script = await bundle("client-in-page.ts", ["browser"]);
  await using site = await startSite((request, response) => {
    if (request.url === "/client.js") response.setHeader("Content-Type", "text/javascript").end(script);
    else
      response
        .setHeader("Content-Type", "text/html")
        .end('<!doctype html><script type="module" src="client.js"></script>');
  });
  const unused = await startSite(() => {});
  await unused[Symbol.asyncDispose]();
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    await page.goto(site.url);
    await page.waitForFunction("globalThis.Pagewright");
    const call = async (options: { readonly baseUrl: string; readonly retries?: number }) => {
      asked.length = 0;
      const message = await page.evaluate(
        `new Pagewright(${JSON.stringify(options)}).html("<p>").text().then(String, ({ message }) => message)`,
      );
      return [message, asked.map((url) => new URL(url).pathname)];
    };
    const refused = `The service at ${service.url} does not name this page's origin, ${site.url}, in CORS_ORIGINS.`;
    expect(await call({ baseUrl: service.url })).toEqual([refused, ["/html", "/up"]]);
    const away = `The service at ${unused.url} could not be reached.`;
    const paths = ["/html", "/up", "/html", "/up"];
    expect(await call({ baseUrl: unused.url, retries: 1 })).toEqual([away, paths]);
  } finally {
    await browser.close();
  }
});
