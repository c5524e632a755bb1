// Tests the parser of the zygotes' protocol, with a program that prints its interpretation of each line.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const source = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "json-lines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("lines keep texts and numbers, and hostile ones are rejected or use the default", () => {
  const program = join(folder, "lines");
  const files = [join(source, "test/lines.cpp"), join(source, "json.cpp")];
  execFileSync("g++", ["-std=c++17", "-I", source, ...files, "-o", program]);
  const invalid = { valid: false };
  const cases: readonly (readonly [line: string | Buffer, answer: object])[] = [
    ['{"text":"a\\"\\\\\\n\\u0001 é 😀","number":12}', { valid: true, text: 'a"\\\n\u0001 é 😀', number: 12 }],
    ["{}", { valid: true, text: "none", number: 7 }],
    ['{"number":99999999999999999999999}', { valid: true, text: "none", number: 7 }],
    ['{"number":-5}', { valid: true, text: "none", number: 7 }],
    ['{"number":1e400}', invalid],
    ['{"text":{"number":1}}', invalid],
    [`{"text":${"[".repeat(1_000_000)}`, invalid],
    [`{"text":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, invalid],
    ['{"text":"\\ud800"}', invalid],
    [Buffer.from('{"text":"\xff\xc0"}', "latin1"), invalid],
    ['{"text":"a"} more', invalid],
    ['{"text":"a', invalid],
    ["", invalid],
  ];
  const input = Buffer.concat(cases.flatMap(([line]) => [Buffer.from(line as string), Buffer.from("\n")]));
  const answers = execFileSync(program, { input, encoding: "utf8" }).trimEnd().split("\n");
  expect(answers.map((line) => JSON.parse(line))).toEqual(cases.map(([, answer]) => answer));
});
