// Tests the list of steps in the workbench: its request, its code, its links, and the places of its errors.
// Contract: docs/api.md#workbench
import { describe, expect, test } from "vitest";
import { errorSaying } from "../../../client/core/error.ts";
import { keptText, readKept } from "../../../site/workbench/model/keeping.ts";
import { fragmentOfSteps, stepsIn } from "../../../site/workbench/model/links.ts";
import { pathOf } from "../../../site/workbench/model/operations.ts";
import { problemTarget } from "../../../site/workbench/model/problems.ts";
import { FIRST_STATE, type Input, type State, type Values } from "../../../site/workbench/model/state.ts";
import { chosenOperation, possibleSteps } from "../../../site/workbench/model/steps.ts";
import { Store } from "../../../site/workbench/model/store.ts";
import { faultsOf, obstacleTo, whyUnusable } from "../../../site/workbench/session/faults.ts";
import { bodyOf, callsOfState, isConverted, maskedSteps, tasksOf } from "../../../site/workbench/session/request.ts";
import { addStep, linkOfSteps, moveStep, openSteps, removeStep } from "../../../site/workbench/session/step-list.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { requireTypes } from "../../../src/endpoints/steps/plan.ts";
import { outOfRange, passwordRequired, timedOut, wrongType } from "../../../src/service/http/contract/errors.ts";
import { LANGUAGES } from "../../../src/service/reference/snippets/languages.ts";
import { describedService } from "./described-operations.ts";

const service = describedService("private");
const pdf: Input = {
  ...{ key: 1, name: "a.pdf", id: "1a", isResult: false, pages: "all" },
  info: { name: "a.pdf", type: "application/pdf", size: 1, pages: 3 },
};
const logo: Input = { key: 2, name: "logo.png", id: "1b", isResult: false, pages: "all", field: "2/image_file" };
const stateOf = (
  steps: readonly string[],
  values: Readonly<Record<string, Values>> = {},
  more: Partial<State> = {},
) => ({
  ...{ ...FIRST_STATE, service, path: "/steps", inputs: [pdf], steps, values },
  ...more,
});
const NO_FILES = { remove: () => {} };
const chosen = (state: State) => chosenOperation(state)!;
const bodyIn = (state: State) => bodyOf(chosen(state), tasksOf(chosen(state), state)[0]!);

test("an operation on documents can be a step, the list itself and a new document cannot", () => {
  const paths = possibleSteps(service).map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["/pdf", "/merged-pdf", "/png", "/zip"]));
  for (const path of ["/steps", "/html", "/blank-pdf", "/linearized-pdf"]) expect(paths).not.toContain(path);
});

describe("the request", () => {
  const values = { "1/rotated-pdf": { angle: "180" }, "3/split-pdf": { "pages[]": ["1", "2-3"] } };

  test("has the fields of each step, also of two with the same operation, and the IDs of their files", () => {
    const steps = ["1/rotated-pdf", "2/pdf-with-added-image", "3/split-pdf", "4/rotated-pdf"];
    const further = [logo, { ...logo, key: 3, field: "9/image_file" }];
    expect(bodyIn(stateOf(steps, values, { further }))).toEqual({
      ...{ "id[]": ["1a"], output: "a_steps" },
      steps: [
        { "rotated-pdf": { angle: "180" } },
        { "pdf-with-added-image": { x: "72", y: "72", page: "1", image_id: "1b" } },
        { "split-pdf": { pages: ["1", "2-3"] } },
        { "rotated-pdf": { angle: "90" } },
      ],
    });
  });

  test("converts what the first step cannot take, and marks what no conversion helps", () => {
    const word = { ...pdf, name: "b.docx", info: { ...pdf.info!, type: "application/msword" } };
    expect(isConverted(chosen(stateOf(["1/png"])), word)).toBe(true);
    expect(isConverted(chosen(stateOf(["1/pdf", "2/png"])), word)).toBe(false);
    expect(isConverted(chosen(stateOf(["1/merged-pdf"])), word)).toBe(false);
    expect(whyUnusable(chosen(stateOf(["1/pdf"])), pdf)).toBe("The file is a PDF already.");
    expect(whyUnusable(chosen(stateOf([])), pdf)).toBeUndefined();
    expect(obstacleTo(chosen(stateOf([])), stateOf([]))).toBe("Add a step first.");
    expect(obstacleTo(chosen(stateOf(["1/png"])), stateOf(["1/png"]))).toBeUndefined();
  });
});

