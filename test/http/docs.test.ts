// Tests the reference of a running service: it contains everything that the service declares, its links lead to
// existing places, and errors link to it.
// Contract: docs/api.md#reference, #errors
import { describe, expect, test } from "vitest";
import { anchorOf } from "../../src/service/reference/markdown.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { type Client, keyedClient, privateClient, upload } from "../support/client.ts";

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly summary: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly examples?: object }>> }>
  >;
}

const text = async (client: Client, path: string) => (await fetch(client.url + path)).text();
const idsIn = (page: string) => [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
const linksIn = (page: string) => [...page.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target]) => target!);
const unescaped = (html: string) =>
  html
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/&(quot|amp|lt|gt);/g, (_, name: string) => ({ quot: '"', amp: "&", lt: "<", gt: ">" })[name]!);

describe.each([
  ["private", privateClient],
  ["keyed", keyedClient],
])("the reference of the %s variant", (_variant, clientOf) => {
  test("names every operation, parameter and error of the description", async () => {
    const client = clientOf();
    const page = unescaped(await text(client, "/docs"));
    const ids = new Set(idsIn(page));
    const { paths } = (await (await fetch(`${client.url}/openapi.json`)).json()) as Described;
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { summary, requestBody, responses }] of Object.entries(item)) {
        if (method === "parameters") continue;
        expect(page).toContain(`<b>${method.toUpperCase()}</b> ${path}</code> ${summary}`);
        const { properties = {} } = requestBody?.content["multipart/form-data"]?.schema ?? {};
        const words = (text: string) => text.replace(/\W+/g, "-").replace(/^-|-$/g, "");
        const anchors = Object.keys(properties).map((name) => `${words(path)}-${words(name)}`);
        expect(anchors.filter((anchor) => !ids.has(anchor))).toEqual([]);
        for (const [status, { content }] of Object.entries(responses).filter(([status]) => Number(status) >= 400)) {
          for (const { value } of Object.values(
            (content?.["application/json"]?.examples ?? {}) as Record<string, { value: { error: string } }>,
          )) {
            expect(page).toContain(`>${status}</a> ${value.error}`);
          }
        }
      }
    }
  });

  test("has each anchor once, and no link that leads nowhere", async () => {
    const { url } = clientOf();
    const pages = new Map<string, { readonly status: number; readonly text: string }>();
    const pageAt = async (address: string) => {
      const known = pages.get(address);
      if (known) return known;
      const response = await fetch(address);
      const page = { status: response.status, text: await response.text() };
      pages.set(address, page);
      return page;
    };
    for (const path of [
      "/docs",
      "/docs/client",
      "/docs/compression",
      "/docs/pdfa",
      "/docs/flattening",
      "/docs/limits",
    ]) {
      const { text: page } = await pageAt(url + path);
      const ids = idsIn(page);
      expect(ids.length).toBeGreaterThan(2);
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
      const links = [...new Set(linksIn(page))].filter((link) => !link.startsWith("http"));
      expect(links.length).toBeGreaterThan(5);
      for (const link of links) {
        const { origin, pathname, hash } = new URL(link, url + path);
        const { status, text: shown } = await pageAt(origin + pathname);
        expect([link, status]).toEqual([link, 200]);
        if (hash !== "") expect([link, idsIn(shown).includes(hash.slice(1))]).toEqual([link, true]);
      }
    }
  });

  test("as Markdown and as an overview, with links that lead somewhere", async () => {
    const client = clientOf();
    const [reference, overview] = await Promise.all([text(client, "/docs.md"), text(client, "/llms.txt")]);
    expect(overview).toMatch(/^# .+\n\n> .+\n\n[^#]+\n\n## Reference\n\n- \[/);
    expect(reference).toMatch(/^# Pagewright: API\n/);
    expect(reference).toContain("```python\n");
    const targets = [...(reference + overview).matchAll(/\]\((http[^)#]*|(?=#))(?:#([^)]*))?\)/g)];
    expect(targets.length).toBeGreaterThan(60);
    for (const address of new Set(targets.map(([, url]) => url!).filter((url) => url.startsWith(client.url)))) {
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    }
    const headings = new Set([...reference.matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchorOf(title!)));
    const anchors = targets
      .filter(([, url = ""]) => url === "" || url === `${client.url}/docs.md`)
      .map(([, , anchor]) => anchor!);
    expect(anchors.filter((anchor) => anchor !== undefined && !headings.has(anchor))).toEqual([]);
  });

  test("errors lead to the parameter or the error that they are about", async () => {
    const client = clientOf();
    const ids = new Set(idsIn(await text(client, "/docs")));
    const file = upload(await textPdf(1));
    const helpOf = async (path: string, fields: Parameters<Client["post"]>[1]) => {
      const { headers, body } = await client.post(path, fields);
      expect(Object.keys(body)).toEqual(["error"]);
      const [, anchor] = /^<([^>]*)>; rel="help"$/.exec(headers.get("Link")!)![1]!.split("/docs#");
      expect([anchor, ids.has(anchor!)]).toEqual([anchor, true]);
      return anchor;
    };
    expect(await helpOf("/png", { file, output: "a", resolution: "9" })).toBe("png-resolution");
    expect(await helpOf("/png", { file })).toBe("png-output");
    expect(await helpOf("/merged-pdf", { file, output: "a", "type[]": "file" })).toBe("merged-pdf-pages");
    expect(await helpOf("/delete", { ids: "" })).toBe("delete-ids");
    expect(await helpOf("/png", { file, id: "a", output: "a" })).toBe(
      "error-this-route-will-only-accept-a-file-or-an-id-not-both",
    );
    expect(
      await helpOf("/compressed-pdf", {
        file,
        output: "a",
        compression_level: "custom",
        profile: upload('{"images":7}', "a.json"),
      }),
    ).toBe("error-value-is-not-within-the-acceptable-range-for-parameter");
    expect(await helpOf("/nothing", { file })).toBe("error-there-is-no-such-endpoint");
  });
});

describe("a page", () => {
  test("runs no script but its own, shows no style but its own, and sets no cookie", async () => {
    const response = await fetch(`${privateClient().url}/docs`);
    const page = await response.text();
    const policy = response.headers.get("Content-Security-Policy")!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain("unsafe");
    expect(response.headers.has("Set-Cookie")).toBe(false);
    expect(page).not.toMatch(/<style|<script(?! src=)| style=| on\w+=|javascript:/);
    expect(linksIn(page).filter((link) => /^(?:\/\/|data:)/.test(link))).toEqual([]);
  });

  test("is not sent again if it has not changed, and has no other methods", async () => {
    const { url } = privateClient();
    const response = await fetch(`${url}/docs.md`);
    const tag = response.headers.get("ETag")!;
    expect(tag).toMatch(/^(W\/)?"\w+"$/);
    expect((await fetch(`${url}/docs.md`, { headers: { "If-None-Match": tag } })).status).toBe(304);
    const page = await fetch(`${url}/docs`);
    const again = await fetch(`${url}/docs`, { headers: { "If-None-Match": page.headers.get("ETag")! } });
    expect(again.status).toBe(304);
    expect(again.headers.get("Content-Security-Policy")).toBe(page.headers.get("Content-Security-Policy"));
    expect((await fetch(`${url}/docs`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${url}/docs`, { method: "DELETE" })).status).toBe(405);
    expect((await fetch(`${url}/docs/nothing`)).status).toBe(404);
  });
});
