// Tests summaries and translations with a server that speaks the protocol of language models, in the Worker and on the
// host; deployments without a model; and the platform's models.
// Contract: docs/api.md#summarized-pdf-text, #translated-pdf-text, #usage
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { BundledWorker } from "../../scripts/services/bundled-worker.ts";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { createClient, type FormFields, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type Asked, startModelServer } from "../support/language-model.ts";
import { type Service, startService, type Target } from "../support/service.ts";

const main = join(import.meta.dirname, "../../client/cli/main.ts");
const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());
const vars = { LLM_URL: server.url, LLM_MODEL: "small", LLM_API_KEY: "sesame" };
const two = () => upload(plainPdf("First page", "Second page"));
const answering = ({ instructions, part }: Asked) => ({
  text: /^You translate/.test(instructions) ? `LANGUAGES: en\n\n${part.toUpperCase()}` : `Briefly: ${part}`,
  tokens: 100,
});

describe.each<Target>(["wrangler", "host"])("with a language model: %s", (target) => {
  let service: Service;
  let post: (
    path: string,
    fields: FormFields,
  ) => Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>;
  beforeAll(async () => {
    service = await startService({ target, variant: "keyed", apiKeys: ["mine"], vars });
    const client = createClient(service.url, "mine");
    post = async (path, fields) => (await client.post(path, fields)) as never;
  });
  afterAll(() => service.stop());

  test("a document is summarized or translated: its text, as data or as a file, and the tokens count", async () => {
    server.answer(answering);
    const summary = await post("/summarized-pdf-text", { file: two(), summary_format: "action_items" });
    expect([summary.status, summary.body]).toEqual([
      ...[200, { summary: expect.stringMatching(/^Briefly: First page\s+Second page$/), inputId: expect.any(String) }],
    ]);
    expect(server.asked[0]!.instructions).toMatch(/action items.* about 400 words.* Write Markdown/s);
    expect(server.asked[0]!.headers.authorization).toBe("Bearer sesame");
    const id = String(summary.body.inputId);
    const german = { output_language: "DE-ch", pages: "2", output_format: "plaintext" };
    const translated = await post("/translated-pdf-text", { id, ...german });
    expect(translated.body).toEqual({
      ...{ translated_text: "SECOND PAGE", source_languages: ["en"], output_language: "de-CH", inputId: id },
    });
    const texts: readonly [string, Buffer][] = [
      ["a.md", Buffer.from("# Title\n\nText")],
      ["a.txt", Buffer.from("\ufeff# Title\n\nText", "utf16le")],
    ];
    for (const [name, bytes] of texts) {
      const ignored = { ocr: "on", current_open_password: "open" };
      const fields = { file: upload(bytes, name), output_type: "file", output: "made", ...ignored, ...german };
      const markdown = { ...fields, output_format: name.endsWith("md") ? "markdown" : "plaintext" };
      const [made] = await createClient(service.url, "mine").make("/translated-pdf-text", markdown);
      expect([made!.name, Buffer.from(made!.bytes).toString()]).toEqual([`made.${name.slice(2)}`, "# TITLE\n\nTEXT"]);
    }
    const asked = server.asked.length;
    const empty = await post("/summarized-pdf-text", { file: upload(plainPdf("")) });
    expect(empty.body).toMatchObject({ summary: "", notices: ["the document has no text"] });
    expect(server.asked).toHaveLength(asked);
    await eventually(async () => {
      const { usage } = await (await fetch(`${service.url}/usage`, { headers: { "Api-Key": "mine" } })).json();
      expect(usage).toMatchObject([
        { operation: "summarized-pdf-text", requests: 2, tokens: 100 },
        { operation: "translated-pdf-text", requests: 3, tokens: 300 },
      ]);
    });
    expect(readFileSync(service.logFile, "utf8")).not.toMatch(/sesame|First page|FIRST PAGE/);
  });

  test("errors of the client and of the model have sentences of their own", async () => {
    server.answer(({ number }) => ({
      raw: number === 1 ? { status: 401 } : { status: 429, headers: { "Retry-After": "3600" } },
    }));
    const sent = async (fields: FormFields, path = "/translated-pdf-text") => {
      const { status, headers, body } = await post(path, { file: two(), ...fields });
      return [status, body.error, headers.get("Retry-After")];
    };
    for (const output_language of ["klingon", "xx", "de-Latn-DE", "en-QQ"]) {
      expect(await sent({ output_language })).toEqual([
        ...[400, "The provided 'output_language' language tag is invalid.", null],
      ]);
    }
    expect((await sent({}))[1]).toBe("The 'output_language' field is required.");
    const steps = JSON.stringify([{ "summarized-pdf-text": {} }]);
    expect((await sent({ steps, output: "a" }, "/steps"))[0]).toBe(400);
    const long = { file: upload("word ".repeat(400_000), "a.txt") };
    expect((await sent(long, "/summarized-pdf-text"))[0]).toBe(422);
    const words = { target_word_count: "5000" };
    expect((await sent(words, "/summarized-pdf-text"))[1]).toMatch(
      /^5000 is not within the acceptable range for target_word_count. The language model can write at most/,
    );
    expect(server.asked).toHaveLength(0);
    expect(await sent({ output_language: "de" })).toEqual([502, "The language model gave no usable answer.", null]);
    expect(await sent({ output_language: "de" })).toEqual([
      ...[503, "The language model is not available, please try again later.", "5"],
    ]);
  });

  test("agents, the command line and asynchronous requests have the operations", async () => {
    server.answer(answering);
    const folder = mkdtempSync(join(tmpdir(), "language-model-"));
    writeFileSync(join(folder, "a.md"), "Text");
    const env = { ...process.env, PAGEWRIGHT_URL: service.url, PAGEWRIGHT_API_KEY: "mine", NODE_NO_WARNINGS: "1" };
    const args = [main, "translate", "a.md", "--output-language", "fr"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({ translated_text: "TEXT", output_language: "fr" });
    rmSync(folder, { recursive: true });
    const form = new FormData();
    form.set("file", two());
    const headers = { "Api-Key": "mine", Prefer: "respond-async" };
    const queued = await fetch(`${service.url}/summarized-pdf-text`, { method: "POST", body: form, headers });
    const { requestId } = (await queued.json()) as { requestId: string };
    await eventually(async () => {
      const status = await (await fetch(`${service.url}/request-status/${requestId}`)).json();
      expect(status).toMatchObject({ status: "completed", summary: expect.stringContaining("Second page") });
    });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const tools = await fetch(`${service.url}/mcp`, {
      ...{ method: "POST", body: JSON.stringify(message) },
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "Api-Key": "mine" },
    });
    expect(await tools.text()).toMatch(/"summarize".*"translate"/s);
  });
});