describe("the code", () => {
  const codeOf = (state: State) => LANGUAGES[0]!.write(callsOfState(chosen(state), state, "https://example.com"));

  test("sends files as parts, to which the steps refer by name", () => {
    const code = codeOf(stateOf(["2/pdf-with-added-image", "3/png"], {}, { further: [logo] }));
    expect(code).toContain("-F file=@a.pdf \\\n  -F step_files=@logo.png");
    expect(code).toContain('"image_file":"logo.png"}},{"png":{}}]');
    expect(code).toContain("Accept: application/zip");
  });

  test("asks for an archive only if there can be several files", () => {
    expect(codeOf(stateOf(["1/split-pdf", "2/merged-pdf"]))).toContain("Accept: application/pdf");
    expect(codeOf(stateOf(["1/compressed-pdf"], {}, { inputs: [pdf, pdf] }))).toContain("Accept: application/zip");
    expect(codeOf(stateOf(["1/pdf-info"]))).toContain("Accept: application/zip");
  });

  test("reads steps with a password from a variable, and shows them masked", () => {
    const state = stateOf(["1/encrypted-pdf"], { "1/encrypted-pdf": { new_open_password: "correct horse" } });
    expect(codeOf(state)).toContain('--form-string "steps=$STEPS"');
    expect(codeOf(state)).not.toContain("correct");
    const command = LANGUAGES.find(({ id }) => id === "cli")!.write(
      callsOfState(chosen(state), state, "https://a.org"),
    );
    expect(command).toMatch(/^printf '%s' "\$STEPS" \| pagewright steps \\\n.* --steps - /s);
    expect(maskedSteps(chosen(state), state)).toBe('[{"encrypted-pdf":{"new_open_password":"…"}}]');
    expect(maskedSteps(chosen(state), stateOf(["1/png"]))).toBeUndefined();
  });
});

function messageOf(work: () => void): string {
  try {
    work();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("errors", () => {
  const steps = ["7/encrypted-pdf", "2/png", "9/rotated-pdf"];

  test("of steps that cannot follow each other are those of the service, before anything is sent", () => {
    const { steps: given } = chosen(stateOf(possibleSteps(service).map(({ path }, index) => index + path)));
    const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]));
    let excluded = 0;
    for (const before of given!) {
      for (const after of given!) {
        const state = stateOf([`1${before.path}`, `2${after.path}`]);
        const [fault] = faultsOf(chosen(state), state).filter(({ control }) => control.startsWith("step-"));
        // The conversion to PDF declares no types, and rejects PDFs when the request is planned.
        if (!fault || after.input.webPages) continue;
        excluded++;
        const refuse = () => requireTypes([before, after].map(({ path }) => byPath.get(path)!));
        expect([before.path, after.path, messageOf(refuse)]).toEqual([before.path, after.path, fault.sentence]);
      }
    }
    expect(excluded).toBeGreaterThan(100);
  });

  test("of fields are at the controls of their step, and only the first step knows the document", () => {
    const values = { "2/png": { pages: "9", resolution: "5" }, "7/encrypted-pdf": { new_open_password: "correct" } };
    const controls = (order: readonly string[]) => {
      const state = stateOf(order, values);
      return faultsOf(chosen(state), state).map(({ control }) => control);
    };
    expect(controls(["7/encrypted-pdf", "2/png"])).toEqual(["field-2-resolution"]);
    expect(controls(["2/png"])).toEqual(["field-2-pages", "field-2-resolution"]);
  });

  test("that name a step are at the step, or at its field", () => {
    const targetOf = ({ status, message }: { status: number; message: string }) => {
      const { parameter } = errorSaying(status, message);
      const named = parameter === undefined ? {} : { parameter };
      return problemTarget({ status, sentence: message, ...named }, chosen(stateOf(steps)));
    };
    expect(targetOf(outOfRange("resolution", "5").inStep(1, "/png"))).toBe("field:2/resolution");
    expect(targetOf(passwordRequired().inStep(2, "/rotated-pdf"))).toBe("field:9/current_open_password");
    expect(targetOf(wrongType("b.docx is a Word document.").inStep(0, "/encrypted-pdf"))).toBe("step:7/encrypted-pdf");
    expect(targetOf(timedOut())).toBe("job");
  });
});

