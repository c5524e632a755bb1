// Tests agents over the Model Context Protocol, with the official client: directly at /mcp, and through `pagewright
// mcp` over standard input and output.
// Contract: docs/api.md#agents, #upload-urls
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  type CallToolResult,
  Client,
  type Progress,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";
import { OPERATIONS } from "../../client/generated/operations.ts";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { NEEDS_MODEL } from "../support/examples.ts";
import { postHtml } from "../support/keyed-service.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";
import { startService } from "../support/service.ts";
import { startSite } from "../support/web.ts";

const root = join(import.meta.dirname, "../..");
const { private: open, keyed } = inject("services");
const folder = mkdtempSync(join(tmpdir(), "mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VERBS = Object.keys(OPERATIONS).filter((verb) => !NEEDS_MODEL.includes(verb));
/** Tools that run no operation. */
const OWN_TOOLS = ["create_upload", "describe_file", "delete_file", "read_pages", "search_pages", "look_at_page"];

/** All transferred messages, as text. */
let wire = "";
let agent: Client;

function connectOverHttp(url: string, key?: string): Promise<void> {
  const listening = async (target: string | URL, init?: RequestInit) => {
    wire += String(init?.body ?? "");
    const answer = await fetch(target, init);
    wire += await answer.clone().text();
    return answer;
  };
  const requestInit = { headers: key ? { "Api-Key": key } : {} };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, fetch: listening });
  return agent.connect(transport as never);
}

/** @param mode `auto`: the newest version that both sides support; `legacy`: the handshake of versions before 2026 */
const newAgent = (mode: "auto" | "legacy" = "auto") =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
beforeEach(() => {
  wire = "";
  agent = newAgent();
});
afterEach(() => agent.close());

const call = async (name: string, given: Record<string, unknown>) =>
  (await agent.callTool({ name, arguments: given })) as CallToolResult;
const textOf = ({ content }: CallToolResult) =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
const linksOf = ({ content }: CallToolResult) =>
  content.flatMap((part) => (part.type === "resource_link" ? [part] : []));
/** Returns a document whose first bytes would be recognized in the transferred messages. */
const document = (label: string) => labeledPdf(label, 2);

async function uploadedTo(name: string, bytes: Uint8Array): Promise<string> {
  const { uploadUrl } = (await call("create_upload", { name })).structuredContent as { uploadUrl: string };
  const answer = await fetch(uploadUrl, { method: "PUT", body: Buffer.from(bytes) });
  expect(answer.status).toBe(200);
  return uploadUrl;
}

test("a call whose response is closed ends its job", async () => {
  const service = await startService({ variant: "private", vars: { ADDRESS_CONCURRENT_JOBS: "1" } });
  onTestFinished(() => service.stop());
  await connectOverHttp(service.url);
  // More pages than can be drawn before this test cancels the call.
  const input = await uploadedTo("long.pdf", await labeledPdf("L", 300));
  await agent.close();
  const leaving = new AbortController();
  const params = { name: "png", arguments: { input, resolution: 600 }, _meta: { progressToken: 1 } };
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const answer = await fetch(`${service.url}/mcp`, { method: "POST", headers, body, signal: leaving.signal });
  await answer.body!.getReader().read();
  const statusOfNext = async () => (await postHtml(service.url, "")).status;
  expect(await statusOfNext()).toBe(429);
  leaving.abort();
  await expect.poll(statusOfNext, { timeout: 30_000 }).toBe(200);
});

