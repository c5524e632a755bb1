// Tests the reading of the list of operations by the workbench.
// Contract: docs/api.md#workbench
import { describe, expect, test } from "vitest";
import { endpoints } from "../../../src/endpoints/index.ts";
import { describedService, operationOf } from "./described-operations.ts";

describe.each(["private", "keyed"] as const)("in the %s variant", (variant) => {
  const { all, operations, ...limits } = describedService(variant);

  test("the operations are those of the endpoints that make a file", () => {
    const declared = endpoints.filter(({ variants }) => variants.includes(variant)).map(({ path }) => path);
    expect([...operations.keys()]).toEqual(declared);
    expect([...all.keys()]).toEqual(endpoints.map(({ path }) => path));
  });

  test("keys and limits are known", () => {
    expect(limits).toEqual({ keyed: variant === "keyed", maxInputs: 1000 });
  });
});

test("each operation has a title and a verb of its own, and groups follow each other", () => {
  const all = [...describedService("keyed").all.values()];
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  expect(new Set(all.map(({ verb }) => verb)).size).toBe(all.length);
  const groups = all.map(({ group }) => group).filter((group, at, given) => group !== given[at - 1]);
  expect(groups).toEqual(["Make a PDF", "Improve a PDF", "Protect a PDF", "Draw the pages", "Read a PDF", "Store"]);
});

test("an operation takes one input, several, a text or nothing", () => {
  expect(operationOf("/blank-pdf").input.kind).toBe("none");
  expect(operationOf("/png").input.kind).toBe("one");
  expect(operationOf("/merged-pdf")).toMatchObject({ input: { kind: "several" }, orderedBy: "type[]" });
  expect(operationOf("/merged-pdf").perInput).toMatchObject({ name: "pages[]", list: true, required: true });
  expect(operationOf("/zip")).toMatchObject({ input: { kind: "several" } });
  expect(operationOf("/zip")).not.toHaveProperty("perInput");
  expect(operationOf("/html").input.kind).toBe("text");
});

test("fields have controls of their kind, with their ranges and defaults", () => {
  const fieldOf = (path: string, name: string) => operationOf(path).fields.find((field) => field.name === name);
  expect(fieldOf("/png", "resolution")).toMatchObject({
    control: "slider",
    schema: { minimum: 12, maximum: 2400 },
    default: 300,
  });
  expect(fieldOf("/png", "pages")).toMatchObject({ control: "pages", default: "1-last", required: false });
  expect(fieldOf("/png", "color_model")).toMatchObject({
    control: "choice",
    schema: { enum: ["rgb", "rgba", "gray"] },
  });
  expect(fieldOf("/split-pdf", "pages[]")).toMatchObject({ list: true, required: false });
  expect(fieldOf("/pdf", "tagged_pdf")).toMatchObject({ control: "switch", default: "off" });
  expect(fieldOf("/pdf", "page_margin")).toMatchObject({
    control: "text",
    schema: { examples: ["1in", "12.5mm"] },
  });
  expect(fieldOf("/restricted-pdf", "restrictions[]")).toMatchObject({
    list: true,
    schema: { enum: expect.arrayContaining(["print_high"]) },
  });
  expect(fieldOf("/pdf-info", "queries")).toMatchObject({
    joined: true,
    words: expect.arrayContaining(["title", "all"]),
  });
  expect(fieldOf("/compressed-pdf", "profile")).toMatchObject({ control: "code", required: false });
  expect(fieldOf("/blank-pdf", "page_count")).toMatchObject({ control: "slider" });
  expect(fieldOf("/blank-pdf", "custom_width")).toMatchObject({ control: "number", schema: { minimum: 0.01 } });
  expect(fieldOf("/html", "content")).toMatchObject({ control: "lines", required: true });
  expect(fieldOf("/png", "id")).toBeUndefined();
});

test("operations that take PDFs only, and files of any kind, are known", () => {
  const pdfOnly = [...describedService("keyed").operations.values()].filter(({ input }) => input.accepts === "pdf");
  const others = endpoints.filter(({ inputs }) => !/^PDF\b(?!,? or)/.test(inputs.file?.description ?? ""));
  expect(pdfOnly.length + others.length).toBe(endpoints.length);
  expect(others.map(({ path }) => path).toSorted()).toEqual(expect.arrayContaining(["/html", "/pdf", "/zip"]));
  expect(operationOf("/zip").input.accepts).toBe("files");
});

test("types of outputs, archives and web pages are known", () => {
  expect(operationOf("/jpg")).toMatchObject({
    output: { type: "image/jpeg", archives: true },
    input: { webPages: false },
  });
  expect(operationOf("/pdf")).toMatchObject({
    output: { type: "application/pdf", archives: false },
    input: { webPages: true },
  });
});