describe("the list", () => {
  test("is ordered, and a removed step takes its values along", () => {
    const store = new Store();
    store.set({ service });
    const removed: number[] = [];
    const files = { remove: (...keys: readonly number[]) => removed.push(...keys) };
    for (const path of ["/png", "/rotated-pdf"]) addStep(store, service.operations.get(path)!);
    moveStep(store, { ...service.operations.get("/png")!, form: "1/png" }, 7);
    expect(store.state.steps).toEqual(["2/rotated-pdf", "1/png"]);
    expect(store.state.announcement).toBe("PNG is now step 2 of 2.");
    expect(store.state.steps.map(pathOf)).toEqual(["/rotated-pdf", "/png"]);
    store.set({ values: { "/png": { pages: "1" }, "1/png": { pages: "2" } } });
    store.set({ further: [logo, { ...logo, key: 3, field: "1/image_file" }] });
    removeStep(store, files, { ...service.operations.get("/png")!, form: "1/png" });
    expect(store.state).toMatchObject({ steps: ["2/rotated-pdf"], values: { "/png": { pages: "1" } } });
    expect(store.state.values).not.toHaveProperty("1/png");
    expect(removed).toEqual([3]);
  });

  test("survives a reload and travels in a link, both without passwords", () => {
    const values = { new_open_password: "correct horse", current_open_password: "battery" };
    const state = stateOf(["2/encrypted-pdf", "1/png"], { "2/encrypted-pdf": values, "1/png": { pages: "1,3" } });
    expect(readKept(keptText(state), 0)).toMatchObject({
      steps: ["2/encrypted-pdf", "1/png"],
      values: { "2/encrypted-pdf": {}, "1/png": { pages: "1,3" } },
    });
    const store = new Store();
    openSteps(store, NO_FILES, stepsIn(linkOfSteps(state))!);
    expect(store.state).toMatchObject({ path: "/steps", steps: ["1/encrypted-pdf", "2/png"] });
    expect(store.state.values).toEqual({ "1/encrypted-pdf": {}, "2/png": { pages: "1,3" } });
  });

  test("of a link has no steps that the service does not offer, and the page says so", () => {
    const store = new Store();
    store.set({ service });
    const linked = ["/linearized-pdf", "/png", "/steps"].map((path) => ({ path, values: {} }));
    openSteps(store, NO_FILES, linked);
    expect(store.state.steps).toEqual(["2/png"]);
    expect(store.state.problem?.sentence).toBe("This service has no such step: linearized-pdf, steps.");
    openSteps(store, NO_FILES, stepsIn("#steps=[{")!);
    expect(store.state.steps).toEqual(["2/png"]);
    expect(store.state.problem?.sentence).toBe("The link has no steps that can be read.");
  });

  test("of a link that somebody has written is read as far as it makes sense", () => {
    const written = [{ png: { resolution: 40, pages: null } }, 7, null, { "split-pdf": { "pages[]": ["1", 2] } }, {}];
    expect(stepsIn(`#steps=${encodeURIComponent(JSON.stringify(written))}`)).toEqual([
      { path: "/png", values: { resolution: "40" } },
      { path: "/split-pdf", values: { "pages[]": ["1", "2"] } },
    ]);
    for (const fragment of ["", "#steps=", "#result=1a"]) expect(stepsIn(fragment)).toBeUndefined();
    for (const fragment of ["#steps={}", "#steps=%5B"]) expect(stepsIn(fragment)).toEqual([]);
    const [step] = stepsIn(fragmentOfSteps([{ path: "/png", values: { "a&b": "c+d%#" } }]))!;
    expect(step!.values).toEqual({ "a&b": "c+d%#" });
  });
});
