// Tests the jobs and the code that the workbench creates for the files in its list.
// Contract: docs/api.md#workbench
import { describe, expect, test } from "vitest";
import { FIRST_STATE, type Input, type State } from "../../../site/workbench/model/state.ts";
import { bodyOf, callsOfState, isConverted, tasksOf } from "../../../site/workbench/session/request.ts";
import { LANGUAGES } from "../../../src/service/reference/snippets/languages.ts";
import { describedService, operationOf } from "./described-operations.ts";

const PDF = "application/pdf";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
let key = 0;
const given = (name: string, type?: string, more: Partial<Input> = {}): Input => ({
  ...{ key: ++key, name, isResult: false, pages: "all" },
  ...(type === undefined ? {} : { id: `1${name}`, info: { name, type, size: 1 } }),
  ...more,
});
const stateOf = (path: string, inputs: readonly Input[], more: Partial<State> = {}): State => ({
  ...FIRST_STATE,
  ...{ service: describedService("keyed"), path, inputs, ...more },
});
const namesOf = (path: string, inputs: readonly Input[], output?: string) =>
  tasksOf(operationOf(path), stateOf(path, inputs, output === undefined ? {} : { values: { [path]: { output } } })).map(
    ({ values }) => values.output,
  );

describe("files of the list", () => {
  test("have a job each where an operation takes one, and names that no other has", () => {
    const inputs = [given("a.pdf", PDF), given("A.docx", WORD), given("b.pdf", PDF), given("a.pdf", PDF)];
    expect(namesOf("/png", inputs)).toEqual(["a", "A (2)", "b", "a (3)"]);
    expect(namesOf("/pdfa", inputs)).toEqual(["a_pdfa", "A_pdfa (2)", "b_pdfa", "a_pdfa (3)"]);
    expect(namesOf("/png", inputs, "of one file")).toEqual(["a", "A (2)", "b", "a (3)"]);
  });

  test("have one job where an operation takes several, or there is one", () => {
    const inputs = [given("a.pdf", PDF), given("b.docx", WORD)];
    expect(namesOf("/merged-pdf", inputs)).toEqual(["merged"]);
    expect(namesOf("/zip", inputs, "all")).toEqual(["all"]);
    expect(namesOf("/png", [given("b.docx", WORD)])).toEqual(["b"]);
    expect(namesOf("/html", inputs)).toEqual(["page"]);
  });

  test("keep their pages in a merge, whatever they became", () => {
    const operation = operationOf("/merged-pdf");
    const [task] = tasksOf(
      operation,
      stateOf("/merged-pdf", [given("a.pdf", PDF, { pages: "2" }), given("b.pdf", PDF)]),
    );
    expect(bodyOf(operation, task!)).toMatchObject({ "id[]": ["1a.pdf", "1b.pdf"], "pages[]": ["2", "all"] });
  });
});

describe("a document becomes a PDF first", () => {
  const png = operationOf("/png");
  test.each([
    ["by its content", given("report.pdf", WORD), true],
    ["also a picture", given("scan.png", "image/png"), true],
    ["by its name while it is not stored", given("report.docx"), true],
    ["not a PDF by its content", given("report.bin", PDF), false],
    ["not a PDF that is damaged", given("report.pdf", "application/octet-stream"), false],
    [
      "not an address, before it is fetched",
      given("https://example.com/a.docx", undefined, { url: "https://example.com/a.docx" }),
      false,
    ],
    [
      "but an address that was one",
      given("https://example.com/", undefined, {
        url: "https://example.com/",
        pdf: { id: "2a", notices: [], fonts: [] },
      }),
      true,
    ],
  ])("%s", (_, input, isFirst) => expect(isConverted(png, input)).toBe(isFirst));

  test("but not for operations that take any type", () => {
    expect(isConverted(operationOf("/zip"), given("report.docx", WORD))).toBe(false);
    expect(isConverted(operationOf("/pdf"), given("report.docx", WORD))).toBe(false);
  });
});

describe("the code", () => {
  const codeOf = (language: string, path: string, inputs: readonly Input[], chosen?: Input) => {
    const state = stateOf(path, inputs, chosen ? { chosen: chosen.key } : {});
    const calls = callsOfState(operationOf(path), state, "https://example.com");
    return LANGUAGES.find(({ id }) => id === language)!.write(calls);
  };

  test("converts first what must be, into a file that is not there", () => {
    const inputs = [given("a.pdf", PDF), given("a.docx", WORD)];
    const converting = (language: string) => codeOf(language, "/png", inputs, inputs[1]);
    const code = converting("curl");
    expect(code).toContain("-F file=@a.docx \\\n  --form-string 'output=a (2)' \\\n  -o 'a (2).pdf' \\\n");
    expect(code).toContain(" &&\ncurl ");
    expect(code).toContain("-F 'file=@a (2).pdf'");
    expect(converting("php").match(/<\?php/g)).toHaveLength(1);
    expect(converting("javascript").match(/^import .* from "node:fs";$/gm)).toHaveLength(1);
    expect(converting("python").match(/requests\.post/g)).toHaveLength(2);
    expect(codeOf("cli", "/merged-pdf", inputs)).toContain("pagewright merged-pdf \\\n  a.pdf \\\n  a.docx");
    expect(codeOf("curl", "/merged-pdf", inputs)).toContain("-F file=@a.pdf \\\n  -F file=@a.docx");
  });

  test("is that of the file on show, and the command takes all", () => {
    const inputs = [given("a.pdf", PDF), given("b.docx", WORD), given("c.pdf", PDF, { isResult: true })];
    expect(codeOf("curl", "/png", inputs)).toContain("file=@a.pdf");
    expect(codeOf("curl", "/png", inputs, inputs[1])).toContain("-F file=@b.pdf");
    const command = codeOf("cli", "/png", inputs);
    expect(command).toContain("a.pdf \\\n  b.docx \\\n  1c.pdf \\\n  -d .");
    expect(codeOf("curl", "/pdf-info", inputs)).not.toContain("output=");
  });
});
