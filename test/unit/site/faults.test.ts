// Tests the reasons for which the workbench does not run an operation, and the names of outputs.
// Contract: docs/api.md#workbench, #stored-files
import { describe, expect, test } from "vitest";
import { FIRST_STATE, type Input, type State, type Values } from "../../../site/workbench/model/state.ts";
import { faultsOf, obstacleTo, whyUnusable } from "../../../site/workbench/session/faults.ts";
import { bodyOf, shownFields, shownValue, tasksOf } from "../../../site/workbench/session/request.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { passwordProtected } from "../../../src/service/http/contract/errors.ts";
import { readFields } from "../../../src/service/http/contract/fields.ts";
import { describedService, operationOf } from "./described-operations.ts";

let nextKey = 1;
const input = (name: string, more: Partial<Input> = {}): Input => ({
  ...{ key: nextKey++, name, isResult: false, pages: "all", id: `id of ${name}` },
  info: { name, type: "application/pdf", size: 1, pages: 3 },
  ...more,
});
const stateOf = (path: string, inputs: readonly Input[], values: Values = {}): State => ({
  ...{ ...FIRST_STATE, path, inputs, values: { [path]: values } },
});
const unreadable = (name: string, problem = "The file is empty.") =>
  input(name, { info: { name, type: "application/octet-stream", size: 0, problem } });
const refused = (name: string, status: number, more: Partial<Input> = {}) => {
  const { id: _, info: __, ...rest } = input(name, { problem: { status, sentence: "No." }, ...more });
  return rest;
};

test("the keyed variant needs a key", () => {
  const state = { ...stateOf("/html", []), service: describedService("keyed") };
  expect(obstacleTo(operationOf("/html"), state)).toBe("Enter your key first.");
  expect(obstacleTo(operationOf("/html"), { ...state, apiKey: "a key" })).toBeUndefined();
});

describe("files that keep an operation from running", () => {
  const obstacle = (path: string, ...inputs: readonly Input[]) => obstacleTo(operationOf(path), stateOf(path, inputs));

  test("there is none", () => {
    expect(obstacle("/png")).toBe("Choose a file first.");
    expect(obstacle("/html")).toBeUndefined();
    expect(obstacle("/png", input("a.pdf"))).toBeUndefined();
  });

  test("one is unreadable, which an archive takes nevertheless", () => {
    const files = [input("a.pdf"), unreadable("b.pdf"), unreadable("c.exe")];
    expect(obstacle("/merged-pdf", ...files)).toBe("Remove 2 files first.");
    expect(obstacle("/merged-pdf", ...files.slice(0, 2))).toBe("Remove b.pdf first.");
    expect(obstacle("/zip", ...files)).toBeUndefined();
    // With one job for each file, other files are still processed.
    expect(obstacle("/png", ...files)).toBeUndefined();
    expect(obstacle("/png", ...files.slice(1))).toBe("Remove 2 files first.");
  });

  test("one needs a password, unless the operation has a field for it", () => {
    const locked = unreadable("locked.pdf", passwordProtected().message);
    const pdf = { ...locked, info: { ...locked.info!, type: "application/pdf" } };
    const faults = (path: string, values: Values = {}, inputs: readonly Input[] = [pdf]) =>
      faultsOf(operationOf(path), stateOf(path, inputs, values)).map(({ name }) => name);
    for (const path of ["/decrypted-pdf", "/rotated-pdf", "/merged-pdf", "/png"]) {
      expect([path, obstacle(path, pdf), faults(path)]).toEqual([path, undefined, ["current_open_password"]]);
      expect([path, faults(path, { current_open_password: "correct horse" })]).toEqual([path, []]);
      expect([path, faults(path, { current_open_password: " " })]).toEqual([path, []]);
      expect(whyUnusable(operationOf(path), locked)).toBe(passwordProtected().message);
    }
    expect(faults("/rotated-pdf", {}, [pdf, input("a.pdf")])).toEqual([]);
    expect([obstacle("/pdf-info", pdf), faults("/pdf-info")]).toEqual([undefined, []]);
    const known = { new_permissions_password: "correct horse", current_permissions_password: "battery staple" };
    expect(faults("/restricted-pdf", known)).toEqual([]);
    expect(obstacle("/pdf", pdf)).toBe("Remove locked.pdf first.");
  });

  test("one could not be stored, or its address may not be visited", () => {
    expect(obstacle("/zip", refused("huge.pdf", 413))).toBe("Remove huge.pdf first.");
    const address = { url: "http://127.0.0.1/" };
    expect(obstacle("/pdf", refused(address.url, 400, address))).toBe("Remove http://127.0.0.1/ first.");
  });

  test("one is a PDF, and documents become PDFs", () => {
    const letter = { info: { name: "letter.docx", type: "application/msword", size: 1 } };
    expect(obstacle("/pdf", input("a.pdf"))).toBe("Remove a.pdf first.");
    expect(obstacle("/pdf", input("a.pdf"), input("letter.docx", letter))).toBeUndefined();
    expect(whyUnusable(operationOf("/pdf"), input("a.pdf"))).toBe("The file is a PDF already.");
    expect(whyUnusable(operationOf("/pdf"), input("letter.docx", letter))).toBeUndefined();
    for (const path of ["/pdfa", "/png", "/merged-pdf", "/zip"]) {
      expect([path, whyUnusable(operationOf(path), input("a.pdf"))]).toEqual([path, undefined]);
    }
  });

  test("an address that could not be fetched may be a web page", () => {
    const page = refused("https://example.org/", 422, { url: "https://example.org/" });
    expect(obstacle("/pdf", page)).toBeUndefined();
    expect(obstacle("/png", page)).toBe("Remove https://example.org/ first.");
  });
});

