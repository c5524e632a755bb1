// Tests which requests of web pages are rejected, and which host names are accepted.
// Contract: docs/api.md#web-pages-of-other-origins, #agents
import { expect, test } from "vitest";
import { rejectWebPages } from "../../../../src/service/http/clients/web-callers.ts";
import { type Env, readConfig } from "../../../../src/service/settings/config.ts";

type Settings = Partial<Pick<Env, "VARIANT" | "CORS_ORIGINS" | "ALLOWED_HOSTS" | "BASE_URL" | "FORWARDED_ORIGIN">>;
type Headers = Readonly<Record<string, string>>;

const LOCAL = "http://localhost:8787";
const FOREIGN = "Web pages of this origin may not use the service.";
const UNKNOWN = "The service may not be called by this host name.";
const LOOPBACK = { ALLOWED_HOSTS: "localhost" };

/** @returns the error sentence of the rejection, or "taken" if the request is accepted */
function ask(
  asked: string,
  headers: Headers = {},
  { method = "POST", ...settings }: Settings & { method?: string } = {},
) {
  const url = new URL(asked);
  try {
    rejectWebPages(new Request(url, { method, headers }), url, url.pathname, readConfig(settings as Env));
    return "taken";
  } catch (error) {
    expect(error).toMatchObject({ status: 403 });
    return (error as Error).message;
  }
}

const page = (origin: string, site?: string): Headers => ({
  Origin: origin,
  ...(site ? { "Sec-Fetch-Site": site } : {}),
});

test.each([
  ["of another site", page("https://evil.example", "cross-site")],
  ["of another site, by an old browser", page("https://evil.example")],
  ["of another port of this machine", page("http://localhost:3000", "same-site")],
  ["of another port, by an old browser", page("http://localhost:3000")],
  ["of another name of this machine", page("http://127.0.0.1:8787")],
  ["of a name that ends as ours", page("http://evil-localhost:8787")],
  ["without an origin: of a file, or in a sandbox", page("null", "cross-site")],
  ["that hides its origin", { "Sec-Fetch-Site": "cross-site" }],
  ["with an origin that is none", page("localhost:8787")],
])("a page %s: 403, whatever it sends", (_, headers) => {
  for (const path of ["/upload", "/pdf", "/upload/once", "/upload/tus", "/delete", "/mcp", "/unknown"]) {
    expect(ask(LOCAL + path, headers)).toBe(FOREIGN);
  }
  for (const method of ["PUT", "PATCH", "DELETE"])
    expect(ask(`${LOCAL}/upload/tus/x`, headers, { method })).toBe(FOREIGN);
  // Pages can show responses that they cannot read, and browsers ask in a preflight request what pages can send.
  for (const method of ["GET", "HEAD", "OPTIONS"])
    expect(ask(`${LOCAL}/resource/x`, headers, { method })).toBe("taken");
  expect(ask(`${LOCAL}/mcp`, headers, { method: "GET" })).toBe(FOREIGN);
});

