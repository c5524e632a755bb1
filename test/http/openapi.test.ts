// Tests GET /openapi.json and /operations.json, which are generated from the same declarations as the service's
// behavior.
// Contract: docs/api.md#api-description, #errors
import { describe, expect, test } from "vitest";
import { keyedClient, privateClient } from "../support/client.ts";

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}
interface Body {
  readonly properties: object;
  readonly required: readonly string[];
  readonly allOf: readonly { readonly anyOf?: readonly Body[] }[];
}
interface Described {
  readonly properties: Record<string, Schema>;
  readonly required: string[];
  readonly anyOf?: readonly Described[];
}
interface Post {
  readonly security?: unknown;
  readonly parameters: readonly { readonly name: string }[];
  readonly requestBody: {
    content: { "multipart/form-data": { schema: { properties: Record<string, Schema>; required: string[] } } };
  };
  readonly responses: Record<
    string,
    {
      description: string;
      content: Record<string, { schema: { anyOf: [Described, Described] } }>;
    }
  >;
}

async function describePath(client: { url: string }, path: string): Promise<Post> {
  const response = await fetch(`${client.url}/openapi.json`);
  const document = (await response.json()) as { openapi: string; paths: Record<string, { post: Post }> };
  expect(document.openapi).toMatch(/^3\.1\./);
  return document.paths[path]!.post;
}

test.each([
  ["private", privateClient],
  ["keyed", keyedClient],
] as const)(
  "/operations.json lists the operations of both variants, with the limits of the %s one",
  async (variant, client) => {
    const { url } = client();
    const response = await fetch(`${url}/operations.json`);
    const { operations, ...limits } = (await response.json()) as { operations: { path: string }[] };
    expect(limits).toEqual({ variant, keyed: variant === "keyed", maxInputs: 1000 });
    expect(operations.map(({ path }) => path)).toContain("/linearized-pdf");
    const headers = { "If-None-Match": response.headers.get("ETag")! };
    expect((await fetch(`${url}/operations.json`, { headers })).status).toBe(304);
  },
);

/** Fields of the endpoints that also take pictures of web pages. */
const FIELDS_OF_PAGES = [
  ...["asset_files", "asset_ids[]", "asset_urls[]", "background", "cookies", "device_scale", "fail_on", "full_page"],
  ...["font_files", "font_ids[]", "font_urls[]", "headers", "media", "selector", "user_agent", "viewport", "wait_for"],
];