describe("faults of a form", () => {
  const faults = (path: string, state: State) =>
    faultsOf(operationOf(path), state).map(({ control, sentence, isMissing }) => [control, sentence, isMissing]);

  test("are told all at once, whether a field is empty or wrong", () => {
    expect(faults("/png", stateOf("/png", [input("a.pdf")], { output: " ", pages: "7", resolution: "9" }))).toEqual([
      ["field-output", "The 'output' field is required.", true],
      ["field-pages", "7 is not within the acceptable range for pages. The document has 3 pages.", false],
      ["field-resolution", "9 is not within the acceptable range for resolution.", false],
    ]);
    expect(faults("/html", stateOf("/html", []))).toEqual([
      ["field-content", "The 'content' field is required.", true],
    ]);
  });

  test("pages of each file of a merge are part of it", () => {
    const inputs = [input("a.pdf", { pages: "4" }), input("b.pdf"), input("c.pdf", { pages: "x" })];
    expect(faults("/merged-pdf", stateOf("/merged-pdf", inputs)).map(([control]) => control)).toEqual([
      ...[`pages-${inputs[0]!.key}`, `pages-${inputs[2]!.key}`],
    ]);
  });

  test("a profile counts for the level custom alone, and has a value that works", () => {
    const state = (values: Values) => stateOf("/compressed-pdf", [input("a.pdf")], values);
    const compress = operationOf("/compressed-pdf");
    const names = (values: Values) => shownFields(compress, state(values)).map(({ name }) => name);
    expect(names({})).toEqual(["output", "compression_level", "target_size", "current_open_password"]);
    expect(names({ compression_level: "custom" })).toEqual([
      ...["output", "compression_level", "profile", "target_size", "current_open_password"],
    ]);
    expect(tasksOf(compress, state({ profile: "{" }))[0]!.values).not.toHaveProperty("profile");
    expect(faults("/compressed-pdf", state({ profile: "{" }))).toEqual([]);
    expect(faults("/compressed-pdf", state({ compression_level: "custom" }))).toEqual([]);
    expect(tasksOf(compress, state({ compression_level: "custom" }))[0]!.values.profile).toContain("trigger-dpi");
    expect(faults("/compressed-pdf", state({ compression_level: "custom", profile: "" }))).toEqual([
      ["field-profile", "The 'profile' field is required.", true],
    ]);
    expect(faults("/compressed-pdf", state({ compression_level: "custom", profile: "{" }))[0]![1]).toContain(
      "is not a JSON file",
    );
  });
});

describe("what is made", () => {
  const nameOf = (path: string, ...names: readonly string[]) => {
    const inputs = names.map((name) => input(name, /^http/.test(name) ? { url: name } : {}));
    return tasksOf(operationOf(path), stateOf(path, inputs))[0]!.values.output;
  };

  test("of several files has a name of its own, and of one the name of that", () => {
    expect(nameOf("/merged-pdf", "2.pdf", "10.pdf")).toBe("merged");
    expect(nameOf("/merged-pdf", "2.pdf")).toBe("2_merged-pdf");
    expect(nameOf("/zip", "a.docx", "b.pdf")).toBe("archive");
    expect(nameOf("/merged-pdf", "https://example.org/a.pdf", "b.pdf")).toBe("merged");
  });

  test("never has the name of an input", () => {
    expect(nameOf("/merged-pdf", "a.pdf", "Merged.PDF")).toBe("merged_merged-pdf");
    expect(nameOf("/zip", "a.pdf", "archive.zip")).toBe("archive_zip");
  });
});

