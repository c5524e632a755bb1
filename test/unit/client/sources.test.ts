// The parts of the client that follow from the declarations of the endpoints.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../client/core/operations.ts";
import { declaredSource, operationsSource } from "../../../scripts/client/client-sources.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { toolOf } from "../../../src/service/http/mcp/tools.ts";

const client = join(import.meta.dirname, "../../../client");
const tools = endpoints.map(toolOf);

test.each([
  ["core/operations.ts", operationsSource(tools)],
  ["cli/operation-schemas.ts", declaredSource(tools)],
])("%s is what `node scripts/bootstrap.mjs scripts/write-client.ts` writes", (path, source) => {
  expect(readFileSync(join(client, path), "utf8")).toBe(source);
});

test("every endpoint has an operation", () => {
  expect(
    Object.values(OPERATIONS)
      .map(([path]) => path)
      .toSorted(),
  ).toEqual(endpoints.map(({ path }) => path).toSorted());
});

describe("the types tell", () => {
  const source = operationsSource(tools);
  const typeOf = (name: string) => new RegExp(`export interface ${name} \\{[^}]*\\}`).exec(source)![0];

  test("ranges, defaults and allowed values", () => {
    expect(typeOf("JpgParams")).toContain("@minimum 1\n   * @maximum 100\n   * @default 75");
    expect(typeOf("TifParams")).toContain('colorModel?: "rgb" | "rgba" | "cmyk" | "lab" | "gray"');
    expect(typeOf("PdfParams")).toContain('downsample?: 75 | "75"');
  });

  test("which parameters are required", () => {
    expect(typeOf("PdfaParams")).toContain("readonly outputType: ");
    expect(source).toContain("pdfa(input: Inputs, params: PdfaParams");
    expect(source).toContain("png(input: Inputs, params?: PngParams");
  });

  test("inputs with pages where an operation takes them", () => {
    expect(source).toContain("merge(inputs: Iterable<Inputs | Selected>");
    expect(source).toContain("zip(inputs: Iterable<Inputs>, ");
  });
});