describe("/openapi.json", () => {
  test.each([
    ["/bmp", ["rgb", "gray"]],
    ["/jpg", ["rgb", "cmyk", "gray"]],
    ["/png", ["rgb", "rgba", "gray"]],
    ["/gif", ["rgb", "gray"]],
    ["/tif", ["rgb", "rgba", "cmyk", "lab", "gray"]],
  ])("spec: every parameter of %s with default and range", async (path, models) => {
    const { requestBody } = await describePath(privateClient(), path);
    const { properties, required } = requestBody.content["multipart/form-data"].schema;
    expect(required).toEqual(["output"]);
    expect(properties.pages).toMatchObject({ type: "string", default: "1-last" });
    expect(properties.resolution).toMatchObject({ type: "integer", minimum: 12, maximum: 2400, default: 300 });
    expect(properties.color_model).toMatchObject({ type: "string", enum: models, default: "rgb" });
    expect(Object.keys(properties).sort()).toEqual(
      [
        "color_model",
        "current_open_password",
        "file",
        "id",
        "output",
        "output_url",
        "pages",
        "password",
        "resolution",
        "smoothing",
        "trim",
        "trim_margin",
        "url",
        ...(path === "/jpg" ? ["jpeg_quality"] : []),
        ...(path === "/tif" ? ["multipage"] : []),
        ...(["/jpg", "/png"].includes(path) ? FIELDS_OF_PAGES : []),
      ].sort(),
    );
    if (path === "/jpg") {
      expect(properties.jpeg_quality).toMatchObject({ type: "integer", minimum: 1, maximum: 100, default: 75 });
    }
  });

  test("spec: the errors of an image endpoint, text verbatim", async () => {
    const { responses } = await describePath(privateClient(), "/png");
    expect(responses[400]!.description).toContain("This route will only accept a File or an ID, not both.");
    expect(responses[400]!.description).toContain("is not within the acceptable range for");
    expect(responses[401]!.description).toContain("The input file is password protected and cannot be processed.");
    expect(responses[413]!.description).toContain("The file exceeds the maximum size of 100 MB.");
  });

  test.each(["application/json", "application/x-www-form-urlencoded"])("%s: the same without files", async (type) => {
    const { requestBody } = await describePath(privateClient(), "/merged-pdf");
    const bodies = requestBody.content as unknown as Record<string, { schema: Body }>;
    const { schema } = bodies[type]!;
    expect(Object.keys(schema.properties).toSorted()).toEqual([
      ...["current_open_password", "id[]", "output", "output_url", "pages[]", "type[]", "url[]"],
    ]);
    expect(schema.required.includes("output")).toBe(type !== "application/json");
    expect(schema.allOf[0]!.anyOf!.map(({ required }) => required)).toEqual([["id[]"], ["url[]"]]);
  });

  test("the forms of an answer, and the routes without an operation", async () => {
    const { responses } = await describePath(privateClient(), "/png");
    expect(Object.keys(responses[200]!.content)).toEqual(["application/json", "image/png", "application/zip"]);
    expect(responses[406]!.description).toBe(
      "The response is available only as application/json, image/png, application/zip.",
    );
    for (const path of ["/upload", "/delete"]) {
      expect((await describePath(privateClient(), path)).responses[200]!.content).toHaveProperty(["application/json"]);
    }
  });

  test("an answer that comes later", async () => {
    for (const path of ["/png", "/upload", "/delete"]) {
      const { parameters, responses } = await describePath(privateClient(), path);
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(["Prefer", "Response-Type"]));
      expect(responses[200]!.content["application/json"]!.schema.anyOf[1].required).toEqual(["requestId"]);
      expect(responses[202]!.content["application/json"]!.schema).toMatchObject({ required: ["requestId"] });
    }
  });

  test("spec: the key belongs to the keyed variant", async () => {
    expect((await describePath(privateClient(), "/html")).security).toEqual([]);
    const keyed = await describePath(keyedClient(), "/html");
    expect(keyed.security).toEqual([{ ApiKey: [] }]);
    expect(keyed.responses[401]!.description).toContain("The provided key is not valid.");
  });

  test.each([
    [
      "/merged-pdf",
      ["current_open_password", "file", "id[]", "output", "output_url", "pages[]", "type[]", "url[]"],
      ["output", "pages[]", "type[]"],
    ],
    [
      "/split-pdf",
      ["current_open_password", "file", "id", "output", "output_url", "pages[]", "pages_per_file", "url"],
      [],
    ],
    ["/zip", ["file", "id[]", "output", "output_url", "url[]"], ["output"]],
    ["/linearized-pdf", ["current_open_password", "file", "id", "output", "output_url", "url"], ["output"]],
    [
      "/flattened-transparencies-pdf",
      ["current_open_password", "file", "id", "output", "output_url", "quality", "url"],
      ["output"],
    ],
  ])("spec: every parameter of %s, and which are required", async (path, names, needed) => {
    const { requestBody } = await describePath(keyedClient(), path);
    const { properties, required } = requestBody.content["multipart/form-data"].schema;
    expect(Object.keys(properties).toSorted()).toEqual(names);
    expect(required.toSorted()).toEqual(needed);
    for (const [name, { type }] of Object.entries(properties)) {
      const isList = name.endsWith("[]") || (name === "file" && names.includes("id[]"));
      expect([name, type]).toEqual([name, isList ? "array" : name === "pages_per_file" ? "integer" : "string"]);
    }
  });

  test("spec: the errors of /merged-pdf and /zip, text verbatim", async () => {
    const merge = await describePath(privateClient(), "/merged-pdf");
    expect(merge.responses[400]!.description).toContain("Too many 'file' or 'id' values.");
    const zip = await describePath(privateClient(), "/zip");
    expect(zip.responses[400]!.description).toContain("Found more than one output key, only one is allowed.");
  });

  test("spec: /html needs content and output", async () => {
    const { requestBody, responses } = await describePath(privateClient(), "/html");
    expect(requestBody.content["multipart/form-data"].schema.required.toSorted()).toEqual(["content", "output"]);
    expect(responses[400]!.description).toContain("The 'content' field is required.");
  });

  test.each(["/pdf", "/pdfa", "/merged-pdf", "/split-pdf", "/png", "/html", "/zip"])(
    "%s: notices are described, and never required",
    async (path) => {
      const { responses } = await describePath(keyedClient(), path);
      const [{ anyOf: alternatives }] = responses[200]!.content["application/json"]!.schema.anyOf;
      // Stored outputs, and outputs that were sent to an address.
      expect(alternatives!.map(({ required }) => required.includes("outputId"))).toEqual([true, false]);
      for (const { properties, required } of alternatives!) {
        expect(properties.notices).toMatchObject({ type: "array", items: { type: "string" } });
        expect(required).not.toContain("notices");
      }
    },
  );
});
