// Tests the evaluation of transfer functions, and the detection of functions without effect.
import { expect, test } from "vitest";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { PdfFile } from "../../../../src/document/objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type Value } from "../../../../src/document/objects/values.ts";
import { readCalculator } from "../../../../src/document/pdfa/transfer/calculator.ts";
import { Effort } from "../../../../src/document/pdfa/transfer/effort.ts";
import { readFunction } from "../../../../src/document/pdfa/transfer/functions.ts";
import { readTransfer, setsTransfer, Transfer } from "../../../../src/document/pdfa/transfer/transfer.ts";
import { applyTransfer, readSpace } from "../../../../src/document/pdfa/transfer/transferred-colors.ts";

const file = PdfFile.create(new Budget(2 ** 24));
const power = (low: number, high: number, exponent: number) =>
  Dictionary.of({ FunctionType: 2, Domain: [0, 1], C0: [low], C1: [high], N: exponent });
const state = (entries: Record<string, Value>) => readTransfer(file, Dictionary.of(entries));

test.each([
  ["{ 1 exch sub }", [0.25], [0.75]],
  ["{ dup .5 gt { pop 1 } { 2 mul } ifelse }", [0.4], [0.8]],
  ["{ dup .5 gt { pop 1 } { 2 mul } ifelse }", [0.6], [1]],
  ["{ 3 1 roll % comment }\n }", [1, 2, 3], [3, 1, 2]],
  ["{ 1 index exch 2 copy add }", [1, 2], [1, 2, 3]],
  ["{ 360 mul sin abs sqrt }", [0.25], [1]],
  ["{ 7 2 idiv exch 5 2 mod add true not { pop } if }", [3], [4]],
])("%s", (text, inputs, outputs) => {
  const made = readCalculator(text, outputs.length, new Effort())?.(inputs);
  expect(made).toEqual(outputs.map((output) => expect.closeTo(output, 6)));
});

test.each(["{ 1", "1 }", "{ constructor }", "{ 1 } { 2 }", "", `${"{".repeat(100)}${"}".repeat(100)}`])(
  "%s is no program",
  (text) => {
    expect(readCalculator(text, 1, new Effort())).toBeUndefined();
  },
);

test("samples of several inputs, and functions that are stitched", () => {
  const sampled = (bytes: number[], entries: Record<string, Value>) =>
    readFunction(
      file,
      file.add(new PdfStream(Dictionary.of({ FunctionType: 0, ...entries }), plainBody(Uint8Array.from(bytes)))),
    );
  const plane = { Domain: [0, 1, 0, 1], Range: [0, 1], Size: [2, 2], BitsPerSample: 8 };
  expect(sampled([0, 255, 0, 255], plane)!([0.25, 0.7])).toEqual([expect.closeTo(0.25, 5)]);
  const nibbles = { Domain: [0, 1], Range: [0, 2], Size: [3], BitsPerSample: 4, Decode: [0, 2] };
  expect(sampled([0xf0, 0xf0], nibbles)!([0.75])).toEqual([expect.closeTo(1, 5)]);
  expect(sampled([0], plane)).toBeUndefined();
  const parts = {
    FunctionType: 3,
    Domain: [0, 1],
    Bounds: [0.5],
    Encode: [0, 1, 1, 0],
    Functions: [power(0, 1, 1), power(0, 1, 2)],
  };
  const stitched = readFunction(file, Dictionary.of(parts))!;
  expect([0.25, 0.5, 0.75, 1].map((input) => stitched([input])[0])).toEqual(
    [0.5, 1, 0.25, 0].map((one) => expect.closeTo(one, 5)),
  );
});

const stitchedOf = (functions: Value[]) =>
  Dictionary.of({
    FunctionType: 3,
    Domain: [0, 1],
    Bounds: functions.slice(1).map((_, index) => (index + 1) / functions.length),
    Encode: functions.flatMap(() => [0, 1]),
    Functions: functions,
  });

