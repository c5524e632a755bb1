// Tests what the workbench reads from the description of the service.
// Contract: docs/api.md#workbench
import { describe, expect, test } from "vitest";
import { CATALOG } from "../../../site/workbench/model/catalog.ts";
import { type OpenApiDocument, readService } from "../../../site/workbench/model/operations.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { describedService, operationOf } from "./described-operations.ts";

describe.each(["private", "keyed"] as const)("in the %s variant", (variant) => {
  const { operations, ...features } = describedService(variant);

  test("the operations are those of the endpoints that make a file", () => {
    const declared = endpoints.filter(({ variants }) => variants.includes(variant)).map(({ path }) => path);
    expect([...operations.keys()].toSorted()).toEqual(declared.toSorted());
  });

  test("what else the service can do is known", () => {
    expect(features).toEqual({ keyed: variant === "keyed", jobs: true, pagePictures: true, deepZoom: true });
  });

  test("each operation has a title, and each title an operation of some variant", () => {
    const titled = CATALOG.flatMap(({ entries }) => entries.map(({ path }) => path));
    expect(new Set(titled).size).toBe(titled.length);
    expect(titled).toEqual(expect.arrayContaining([...operations.keys()]));
    if (variant === "keyed") expect(titled.toSorted()).toEqual([...operations.keys()].toSorted());
  });
});

test("an operation takes one input, several or a text", () => {
  expect(operationOf("/png").source).toBe("one");
  expect(operationOf("/merged-pdf")).toMatchObject({ source: "several", orderedBy: "type[]" });
  expect(operationOf("/merged-pdf").perInput).toMatchObject({ name: "pages[]", kind: "list", required: true });
  expect(operationOf("/zip")).toMatchObject({ source: "several" });
  expect(operationOf("/zip")).not.toHaveProperty("perInput");
  expect(operationOf("/html").source).toBe("text");
});

test("fields have controls of their kind, with their ranges and defaults", () => {
  const fieldOf = (path: string, name: string) => operationOf(path).fields.find((field) => field.name === name);
  expect(fieldOf("/png", "resolution")).toMatchObject({ kind: "range", min: 12, max: 2400, fallback: "300" });
  expect(fieldOf("/png", "pages")).toMatchObject({ kind: "pages", fallback: "1-last", required: false });
  expect(fieldOf("/png", "color_model")).toMatchObject({ kind: "choice", values: ["rgb", "rgba", "gray"] });
  expect(fieldOf("/split-pdf", "pages[]")).toMatchObject({ kind: "list", required: false });
  expect(fieldOf("/pdf", "tagged_pdf")).toMatchObject({ kind: "switch", fallback: "off" });
  expect(fieldOf("/pdf", "page_margin")).toMatchObject({ kind: "text", examples: ["1in", "12.5mm"] });
  expect(fieldOf("/compressed-pdf", "profile")).toMatchObject({ kind: "json", required: false });
  expect(fieldOf("/html", "content")).toMatchObject({ kind: "long", required: true });
  expect(fieldOf("/png", "id")).toBeUndefined();
});

test("operations that take PDFs only, and the most inputs, are known", () => {
  const pdfOnly = [...describedService("keyed").operations.values()].filter((operation) => operation.pdfOnly);
  const others = endpoints.filter(({ inputs }) => inputs.file?.description !== "PDF");
  expect(pdfOnly.length + others.length).toBe(endpoints.length);
  expect(others.map(({ path }) => path).toSorted()).toEqual(["/html", "/pdf", "/zip"]);
  expect(operationOf("/zip").maxInputs).toBe(1000);
});

test("types of outputs, archives and web pages are known", () => {
  expect(operationOf("/jpg")).toMatchObject({ produces: "image/jpeg", archives: true, webPages: false });
  expect(operationOf("/pdf")).toMatchObject({ produces: "application/pdf", archives: false, webPages: true });
});

test("properties of alternatives are joined, and required if all of them require them", () => {
  const document: OpenApiDocument = {
    paths: {
      "/made": {
        post: {
          requestBody: {
            content: {
              "multipart/form-data": {
                schema: {
                  $ref: "#/components/schemas/Made",
                },
              },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Made: {
          properties: { output: { type: "string" } },
          oneOf: [
            { properties: { id: { type: "string" }, mode: { $ref: "#/components/schemas/Mode" } }, required: ["mode"] },
            { properties: { file: { type: "string" }, more: { type: "string" } }, required: ["mode", "more"] },
          ],
        },
        Mode: { type: "string", enum: ["a", "b"] },
      },
    },
  };
  const made = readService(document).operations.get("/made")!;
  expect(made).toMatchObject({ source: "one", summary: "", produces: "application/octet-stream" });
  expect(made.fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ["output", "text", false],
    ["mode", "choice", true],
    ["more", "text", false],
  ]);
});

test("a description without operations, keys or pages by URL is read, too", () => {
  const { operations, ...features } = readService({ paths: { "/up": {} } });
  expect(operations.size).toBe(0);
  expect(features).toEqual({ keyed: false, jobs: false, pagePictures: false, deepZoom: false });
});
