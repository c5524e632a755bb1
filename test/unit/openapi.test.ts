// Tests the API description of every deployment: it follows Redocly's recommended rules, and its examples and
// alternatives are valid.
// Contract: docs/api.md#api-description
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { apiDescription } from "../../src/app/api-description.ts";
import { openApi } from "../../src/service/http/openapi/document.ts";
import { readConfig } from "../../src/service/settings/config.ts";

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: object }>>;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const documentOf = (variant: string) => {
  const config = readConfig({ VARIANT: variant, LLM_URL: "http://localhost/v1", LLM_MODEL: "small" } as Parameters<
    typeof readConfig
  >[0]);
  return openApi(apiDescription, config, "https://pagewright.test") as unknown as Document;
};

describe.each(["private", "keyed"])("the description of the %s variant", (variant) => {
  const document = documentOf(variant);
  const operations = Object.values(document.paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => (method === "parameters" ? [] : [{ method, ...operation }])),
  );

  test("has no problem by the recommended rules of Redocly", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    const { info: _, ...broken } = document as Document & { info: unknown };
    expect(await lintFromString({ source: JSON.stringify(broken), config })).not.toEqual([]);
  });

  test("explains each operation, and lists have items", () => {
    expect(operations.filter(({ description }) => !description).map(({ operationId }) => operationId)).toEqual([]);
    const lists: Json[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      const { type } = value as Json;
      if ([type].flat().includes("array")) lists.push(value as Json);
      Object.values(value).forEach(visit);
    };
    visit(document);
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.filter(({ items }) => items === undefined)).toEqual([]);
  });

  test("states the range of each number in a JSON value", () => {
    const numbers: Json[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      const { type } = value as Json;
      if (type === "number") numbers.push(value as Json);
      Object.values(value).forEach(visit);
    };
    const names = ["TextObjects", "ImageObjects", "ShapeObjects", "TableObjects", "PageBoxes", "RenderOptions"];
    for (const name of names) visit(document.components.schemas[name]);
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.filter(({ minimum, maximum }) => minimum === undefined || maximum === undefined)).toEqual([]);
  });

  test("names each operation once", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(20);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("asks for the key where the service does", () => {
    const guarded = operations.filter(({ security }) => security.length > 0);
    // A download requires the key only if it deletes the file.
    const asking = operations.filter(({ operationId }) => operationId !== "get-resource");
    const expected =
      variant === "keyed" ? asking.filter(({ responses }) => responses[401]?.description.includes("key")) : [];
    expect(guarded.map(({ operationId }) => operationId)).toEqual(expected.map(({ operationId }) => operationId));
    expect(guarded.length > 10).toBe(variant === "keyed");
  });
});

describe("the body of a request", () => {
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  const { paths, components } = documentOf("keyed");
  const isValid = (path: string, type: string, body: unknown) =>
    ajv.validate({ ...paths[path]!.post!.requestBody!.content[type]!.schema, components }, body);
  const id = "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55";
  const url = "https://www.example.com/report.pdf";

  test.each(apiDescription.endpoints.map(({ path }) => path))("%s: the examples are valid", (path) => {
    for (const [type, { example }] of Object.entries(paths[path]!.post!.requestBody!.content)) {
      expect([type, example && isValid(path, type, example)]).toEqual([type, true]);
    }
  });

  test.each([
    ["one input", { id }, true],
    ["another input", { url }, true],
    ["no input", {}, false],
    ["two inputs", { id, url }, false],
    ["an id that none is", { id: "report" }, false],
    ["a value out of range", { id, resolution: 2401 }, false],
    ["pages as a list", { id, pages: [1, "3-last"] }, true],
  ])("/png in JSON, %s", (_what, body, expected) => {
    expect(isValid("/png", "application/json", body)).toBe(expected);
  });

  test("/pdf-info in JSON, with words of a list", () => {
    const asking = (queries: unknown) => isValid("/pdf-info", "application/json", { id, queries });
    expect([asking(["title", "all"]), asking("title,all"), asking(["titel"])]).toEqual([true, true, false]);
    expect(JSON.stringify(paths["/pdf-info"])).toContain("One or more of tagged, ");
  });

  test.each([
    ["files", { file: ["bytes"], "type[]": ["file"] }, true],
    ["ids and URLs", { "id[]": [id], "url[]": [url], "type[]": ["id", "url"] }, true],
    ["no input", { "type[]": [] }, false],
    ["no order", { "id[]": [id] }, false],
  ])("/merged-pdf as a form, %s", (_what, body, expected) => {
    expect(isValid("/merged-pdf", "multipart/form-data", { output: "a", "pages[]": ["all"], ...body })).toBe(expected);
  });

  test.each([
    ["without a profile", { compression_level: "high" }, true],
    ["custom without a profile", { compression_level: "custom" }, false],
    ["custom with a profile", { compression_level: "custom", profile: { fonts: {} } }, true],
    ["a profile as a text", { compression_level: "custom", profile: "{}" }, true],
    ["a key that is unknown", { compression_level: "custom", profile: { font: {} } }, true],
    [
      "a switch that is a word",
      { compression_level: "custom", profile: { fonts: { "remove-unused-fonts": "on" } } },
      true,
    ],
    ["another word", { compression_level: "custom", profile: { fonts: { "remove-unused-fonts": "yes" } } }, false],
    ["half of a pair", { compression_level: "custom", profile: { images: { color: { downsample: {} } } } }, false],
  ])("/compressed-pdf in JSON, %s", (_what, body, expected) => {
    expect(isValid("/compressed-pdf", "application/json", { id, ...body })).toBe(expected);
  });
});