test.each<[string, string, Headers, Settings?]>([
  ["no browser", `${LOCAL}/upload`, {}],
  ["Node's fetch", `${LOCAL}/upload`, { "Sec-Fetch-Mode": "cors" }],
  ["the workbench", `${LOCAL}/upload`, page(LOCAL, "same-origin")],
  ["the workbench in an old browser", `${LOCAL}/upload`, page(LOCAL)],
  ["the workbench by a number", "http://127.0.0.1:8787/upload", page("http://127.0.0.1:8787")],
  ["the workbench by IPv6", "http://[::1]:8787/upload", page("http://[::1]:8787")],
  ["the workbench by the name of a container", "http://pagewright:8787/upload", page("http://pagewright:8787")],
  ["behind TLS", "http://pdf.example.com/upload", page("https://pdf.example.com")],
  ["behind TLS, with a port", "http://pdf.example.com:443/upload", page("https://pdf.example.com")],
  ["behind a proxy with another host", "http://inner:8787/upload", page("https://pdf.example.com", "same-origin")],
  [
    "behind a proxy that BASE_URL names",
    "http://inner:8787/upload",
    page("https://pdf.example.com"),
    { BASE_URL: "https://pdf.example.com/tools" },
  ],
  ["by a number, beside BASE_URL", `${LOCAL}/upload`, page(LOCAL), { BASE_URL: "https://pdf.example.com" }],
  [
    "of a listed origin",
    `${LOCAL}/mcp`,
    page("https://a.example", "cross-site"),
    { CORS_ORIGINS: "https://a.example" },
  ],
  ["of any origin", `${LOCAL}/upload`, page("null", "cross-site"), { CORS_ORIGINS: "*" }],
  ["an extension of a browser", `${LOCAL}/upload`, page("chrome-extension://abc", "none")],
  ["with a key", `${LOCAL}/upload`, page("https://evil.example", "cross-site"), { VARIANT: "keyed" }],
])("%s: taken", (_, asked, headers, settings) => {
  expect(ask(asked, headers, settings)).toBe("taken");
});

test("the paths of agents and of Gotenberg's clients check the origin with keys, too", () => {
  const foreign = `${LOCAL}/forms/pdfengines/merge`;
  expect(ask(foreign, page("https://evil.example", "cross-site"), { VARIANT: "keyed" })).toBe(FOREIGN);
  expect(ask(foreign, {}, { VARIANT: "keyed" })).toBe("taken");
  expect(ask(`${LOCAL}/mcp`, page("https://evil.example"), { VARIANT: "keyed" })).toBe(FOREIGN);
  expect(ask(`${LOCAL}/mcp`, page(LOCAL), { VARIANT: "keyed" })).toBe("taken");
  const rebound = ask("http://evil.example:8787/mcp", page("http://evil.example:8787"), {
    ...LOOPBACK,
    VARIANT: "keyed",
  });
  expect(rebound).toBe(UNKNOWN);
});

test.each(["evil.example:8787", "localhost.evil.example", "evil.example.", "127.0.0.1.evil.example", "pagewright"])(
  "on the loopback address, %s is no name of the service",
  (host) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      for (const path of ["/", "/mcp", "/upload", "/resource/x"]) {
        expect(ask(`http://${host}${path}`, page(`http://${host}`, "same-origin"), { ...LOOPBACK, method })).toBe(
          UNKNOWN,
        );
      }
    }
  },
);

test.each([
  "localhost:1",
  "localhost.",
  "LOCALHOST",
  "a.localhost",
  "127.0.0.1:9",
  "127.1",
  "[::1]:8787",
  "192.168.1.5",
])("on the loopback address, %s is one", (host) => {
  const asked = `http://${host}/upload`;
  expect(ask(asked, page(new URL(asked).origin), LOOPBACK)).toBe("taken");
  expect(ask(asked, {}, { ...LOOPBACK, method: "GET" })).toBe("taken");
});

test("other names are those of the settings", () => {
  const settings = { ALLOWED_HOSTS: "Pagewright, bücher.example", BASE_URL: "https://pdf.example.com" };
  for (const host of ["pagewright:8787", "xn--bcher-kva.example", "pdf.example.com", "localhost"]) {
    expect(ask(`http://${host}/upload`, page(`http://${host}`), settings)).toBe("taken");
  }
  expect(ask("http://evil.example/upload", {}, settings)).toBe(UNKNOWN);
  expect(ask("http://evil.example/upload", page("http://evil.example"), { ALLOWED_HOSTS: "*" })).toBe("taken");
});

test("a name that nobody has given is not an origin of the service that has a base URL", () => {
  const evil = page("http://evil.example:8787");
  expect(ask("http://evil.example:8787/upload", evil, { BASE_URL: "https://pdf.example.com" })).toBe(FOREIGN);
});
