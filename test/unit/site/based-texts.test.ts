// Tests that texts with the base URL are rendered once, and are right for each host.
// Contract: docs/api.md#reference, #api-description
import { expect, test } from "vitest";
import { apiDescription } from "../../../src/app/api-description.ts";
import { openApi } from "../../../src/service/http/openapi/document.ts";
import { basedText } from "../../../src/service/reference/based-texts.ts";
import { DOCS_PATHS, readDocs } from "../../../src/service/reference/docs.ts";
import { readConfig } from "../../../src/service/settings/config.ts";

const textWith = (...given: Parameters<typeof basedText>) => new TextDecoder().decode(basedText(...given));

const configOf = (settings: object) => readConfig(settings as Parameters<typeof readConfig>[0]);
const config = configOf({});

test("is written once for all hosts, and again for other settings", () => {
  let count = 0;
  const write = (baseUrl: string) => {
    count++;
    return `at ${baseUrl}/docs, and ${baseUrl}`;
  };
  for (const baseUrl of ["https://a.example", "http://[::1]:8787", "http://localhost"]) {
    expect(textWith("/a", { config, baseUrl }, write)).toBe(`at ${baseUrl}/docs, and ${baseUrl}`);
  }
  expect(count).toBe(1);
  const own = configOf({ BASE_URL: "https://b.example/it's" });
  expect(textWith("/a", { config: own, baseUrl: own.baseUrl! }, write)).toContain("at https://b.example/it's/docs");
  textWith("/a", { config: configOf({ VARIANT: "keyed" }), baseUrl: "https://a.example" }, write);
  expect(count).toBe(3);
});

test.each([`http://a"onfocus=b`, "http://a'b", "http://a&lt;b", "http://a$&b"])(
  "a host with characters of HTML or of programs stays a host: %s",
  (baseUrl) => {
    const text = textWith("/b", { config, baseUrl }, (url) => `<a href="${url}">`);
    expect(text).toMatch(/^<a href="http:\/\/a%\w+[\w%]*">$/);
  },
);

test("every page and the description have the host of the request, and no trace of another one", async () => {
  for (const baseUrl of ["https://one.example", "https://two.example:8443"]) {
    for (const path of DOCS_PATHS) {
      expect(await readDocs(path, { served: apiDescription, config, baseUrl }).text()).not.toMatch(/base-url\.invalid/);
    }
    for (const path of ["/docs", "/docs.md", "/llms.txt"]) {
      expect(await readDocs(path, { served: apiDescription, config, baseUrl }).text()).toContain(baseUrl);
    }
    const write = (url: string) => JSON.stringify(openApi(apiDescription, config, url));
    expect(JSON.parse(textWith("/openapi.json", { config, baseUrl }, write))).toEqual(
      JSON.parse(JSON.stringify(openApi(apiDescription, config, baseUrl))),
    );
  }
});
