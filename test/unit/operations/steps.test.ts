// Tests jobs of several steps in one process.
import { expect, test } from "vitest";
import * as z from "zod";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import type { NoticeCode } from "../../../src/document/contract/notice.ts";
import {
  declareOperation,
  type Input,
  type Run,
  type Step,
  type Steps,
} from "../../../src/document/contract/operation.ts";
import { runSteps } from "../../../src/operations/steps.ts";
import { bytesOf, CONTEXT, inputOf } from "../../support/operations.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const stepWith = (run: Run<unknown>, params: unknown = {}): Step => ({
  operation: { ...declareOperation({ name: "a step", params: z.unknown() }), run },
  params,
});

/** Yields each input with a letter appended, and reports its name. */
const appending = (letter: string, code: NoticeCode, outputs = 1) =>
  stepWith(async function* ([input]) {
    const text = new TextDecoder().decode(await input!.bytes()) + letter;
    for (let made = 0; made < outputs; made++) {
      const body = function* () {
        const buffer = new Uint8Array(1);
        for (const byte of encode(text)) {
          buffer[0] = byte;
          yield buffer;
        }
      };
      const about = { name: `${letter}-${made}.pdf`, total: outputs, notices: () => [{ code, count: 1 }] };
      yield { extension: "pdf", type: "application/pdf", body: body(), ...about };
    }
  });

async function runOn(steps: Steps, inputs: readonly Input[], context = CONTEXT) {
  const made: { readonly text: string; readonly codes: readonly string[] | undefined }[] = [];
  for await (const output of runSteps(steps, inputs, context)) {
    const text = new TextDecoder().decode(await bytesOf(output));
    made.push({ text, codes: output.notices?.().map(({ code }) => code) });
  }
  return made;
}

test("each step reads what the one before it made; the first output has the notices of all", async () => {
  const steps = [
    appending("b", "xfa-removed"),
    appending("c", "signatures-removed"),
    appending("d", "claims-removed", 2),
  ] as const;
  expect(await runOn(steps, [inputOf(encode("a"))])).toEqual([
    { text: "abcd", codes: ["xfa-removed", "signatures-removed", "claims-removed"] },
    { text: "abcd", codes: ["claims-removed"] },
  ]);
});

test("all outputs of a step are inputs of the next one, by their names, or by the name of the input with their extension", async () => {
  const seen: string[] = [];
  const several = stepWith(async function* () {
    for (const more of [{ name: "own.json" }, {}]) {
      yield { extension: "tif", type: "image/tiff", body: encode("...."), headerPatch: () => encode("II"), ...more };
    }
  });
  const last = stepWith(async function* (inputs) {
    for (const { name, bytes } of inputs) seen.push(`${name} ${new TextDecoder().decode(await bytes())}`);
    yield* [];
  });
  await runOn([several, last], [inputOf(encode("a"), "report.pdf")]);
  expect(seen).toEqual(["own.json II..", "report.tif II.."]);
});

test("a failure is that of the step", async () => {
  const why = "a.pdf needs a password.";
  const fails = stepWith(async function* () {
    yield* await Promise.reject<never[]>(new EngineFailure("password-protected", "asked", { why }));
  });
  for (const steps of [
    [fails, appending("b", "xfa-removed")] as const,
    [appending("b", "xfa-removed"), fails] as const,
  ])
    await expect(runOn(steps, [inputOf(encode("a"))])).rejects.toMatchObject({ reason: "password-protected", why });
});

test("what a step makes beyond the size of its input takes memory from the next one", async () => {
  const making = (bytes: number) =>
    stepWith(async function* () {
      yield { extension: "bin", type: "application/octet-stream", body: new Uint8Array(bytes) };
    });
  const limits: number[] = [];
  const last = stepWith(async function* (_inputs, _params, { heapLimitBytes }) {
    limits.push(heapLimitBytes);
    yield* [];
  });
  const context = { ...CONTEXT, heapLimitBytes: 1000 };
  for (const made of [50, 100, 300]) await runOn([making(made), last], [inputOf(new Uint8Array(100))], context);
  expect(limits).toEqual([1000, 1000, 600]);
  await expect(runOn([making(601), last], [inputOf(new Uint8Array(100))], context)).rejects.toMatchObject({
    reason: "too-large",
  });
});