describe("an agent", () => {
  test("lists a tool for each operation of the variant", async () => {
    await connectOverHttp(keyed.url, keyed.key);
    const { tools } = await agent.listTools();
    const names = tools.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...VERBS, ...OWN_TOOLS].toSorted());
    const { inputSchema } = tools.find(({ name }) => name === "jpg")!;
    expect(inputSchema.required).toEqual(["input"]);
    expect(inputSchema.properties!.resolution).toMatchObject({ type: "integer", minimum: 12, maximum: 2400 });
    expect(inputSchema.properties!.color_model).toMatchObject({ enum: ["rgb", "cmyk", "gray"], default: "rgb" });
    await agent.close();
    agent = newAgent();
    await connectOverHttp(open.url);
    const fewer = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => !fewer.includes(name)).toSorted()).toEqual(["flatten", "linearize"]);
  });

  test("uploads, converts, merges and fetches, and no message has bytes of a file", async () => {
    await connectOverHttp(open.url);
    const [a, b] = [await uploadedTo("a.pdf", await document("A")), await uploadedTo("b.pdf", await document("B"))];
    const merged = await call("merge", { inputs: [{ input: b, pages: "2,1" }, { input: a }], output: "both" });
    const [link] = linksOf(merged);
    expect(link).toMatchObject({ name: "both.pdf", mimeType: "application/pdf" });
    const bytes = new Uint8Array(await (await fetch(link!.uri)).arrayBuffer());
    expect(textAndInfoOf(bytes).text.match(/[A-Z]\d/g)).toEqual(["B2", "B1", "A1", "A2"]);
    const images = await call("png", { input: link!.uri, resolution: 30, pages: "1-3", show: 0 });
    expect(linksOf(images).map(({ mimeType }) => mimeType)).toEqual(["image/png", "image/png", "image/png"]);
    const ids = (images.structuredContent as { ids: string[] }).ids;
    const archive = await call("zip", { inputs: ids });
    expect(linksOf(archive)[0]!.mimeType).toBe("application/zip");
    const page = await call("html", { content: "<p>text", output: "page" });
    expect(linksOf(await call("pdf", { input: linksOf(page)[0]!.uri }))[0]!.name).toBe("page_pdf.pdf");
    // The first bytes of each file type, unencoded and in base64.
    for (const start of ["%PDF-", "JVBER", "PNG\\r\\n", "iVBORw0", "PK\\u0003", "UEsDB"])
      expect(wire).not.toContain(start);
    expect(wire.length).toBeGreaterThan(1_000);
  });

  test("splits and sees a document of many pages", async () => {
    await connectOverHttp(open.url);
    const input = await uploadedTo("long.pdf", await labeledPdf("L", 100));
    const split = await call("split", { input });
    expect([split.isError, (split.structuredContent as { ids: string[] }).ids.length]).toEqual([undefined, 100]);
    const drawn = await call("png", { input, resolution: 600, pages: "last,99", show: 2 });
    const pictures = drawn.content.flatMap((part) => (part.type === "image" ? [part] : []));
    expect(pictures.map(({ mimeType }) => mimeType)).toEqual(["image/jpeg", "image/jpeg"]);
    expect((await call("compress", { input, compression_level: "low" })).content.length).toBe(2);
    expect(JSON.stringify(await call("describe_file", { file: input })).length).toBeLessThan(1_500);
  });

  test.each([
    ["auto", "2026-07-28"],
    ["legacy", "2025-11-25"],
  ] as const)("learns how far a call is, if it asks: %s, %s", async (mode, version) => {
    agent = newAgent(mode);
    await connectOverHttp(open.url);
    expect(agent.getNegotiatedProtocolVersion()).toBe(version);
    expect(agent.getInstructions()).toContain("create_upload");
    const input = await uploadedTo("a.pdf", await document("A"));
    const told: Progress[] = [];
    const params = { name: "png", arguments: { input, resolution: 30 } };
    await agent.callTool(params, { onprogress: (progress) => told.push(progress) });
    expect(told[0]).toEqual({ progress: 1, total: 2, message: "1 of 2 pages" });
    wire = "";
    await agent.callTool(params);
    expect(wire).not.toContain("notifications/progress");
  });

  test("has data as the result", async () => {
    await connectOverHttp(open.url);
    const input = await uploadedTo("a.pdf", await document("A"));
    const result = await call("info", { input, queries: "page_count" });
    expect(result.structuredContent).toMatchObject({ page_count: 2, allQueriesProcessed: true });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  test("reads the sentence of an error, and goes on", async () => {
    await connectOverHttp(open.url);
    const stored = await uploadedTo("a.pdf", await document("A"));
    const failed = async (name: string, given: Record<string, unknown>) => {
      const result = await call(name, given);
      expect(result.isError).toBe(true);
      return textOf(result);
    };
    expect(await failed("png", { input: stored, resolution: 9 })).toBe(
      "9 is not within the acceptable range for resolution.",
    );
    expect(await failed("png", { input: "report.pdf" })).toContain("A file is given by its id");
    expect(await failed("png", {})).toContain("A file is given by its id");
    expect(await failed("merge", { inputs: "a" })).toBe("`inputs` must be a list.");
    expect(await failed("png", { input: `${open.url}/upload/once/${"0".repeat(64)}` })).toBe(
      "That upload does not exist.",
    );
    expect(await failed("png", { input: "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55" })).toBe("That file does not exist");
    expect(await failed("pdf", { input: "http://127.0.0.1/" })).toContain("for url.");
    expect(await failed("linearize", { input: stored })).toBe("There is no tool linearize.");
    for (const name of ["__proto__", "constructor"]) expect(await failed(name, {})).toBe(`There is no tool ${name}.`);
    expect(await failed("png", { input: stored, dpi: 30 })).toBe("The tool png has no parameter dpi.");
    expect(await failed("png", { input: [stored] })).toContain("A file is given by its id");
    expect(await failed("merge", { inputs: [{ input: stored, pages: {} }] })).toBe("`pages` must be a text.");
    const unsent = (await call("create_upload", { name: "x" })).structuredContent as { uploadUrl: string };
    expect(await failed("png", { input: unsent.uploadUrl })).toBe("No file has arrived at this upload address yet.");
    expect(textOf(await call("describe_file", { file: stored }))).toContain('"name":"a.pdf"');
    expect(textOf(await call("delete_file", { file: stored }))).toBe("The file was removed.");
    expect(await failed("describe_file", { file: stored })).toBe("That file does not exist");
  });

  test("needs a key where everybody does", async () => {
    agent = newAgent("legacy");
    await expect(connectOverHttp(keyed.url)).rejects.toThrow("An Api-Key header is required to send this request.");
    agent = newAgent();
    await connectOverHttp(keyed.url, keyed.key);
    expect(linksOf(await call("html", { content: "x" }))).toHaveLength(1);
  });

  test("cannot open a stream or end a session: there are none", async () => {
    await connectOverHttp(open.url);
    await expect(agent.listen({ toolsListChanged: true })).rejects.toThrow("Subscription limit reached");
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await fetch(`${open.url}/mcp`, { method });
      expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
    }
  });

  test.each([
    ["no JSON", 400],
    ["[]", 400],
    ['{"jsonrpc":"1.0"}', 400],
    ['{"jsonrpc":"2.0","method":"tools/call","id":1,"params":{}}', 200],
    [`"${"x".repeat(5_000_000)}"`, 413],
  ])("wrong message %# gets an answer", async (body, status) => {
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    expect((await fetch(`${open.url}/mcp`, { method: "POST", headers, body })).status).toBe(status);
  });
});

