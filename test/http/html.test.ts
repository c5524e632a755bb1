// Tests POST /html (spec, "POST /html").
// Contract: docs/api.md#html, #responses
import { describe, expect, test } from "vitest";
import { keyedClient, privateClient, upload } from "../support/client.ts";

describe.each([
  ["private", privateClient],
  ["keyed", keyedClient],
])("POST /html, %s variant", (_, client) => {
  test("spec: saves a string of HTML as an .html file, byte for byte", async () => {
    const content = "<!doctype html><title>Grüße</title><p>日本語 \u{1F600} & <b>bold</b>\r\n";
    const [file] = await client().make("/html", { content, output: "greeting" });
    expect(new TextDecoder().decode(file!.bytes)).toBe(content);
    expect(file).toMatchObject({ name: "greeting.html", type: "text/html; charset=utf-8" });
  });

  test("spec: the answer has outputUrl and outputId only, no inputId", async () => {
    const { url, post } = client();
    const { status, headers, body } = await post("/html", { content: "<p>Hello", output: "hello" });
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("application/json");
    expect(Object.keys(body).sort()).toEqual(["outputId", "outputSize", "outputUrl"]);
    expect(body.outputUrl).toBe(`${url}/resource/${body.outputId}?format=file`);
    expect(body.outputId).toMatch(/^2[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test.each([
    ["is left out", { output: "hello" }],
    ["is empty", { output: "hello", content: "" }],
  ])("spec: 400 when content %s", async (_, fields) => {
    const { status, body } = await client().post("/html", fields);
    expect({ status, body }).toEqual({ status: 400, body: { error: "The 'content' field is required." } });
  });

  test("spec: output is required", async () => {
    const { status, body } = await client().post("/html", { content: "<p>Hello" });
    expect({ status, body }).toEqual({ status: 400, body: { error: "The 'output' field is required." } });
  });

  test("content of more than a megabyte, before or after output, and as a file part", async () => {
    const content = `<p>${"0123456789abcdef".repeat(200_000)}`;
    for (const fields of [
      { content, output: "long" },
      { output: "long", content },
      { output: "long", content: upload(content, "page.html") },
    ]) {
      const [file] = await client().make("/html", fields);
      expect(new TextDecoder().decode(file!.bytes) === content).toBe(true);
    }
  });
});

test("a JSON body does as well", async () => {
  const response = await fetch(`${privateClient().url}/html`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ content: "<p>JSON", output: "from-json" }),
  });
  const { outputUrl } = (await response.json()) as { outputUrl: string };
  expect(await (await fetch(outputUrl)).text()).toBe("<p>JSON");
});