test.each([
  ["/pdf-with-metadata", "metadata", '{"title":1}'],
  ["/pdf-with-metadata", "metadata", "[]"],
  ["/zugferd-pdf", "render_options", '{"label_language":"tlh"}'],
  ["/pdf-with-page-boxes-set", "boxes", "{}"],
  ["/pdf-with-bookmarks", "bookmarks", '[{"title":"x","page":0}]'],
  ["/pdf-with-bookmarks", "bookmarks", '[{"title":"x"}]'],
  ["/pdf-with-page-boxes-set", "boxes", '{"boxes":[{"box":"none","pages":[]}]}'],
])("%s: the error of a member of %s is that of the service: %s", (path, name, text) => {
  const faults = faultsOf(operationOf(path), stateOf(path, [input("a.pdf")], { [name]: text }));
  const { fields } = endpoints.find((endpoint) => endpoint.path === path)!;
  const sent = new Map([
    [name, [text]],
    ["output", ["a"]],
  ] as const);
  expect(faults).toHaveLength(1);
  expect(() => readFields(fields, { fields: sent }, {})).toThrow(
    expect.objectContaining({ message: faults[0]!.sentence }),
  );
});

test("another name of a field is not shown", () => {
  const names = shownFields(operationOf("/png"), stateOf("/png", [])).map(({ name }) => name);
  expect(names).toContain("current_open_password");
  expect(names).not.toContain("password");
});

test("a password starts empty, although the documentation has an example", () => {
  for (const path of ["/encrypted-pdf", "/decrypted-pdf", "/restricted-pdf", "/unrestricted-pdf"]) {
    const operation = operationOf(path);
    const state = stateOf(path, [input("a.pdf")]);
    for (const field of operation.fields.filter(({ control }) => control === "password")) {
      expect(shownValue(operation, field, state)).toBe("");
    }
    expect(obstacleTo(operation, state)).toBeUndefined();
    expect(faultsOf(operation, state).length).toBe(
      operation.fields.filter(({ secret, required }) => secret && required).length,
    );
  }
});

test.each([...describedService("keyed").operations.values()].map((operation) => [operation.path, operation] as const))(
  "%s runs with its defaults, as soon as passwords and texts are there",
  (path, operation) => {
    const document = operation.input.accepts === "documents" ? { type: "application/msword" } : {};
    const inputs = [
      input("a.pdf", { info: { name: "a.pdf", type: "application/pdf", size: 1, pages: 3, ...document } }),
    ];
    const needed = operation.files.filter(({ name }) => operation.example[name] !== undefined);
    const further = needed.map(({ name }) => input("b.png", { field: name }));
    const empty = operation.fields.filter(
      ({ required, control }) => required && ["password", "lines"].includes(control),
    );
    const typed = empty.map(({ name }) => [name, "correct horse"]);
    const state = { ...stateOf(path, inputs, Object.fromEntries(typed)), further };
    expect([obstacleTo(operation, state), faultsOf(operation, state)]).toEqual([undefined, []]);
    const body = bodyOf(operation, tasksOf(operation, state)[0]!);
    const { fields } = endpoints.find((endpoint) => endpoint.path === path)!;
    const sent = Object.entries(body).map(
      ([name, value]) => [name.replace("[]", ""), [value].flat() as string[]] as const,
    );
    expect(() => readFields(fields, { fields: new Map(sent) }, {})).not.toThrow();
  },
);

test("a JSON field may be empty if it is optional, and begins with the example if there is one", () => {
  const operation = operationOf("/pdf-with-added-image");
  const faults = (values: Values) => {
    const further = [input("logo.png", { field: "image_file" })];
    return faultsOf(operation, { ...stateOf(operation.path, [input("a.pdf")], values), further });
  };
  expect(faults({})).toEqual([]);
  expect(faults({ image_objects: "[" }).map(({ name }) => name)).toEqual(["image_objects"]);
});
