// Tests the keyed variant (spec, "Authentication"), and rules that apply to both variants.
// Contract: docs/api.md#variants, #keys, #errors
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, inject, test } from "vitest";
import { createClient, keyedClient, privateClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";

const NO_KEY = "An Api-Key header is required to send this request.";
const WRONG_KEY = "The provided key is not valid.";

describe("keyed variant", () => {
  const { url, logFile } = inject("services").keyed;

  test("spec: every POST request carries the header Api-Key", async () => {
    const { status } = await keyedClient().post("/html", { content: "<p>", output: "a" });
    expect(status).toBe(200);
  });

  test.each([
    ["without a key", undefined, NO_KEY],
    ["with an unknown key", "00000000-0000-4000-8000-000000000000", WRONG_KEY],
    ["with a key that is no UUID", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", WRONG_KEY],
    ["with a key of 8,000 characters", "a".repeat(8000), WRONG_KEY],
  ])("spec: 401 %s, on every path", async (_, key, error) => {
    for (const path of ["/html", "/png", "/tif", "/merged-pdf", "/split-pdf", "/linearized-pdf", "/zip", "/unknown"]) {
      const { status, body } = await createClient(url, key).post(path, { content: "<p>", output: "a" });
      expect({ status, body }).toEqual({ status: 401, body: { error } });
    }
  });

  test("the key is checked before the body is read", async () => {
    // Sends half a request: a server that waits for the second half never responds. wrangler's proxy does wait, so the
    // test reads the Worker's log.
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /png HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 90000000\r\n\r\n--x\r\n`,
      );
    });
    try {
      const refusals = () => readFileSync(logFile, "utf8").match(/"path":"\/png","status":401/g)?.length ?? 0;
      const before = refusals();
      await eventually(() => expect(refusals()).toBe(before + 1));
    } finally {
      socket.destroy();
    }
  });
});

describe("private variant", () => {
  test("spec: no key header is required, and one that is sent is not looked at", async () => {
    const client = createClient(privateClient().url, "anything");
    expect((await client.post("/html", { content: "<p>", output: "a" })).status).toBe(200);
  });
});
