// Tests the operands of the command line: page selections and ports after a colon.
import { expect, test } from "vitest";
import { readOperands } from "../../../client/cli/operands.ts";

const id = "1f7b7c0de-0c2f-4f0e-8c62-0a2b9a9a3d11";

test.each([
  ["a.pdf:1-3", { kind: "path", value: "a.pdf", pages: "1-3" }],
  ["https://example.com:8443", { kind: "address", value: "https://example.com:8443" }],
  ["https://example.com:8443/a.pdf:2", { kind: "address", value: "https://example.com:8443/a.pdf", pages: "2" }],
  ["http://[2001:db8::1]:80/a.pdf", { kind: "address", value: "http://[2001:db8::1]:80/a.pdf" }],
  [`${id}:last`, { kind: "stored", value: id, pages: "last" }],
  ["-:even,3", { kind: "stdin", value: "-", pages: "even,3" }],
  ["a.pdf:", { kind: "path", value: "a.pdf:" }],
])("%s", async (text, expected) => {
  const [operand, ...others] = await readOperands([text]);
  expect(others).toEqual([]);
  expect({ pages: undefined, ...operand }).toEqual({ pages: undefined, ...expected, shown: expected.value });
});
