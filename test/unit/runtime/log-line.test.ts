// Tests that log lines contain no IDs or tokens that grant access.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { hashOfId, logLine } from "../../../src/runtime/log-line.ts";

test("a line has hashes of the ids of files, jobs and upload addresses", () => {
  const [file, job, token] = [`2${randomUUID()}`, randomUUID(), "0123456789abcdef".repeat(4)];
  for (const id of [file, job, token, file.toUpperCase()]) {
    const path = `/iiif/${id}%3A1/info.json`;
    const line = logLine({}, "request completed", { path, error: `Error: "${id}"`, within: [{ id }] });
    expect(line.toLowerCase()).not.toContain(id.toLowerCase());
    expect(JSON.parse(line)).toMatchObject({ path: `/iiif/{${hashOfId(id)}}%3A1/info.json` });
  }
});

test("the id of the request itself, which opens nothing, is in full", () => {
  const requestId = randomUUID();
  expect(JSON.parse(logLine({ requestId }, "m", { status: 200 }))).toEqual({ requestId, message: "m", status: 200 });
});