test("functions that contain each other many times are read once, and those that contain themselves are wrong", () => {
  let shared: Value = file.add(power(1, 0, 1));
  for (let level = 0; level < 7; level++) shared = file.add(stitchedOf(new Array<Value>(40).fill(shared)));
  expect(readFunction(file, shared)!([0])).toEqual([1]);
  const own = file.add(Dictionary.of({}));
  file.put(own, stitchedOf(new Array<Value>(40).fill(own)));
  expect(readFunction(file, own)).toBeUndefined();
  const [one, other] = [file.add(Dictionary.of({})), file.add(Dictionary.of({}))];
  file.put(one, stitchedOf([other, other, other]));
  file.put(other, stitchedOf([one, one, one]));
  expect(state({ TR: one })).toBeNull();
});

test("a function that needs too much work fails when it is evaluated", () => {
  const evaluate = readCalculator("{ dup .5 gt { dup mul } if }", 1, new Effort(100))!;
  const many = () => {
    for (let index = 0; index < 100; index++) evaluate([1]);
  };
  expect(many).toThrow(expect.objectContaining({ reason: "too-complex" }));
});

test("a transfer function that needs too much work counts as one that is removed", () => {
  const own = PdfFile.create(new Budget(2 ** 26));
  const sampled = Dictionary.of({ FunctionType: 0, Domain: [0, 1], Range: [0, 1], Size: [2], BitsPerSample: 8 });
  const samples = new Uint8Array(2 ** 23).fill(255, 1, 2);
  const large = () => own.add(new PdfStream(sampled, plainBody(samples)));
  const states = Array.from({ length: 4 }, () => Dictionary.of({ TR: large() }));
  expect(states.map((one) => setsTransfer(own, one))).toEqual([false, false, true, true]);
});

test("inks become the colors that viewers show, if they cannot stay inks", () => {
  const { space, components } = applyTransfer(new Transfer([(component) => 1 - component]), {
    space: Name.of("DeviceCMYK"),
    components: [1, 0, 0, 0],
  });
  expect(space).toBe(Name.of("DeviceRGB"));
  expect(components).toEqual([1, 82 / 255, 16 / 255].map((part) => expect.closeTo(part, 3)));
});

test("functions that change nothing are none, and TR2 counts before TR", () => {
  expect(state({ CA: 1 })).toBeUndefined();
  for (const one of [Name.of("Identity"), Name.of("Default"), power(0, 1, 1), [power(0, 1, 1), Name.of("Identity")]]) {
    expect(state({ TR: one })).toBeNull();
  }
  expect(state({ TR: power(1, 0, 1), TR2: Name.of("Default") })).toBeNull();
  expect(state({ TR: 7 })).toBeNull();
  expect(state({ TR: power(1, 0, 1) })).toMatchObject({ isUniform: true, keepsInks: false });
  expect(state({ TR: power(0, 1, 1.5) })).toMatchObject({ isUniform: true, keepsInks: true });
});

test("inks stay inks where paper and full ink stay what they are", () => {
  const color = (transfer: Value, space: Value, ...components: number[]) =>
    applyTransfer(state({ TR: transfer })!, readSpace(file, space)!.toProcess(components));
  const cmyk = Name.of("DeviceCMYK");
  expect(color(power(0, 1, 2), cmyk, 0.5, 0, 0, 1)).toEqual({
    space: cmyk,
    components: [0.75, 0, 0, 1].map((ink) => expect.closeTo(ink, 2)),
  });
  const inverse = color(power(1, 0, 1), cmyk, 0, 0, 0, 0);
  expect(inverse).toMatchObject({ space: { text: "DeviceRGB" }, components: [0, 0, 0] });
  expect(color(power(1, 0, 1), Name.of("DeviceGray"), 0.25).components).toEqual([expect.closeTo(0.75, 2)]);
});
