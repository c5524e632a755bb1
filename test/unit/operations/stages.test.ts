// Tests the order in which the stages of a job run, and the documents that each step receives.

import { expect, test } from "vitest";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import { type Beginning, type Input, memoryInput } from "../../../src/document/contract/operation.ts";
import { isProgress, runStages } from "../../../src/operations/stages.ts";

interface Marking {
  readonly begins?: Beginning;
  readonly mark: string;
  /** Names of the outputs for the given names. @default one, with the mark appended */
  readonly makes?: (names: readonly string[]) => readonly string[];
}

const named = (name: string, step?: number): Input => ({
  ...memoryInput(new Uint8Array(0), name),
  ...(step === undefined ? {} : { step, role: "further" }),
});

async function run(steps: readonly Marking[], inputs: readonly Input[]) {
  const outputs: string[] = [];
  const progress: string[] = [];
  const make = ({ mark, makes }: Marking, given: readonly Input[]) => {
    const names = given.map(({ name }) => name);
    return makes?.(names) ?? [`${names.join("+")}${mark}`];
  };
  const items = runStages<Marking, Input, { readonly name: string; readonly body: Uint8Array }>(steps, inputs, {
    spool: async (step, given) => make(step, given).map((name) => named(name)),
    async *finish(step, given, runs) {
      for (const name of make(step, given)) yield { name: `${name}/${runs}`, body: new Uint8Array(0) };
    },
  });
  for await (const item of items) {
    if (isProgress(item)) progress.push(`${item.stepsDone} of ${item.stepsTotal}`);
    else outputs.push(item.name);
  }
  return { outputs, progress };
}

const each = (step: number, more: Partial<Beginning> = {}): Beginning => ({ step, takes: "each", ...more });
const all = (step: number): Beginning => ({ step, takes: "all" });
const two = (names: readonly string[]) => names.flatMap((name) => [`${name}1`, `${name}2`]);

test("without beginnings, all documents go through all steps together", async () => {
  const steps = [{ mark: "x" }, { mark: "y" }];
  expect(await run(steps, [named("a"), named("b")])).toEqual({ outputs: ["a+bxy/1"], progress: [] });
});

test("a stage for each document divides, and a stage for all joins", async () => {
  const steps = [
    { begins: each(0), mark: "", makes: two },
    { begins: each(1), mark: "x" },
    { mark: "y" },
    { begins: all(2), mark: "z" },
  ];
  expect(await run(steps, [named("a"), named("b")])).toEqual({
    outputs: ["a1xy+a2xy+b1xy+b2xyz/1"],
    progress: ["1 of 3", "2 of 3", "3 of 3"],
  });
});

test("the last stage yields the outputs in the order of its documents", async () => {
  const steps = [
    { begins: each(0), mark: "x" },
    { begins: each(1), mark: "", makes: two },
  ];
  expect((await run(steps, [named("a"), named("b")])).outputs).toEqual(["ax1/2", "ax2/2", "bx1/2", "bx2/2"]);
});

test("alternatives are chosen by index or extension, and other documents are passed on in their place", async () => {
  const steps = [
    { begins: each(0, { only: { indices: [1] } }), mark: "-x.pdf" },
    { begins: each(0, { only: { extensions: ["png", "jpg"] }, isAlternative: true }), mark: "-y.pdf" },
    { begins: all(0), mark: "!" },
  ];
  const inputs = [named("a.PNG"), named("b.docx"), named("c.pdf")];
  expect(await run(steps, inputs)).toEqual({ outputs: ["a.PNG-y.pdf+b.docx-x.pdf+c.pdf!/1"], progress: [] });
});

test("each run of a step receives the further files of the step", async () => {
  const steps = [
    { begins: each(0), mark: "x" },
    { begins: each(1), mark: "y" },
  ];
  const inputs = [named("a"), named("b"), named("i", 1)];
  expect((await run(steps, inputs)).outputs).toEqual(["ax+iy/2", "bx+iy/2"]);
});

test("errors name the step of the request", async () => {
  const failing = (error: Error) => () => {
    throw error;
  };
  const at = (error: Error) => [
    { begins: each(0), mark: "x" },
    { begins: each(1), mark: "y", makes: failing(error) },
  ];
  await expect(run(at(new EngineFailure("damaged", "")), [named("a")])).rejects.toMatchObject({ step: 1 });
  await expect(run(at(new OutOfRange("pages", "7")), [named("a")])).rejects.toMatchObject({ step: 1 });
  const none = { begins: each(0), mark: "", makes: () => [] };
  await expect(run([none, { begins: all(1), mark: "z" }], [named("a")])).rejects.toMatchObject({
    ...{ reason: "no-document", step: 0 },
  });
});
