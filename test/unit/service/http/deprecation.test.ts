// Tests what a deprecated path and a deprecated field become: in OpenAPI, in the client's types, and in responses.
// Contract: docs/api.md#deprecation
import { expect, test } from "vitest";
import { operationsSource } from "../../../../scripts/client/client-sources.ts";
import { apiDescription } from "../../../../src/app/api-description.ts";
import { endpoints } from "../../../../src/endpoints/index.ts";
import { deprecationHeaders } from "../../../../src/service/http/contract/declaration/deprecation.ts";
import { describe } from "../../../../src/service/http/contract/described.ts";
import { openApi } from "../../../../src/service/http/openapi/document.ts";
import { readConfig } from "../../../../src/service/settings/config.ts";

const blank = endpoints.find(({ path }) => path === "/blank-pdf")!;
const path = { since: "2026-12-31", sunset: "2027-06-30", instead: "Use /pdf." };
const field = { since: "2027-01-31", sunset: "2027-05-31", instead: "Use page_size." };
const fields = { ...blank.fields, custom_width: { ...blank.fields.custom_width!, deprecated: field } };
const ending = { ...blank, fields, deprecated: path };

test("descriptions and types say it", () => {
  const served = { ...apiDescription, endpoints: [ending] };
  const document = openApi(served, readConfig({} as Parameters<typeof readConfig>[0]), "https://example.com");
  const { post } = (document.paths as Record<string, { post: Record<string, unknown> }>)["/blank-pdf"]!;
  expect(post).toMatchObject({
    deprecated: true,
    summary: expect.stringMatching(/\. Deprecated since 2026-12-31, ends on 2027-06-30: Use \/pdf\.$/),
    responses: { 200: { headers: { Deprecation: expect.anything(), Sunset: expect.anything() } } },
    requestBody: {
      content: {
        "application/json": {
          schema: {
            properties: {
              custom_width: {
                deprecated: true,
                description: expect.stringContaining("ends on 2027-05-31: Use page_size."),
              },
              custom_height: { description: expect.not.stringContaining("Deprecated") },
            },
          },
        },
      },
    },
  });
  const source = operationsSource([describe(ending)]);
  expect(source.match(/@deprecated/g)).toHaveLength(2);
  expect(source).toMatch(/@deprecated\n {3}\*\/\n {2}readonly customWidth\?/);
  expect(source).toMatch(/@deprecated\n {3}\*\/\n {2}blank\(/);
});

test("nothing else is deprecated without a declaration", () => {
  expect(operationsSource(endpoints.map(describe))).not.toContain("@deprecated");
});

test("responses have the earliest dates of the path and of the fields that were sent", () => {
  const sent = (...names: string[]) => ({ fields: new Map(names.map((name) => [name, ["5"]])) });
  const headers = (endpoint: typeof blank, ...names: string[]) =>
    new Headers(
      deprecationHeaders(endpoint, sent(...names), "https://example.com").map(([name, text]) => [name, text]),
    );
  expect([...headers(blank, "custom_width")]).toEqual([]);
  expect(Object.fromEntries(headers(ending, "custom_height"))).toEqual({
    deprecation: "@1798675200",
    sunset: "Wed, 30 Jun 2027 00:00:00 GMT",
    link: '<https://example.com/docs#blank-pdf>; rel="deprecation"; type="text/html"',
  });
  const { deprecated: _, ...withoutPath } = ending;
  expect([...headers(withoutPath, "custom_height")]).toEqual([]);
  expect(headers(withoutPath, "custom_width").get("deprecation")).toBe("@1801353600");
  expect(headers(ending, "custom_width").get("sunset")).toBe("Mon, 31 May 2027 00:00:00 GMT");
});