describe("`pagewright mcp`", () => {
  const connect = (env: Record<string, string>) =>
    agent.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ["--no-warnings", join(root, "client/cli/main.ts"), "mcp", "--root", folder],
        env: { PATH: process.env.PATH!, ...env },
      }) as never,
    );

  test("has the tools of the service, and takes files of this machine by their path", async () => {
    await connect({ PAGEWRIGHT_URL: keyed.url, PAGEWRIGHT_API_KEY: keyed.key });
    const names = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...VERBS, "upload_file", "save_file"]));
    const [from, to] = [join(folder, "in.pdf"), join(folder, "out.png")];
    writeFileSync(from, await document("A"));
    const { id } = (await call("upload_file", { path: from })).structuredContent as { id: string };
    const drawn = await call("png", { input: id, pages: "1", resolution: 30 });
    await call("save_file", { file: linksOf(drawn)[0]!.uri, path: to });
    expect(readFileSync(to).subarray(1, 4).toString()).toBe("PNG");
    const failed = await call("upload_file", { path: join(folder, "nothing.pdf") });
    expect([failed.isError, textOf(failed)]).toEqual([
      true,
      `${folder}/nothing.pdf cannot be read: it does not exist.`,
    ]);
    expect((await call("png", { input: id, resolution: 9 })).isError).toBe(true);
    const told: Progress[] = [];
    const onprogress = (progress: Progress) => told.push(progress);
    // The client drops progress notifications that arrive together with the result.
    await agent.callTool({ name: "png", arguments: { input: id, resolution: 600 } }, { onprogress });
    expect(told[0]).toMatchObject({ progress: 1, total: 2 });
  });

  test("ends the request of a call that is canceled", async () => {
    const asked: string[] = [];
    // This server forwards all requests except tool calls, to which it never responds.
    await using busy = await startSite(async (request, response) => {
      const body = await text(request);
      const { method } = body === "" ? {} : JSON.parse(body);
      asked.push(method);
      if (method === "tools/call") return response.on("close", () => asked.push("disconnected"));
      const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
      const init = body === "" ? {} : { headers, body };
      const answer = await fetch(`${open.url}${request.url}`, { method: request.method!, ...init });
      const type = answer.headers.get("Content-Type");
      response.writeHead(answer.status, type ? { "Content-Type": type } : {}).end(await answer.text());
    });
    await connect({ PAGEWRIGHT_URL: busy.url });
    const leaving = new AbortController();
    const running = agent.callTool({ name: "html", arguments: { content: "x" } }, leaving);
    await expect.poll(() => asked, { timeout: 90_000 }).toContain("tools/call");
    leaving.abort("enough");
    await expect(running).rejects.toThrow("enough");
    await expect.poll(() => asked, { timeout: 90_000 }).toContain("disconnected");
  });

  test("ends with a sentence if there is no service", async () => {
    const args = ["--no-warnings", join(root, "client/cli/main.ts"), "mcp", "--url", "http://127.0.0.1:9"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", input: "" });
    expect([status, stderr]).toEqual([1, "pagewright: The service at http://127.0.0.1:9 has no /mcp: fetch failed\n"]);
  });
});