test("without a language model, the paths are unknown ones, and no list has them", async () => {
  const { keyed } = inject("services");
  const ask = async (path: string, method = "POST") => {
    const response = await fetch(keyed.url + path, { method, headers: { "Api-Key": keyed.key! } });
    return [response.status, await response.json(), response.headers.get("Allow")];
  };
  for (const path of ["/summarized-pdf-text", "/translated-pdf-text"]) {
    expect(await ask(path)).toEqual(await ask("/no-such-path"));
    expect(await ask(path, "GET")).toEqual([404, { error: "There is no such endpoint." }, null]);
  }
  for (const list of ["/operations.json", "/openapi.json", "/llms.txt"]) {
    expect(await (await fetch(keyed.url + list)).text()).not.toMatch(/(?:summarized|translated)-pdf-text/);
  }
});

test.runIf(process.env.WORKER_BUNDLE)("the platform's models are asked through their binding", async () => {
  const script = `import { WorkerEntrypoint } from "cloudflare:workers";
    export default { fetch: () => new Response() };
    export class Models extends WorkerEntrypoint {
      run(model, { messages, max_tokens }, { returnRawResponse }) {
        const words = [model, typeof max_tokens, returnRawResponse, messages[1].content.split("\\n")[1]];
        const events = words.map((word) => "data: " + JSON.stringify({ response: word + " " }) + "\\n\\n");
        const headers = { "Content-Type": "text/event-stream" };
        return new Response(events.join("") + "data: [DONE]\\n\\n", { headers });
      }
    }`;
  const bundled = JSON.parse(readFileSync(process.env.WORKER_BUNDLE!, "utf8")) as BundledWorker;
  const worker = {
    ...bundled,
    bindings: { ...bundled.bindings, CONTAINER_URL: "off", LLM_MODEL: "@cf/small" },
    // The platform's binding takes a signal, too.
    compatibilityFlags: ["nodejs_compat", "enable_request_signal", "enable_abortsignal_rpc"],
    serviceBindings: { AI: { name: "models", entrypoint: "Models" } },
  };
  const models = {
    ...{ name: "models", compatibilityDate: "2026-11-01", compatibilityFlags: ["enable_abortsignal_rpc"] },
    modules: [{ type: "ESModule" as const, path: "models.mjs", contents: script }],
  };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker as never, models] }));
  try {
    const body = new FormData();
    body.set("file", upload("Winter", "a.txt"));
    const url = await miniflare.ready;
    const response = await fetch(new URL("/summarized-pdf-text", url), { method: "POST", body });
    expect(await response.json()).toMatchObject({ summary: "@cf/small number true Winter" });
  } finally {
    await miniflare.dispose();
  }
});
