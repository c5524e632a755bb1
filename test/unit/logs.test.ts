// Compares the tables of docs/logs.md with the log events of the code.

import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Matches the message in a call of a log function, in TypeScript and in Perl. */
const CALLS =
  /(?:\b(?:log|report)(?:\?\.)?\(\s*(?:idsOf\(c\), )?|stringify\(\{ message: |logLine\(\{\}, )(["'`])(.+?)\1/g;
const files = globSync(["src/**/*.ts", "container/**/*.{ts,pl}", "host/**/*.ts"], { cwd: root }).filter(
  (path) => !/\btest\b/.test(path),
);
const inCode = new Set(files.flatMap((path) => [...read(path).matchAll(CALLS)].map(([, , message]) => message!)));
const inDocs = [...read("docs/logs.md").matchAll(/^\| `([^`]+)` \|/gm)].map(([, message]) => message!);

test("docs/logs.md lists every log event once, and no other", () => {
  expect(inDocs.toSorted()).toEqual([...inCode].toSorted());
});

test("log events are lower-case and hold no values", () => {
  expect(inCode.size).toBeGreaterThan(30);
  expect([...inCode].filter((message) => !/^[a-z][a-z -]+$/.test(message))).toEqual([]);
});
