// Tests the generated parts of the client, which follow from the endpoints' declarations.
import { describe, expect, test } from "vitest";
import { OPERATION_SCHEMAS } from "../../../client/generated/operation-schemas.ts";
import { OPERATIONS } from "../../../client/generated/operations.ts";
import { operationsSource } from "../../../scripts/client/client-sources.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { describe as describeEndpoint } from "../../../src/service/http/contract/described.ts";

const operations = endpoints.map(describeEndpoint);

test("every endpoint has an operation", () => {
  expect(
    Object.values(OPERATIONS)
      .map(([path]) => path)
      .toSorted(),
  ).toEqual(endpoints.map(({ path }) => path).toSorted());
  expect(OPERATION_SCHEMAS.map(({ path }) => path)).toEqual(endpoints.map(({ path }) => path));
});

describe("the types tell", () => {
  const source = operationsSource(operations);
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
    expect(source).toContain("merge(inputs: Iterable<Inputs | InputWithPages>");
    expect(source).toContain("zip(inputs: Iterable<Inputs>, ");
  });
});
