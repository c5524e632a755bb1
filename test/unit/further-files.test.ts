// Tests everything that follows from the declaration of a further file, without a service: the API description, agents'
// tools, the client, the command line, and the workbench with its generated code.
// Contract: docs/api.md#requests
import { expect, onTestFinished, test } from "vitest";
import type { FileSchema, OperationSchema } from "../../client/cli/operation-types.ts";
import { optionsOf, paramsOf } from "../../client/cli/parameters.ts";
import { OPERATIONS } from "../../client/generated/operations.ts";
import { Pagewright } from "../../client/index.ts";
import { operationsSource, schemasSource } from "../../scripts/client/client-sources.ts";
import { readService } from "../../site/workbench/model/operations.ts";
import { FIRST_STATE, type Input, type State } from "../../site/workbench/model/state.ts";
import { faultsOf } from "../../site/workbench/session/faults.ts";
import { bodyOf, callsOfState, tasksOf } from "../../site/workbench/session/request.ts";
import { describe } from "../../src/service/http/contract/described.ts";
import { createTools, serveMcp } from "../../src/service/http/mcp/server.ts";
import { describeEndpoint } from "../../src/service/http/openapi/endpoints.ts";
import { listOperations } from "../../src/service/http/openapi/operations.ts";
import { LANGUAGES } from "../../src/service/reference/snippets/languages.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { stamping } from "../worker/stamping-endpoint.ts";

const described = describe(stamping);
const config = readConfig({ VARIANT: "private" } as Parameters<typeof readConfig>[0]);
const idOf = (digit: number) => `2d0c1f2a5-7d3f-4c39-9d7e-${String(digit).repeat(12)}`;
const [MAIN, IMAGE, MARK] = [idOf(1), idOf(2), idOf(3)];
const URL_OF_IMAGE = "https://example.org/seal.txt";
/** The list has a URL before an ID; this order must be kept. */
const BODY = { id: MAIN, "image_urls[0]": URL_OF_IMAGE, "image_ids[1]": IMAGE, mark_id: MARK };

test("the description has every spelling, which of them are needed, and an example", () => {
  const { body } = describeEndpoint(stamping, config, "http://x").operations[0]!;
  const { schema, example } = body!["multipart/form-data"]!;
  expect(Object.keys((schema as { properties: object }).properties)).toEqual([
    ...["file", "id", "url", "image_files", "image_ids[]", "image_urls[]", "mark_file", "mark_id", "mark_url"],
    "mark_text",
  ]);
  const named = (schema as { allOf: Record<string, { required: string[] }[]>[] }).allOf.map((condition) =>
    Object.entries(condition).map(([rule, some]) => [rule, ...some.flatMap(({ required }) => required)].join(" ")),
  );
  expect(named.flat()).toEqual([
    "oneOf file id url",
    "anyOf image_files image_ids[] image_urls[]",
    "oneOf mark_text mark_file mark_id mark_url",
  ]);
  const bytes = ["logo", "seal"].map((name) => `(the bytes of ${name}.txt)`);
  expect(example).toEqual({ file: "(the bytes of report.pdf)", image_files: bytes });
  const inJson = body!["application/json"]!;
  expect(inJson.example).toMatchObject({ "image_ids[]": [expect.any(String), expect.any(String)] });
  expect(inJson.schema).not.toHaveProperty("properties.image_files");
});

test("an agent names further files as it names the input", async () => {
  const bodies: unknown[] = [];
  const dispatch = async (_: string, { body }: RequestInit = {}) => {
    bodies.push(JSON.parse(new TextDecoder().decode(body as Uint8Array)));
    return Response.json({ told: [] });
  };
  const served = { tools: createTools([stamping], { variant: "private" }), dispatch, factsOf: async () => undefined };
  const ask = async (method: string, params: object) => {
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const request = new Request("http://localhost:8787/mcp", { method: "POST", headers, body: message });
    const quota = createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 });
    const text = await (await serveMcp(request, { ...served, bodies: quota })).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
  };
  const { tools } = await ask("tools/list", {});
  const { inputSchema } = tools.find(({ name }: { name: string }) => name === "stamp");
  expect(inputSchema.required).toEqual(["input", "image_files"]);
  expect(inputSchema.properties).toMatchObject({ image_files: { type: "array" }, mark_file: { type: "string" } });
  const images = [URL_OF_IMAGE, `http://localhost:8787/resource/${IMAGE}`];
  const args = { input: MAIN, image_files: images, mark_file: MARK };
  expect((await ask("tools/call", { name: "stamp", arguments: args })).isError).toBe(undefined);
  expect(bodies).toEqual([BODY]);
});

test("the client types and sends them, and removes its uploads if the operation fails", async () => {
  const source = operationsSource([described]);
  expect(source).toContain("readonly imageFiles: Iterable<Inputs>;");
  expect(source).toContain("readonly markFile?: Inputs | undefined;");
  expect(source).toContain("stamp(input: Inputs, params: StampParams,");
  const [, entry] = /stamp: (\[.*\]),/.exec(source)!;
  Object.assign(OPERATIONS, { stamp: JSON.parse(entry!) });
  onTestFinished(() => void Reflect.deleteProperty(OPERATIONS, "stamp"));
  const asked: [string, unknown][] = [];
  let status = 200;
  const pw = new Pagewright({
    baseUrl: "http://pagewright.test/",
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      asked.push([`${init.method} ${pathname}`, typeof init.body === "string" ? JSON.parse(init.body) : undefined]);
      if (pathname === "/upload") return Response.json({ files: [{ id: IMAGE }] });
      return status === 200 ? Response.json({ told: [] }) : Response.json({ error: "no" }, { status });
    },
  });
  const call = (image: unknown) =>
    pw.run("stamp" as never, pw.stored(MAIN), { imageFiles: [URL_OF_IMAGE, image], markFile: { id: MARK } });
  await call(pw.stored(IMAGE));
  expect(asked).toEqual([["POST /stamped", BODY]]);
  await call(new Blob(["text"]));
  expect(asked.slice(1)).toEqual([
    ["POST /upload", undefined],
    ["POST /stamped", BODY],
  ]);
  status = 400;
  await expect(call(new Blob(["text"]))).rejects.toThrow("no");
  expect(asked.at(-1)![0]).toBe(`DELETE /resource/${IMAGE}`);
});

test("the command line has an option for each", async () => {
  const [schema] = JSON.parse(/= (\[[\s\S]*\]);/.exec(schemasSource([described]))![1]!) as OperationSchema[];
  const [images, mark] = optionsOf(schema!);
  expect([images!.flags, images!.mandatory, mark!.flags, mark!.mandatory]).toEqual([
    ...["--image-files <file>", true, "--mark-file <file>", false],
  ]);
  expect(mark!.description).toContain("instead of --mark-text");
  expect(images!.parseArg!("b.png", ["a.png"] as never)).toEqual(["a.png", "b.png"]);
  const files = schema!.files as readonly FileSchema[];
  const params = await paramsOf({ ...schema!, files }, { imageFiles: ["logo.png", IMAGE], markFile: URL_OF_IMAGE });
  expect(params).toEqual({ imageFiles: ["logo.png", { id: IMAGE }], markFile: URL_OF_IMAGE });
});

const service = readService(listOperations([stamping], config));
const operation = service.all.get("/stamped")!;
const given = (key: number, more: Partial<Input>): Input => ({
  ...{ key, name: "a", isResult: false, pages: "all" },
  ...more,
});
const stateWith = (further: readonly Input[], values: State["values"] = {}): State => ({
  ...FIRST_STATE,
  ...{ service, path: "/stamped", values, further },
  inputs: [given(1, { name: "a.pdf", id: MAIN })],
});
const logo = given(2, { field: "image_files", name: "logo.txt", url: URL_OF_IMAGE });
const seal = given(3, { field: "image_files", name: "seal.txt", id: IMAGE });
const mark = given(4, { field: "mark_file", name: "mark.pdf", id: MARK, isResult: true });

test("the workbench sends them, and writes code that sends the files themselves", () => {
  const state = stateWith([mark, logo, given(9, { field: "other_file", id: "2x" }), seal]);
  expect(bodyOf(operation, tasksOf(operation, state)[0]!)).toEqual(BODY);
  const codeIn = (language: string) =>
    LANGUAGES.find(({ id }) => id === language)!.write(callsOfState(operation, state, "https://example.com"));
  for (const line of [
    "-F file=@a.pdf",
    "-F image_files=@seal.txt",
    `-F 'image_urls[]=${URL_OF_IMAGE}'`,
    `-F mark_id=${MARK}`,
  ])
    expect(codeIn("curl")).toContain(line);
  for (const option of [`--image-files ${URL_OF_IMAGE}`, "--image-files seal.txt", `--mark-file ${MARK}`])
    expect(codeIn("cli")).toContain(option);
  expect(codeIn("python")).toContain('("image_files", ("seal.txt", open("seal.txt", "rb")))');
  expect(codeIn("javascript")).toContain('form.append("image_files", await openAsBlob("seal.txt"), "seal.txt");');
  expect(codeIn("php")).toContain("'image_files' => new CURLFile('seal.txt')");
});

test("the workbench tells which are missing, or too many", () => {
  const faults = (...given: Parameters<typeof stateWith>) =>
    faultsOf(operation, stateWith(...given)).map(({ control, isMissing }) => [control, isMissing]);
  expect(faults([])).toEqual([
    ["field-image_files", true],
    ["field-mark_file", true],
  ]);
  expect(faults([seal, mark])).toEqual([]);
  expect(faults([seal], { "/stamped": { mark_text: "x" } })).toEqual([]);
  expect(faults([seal, mark], { "/stamped": { mark_text: "x" } })).toEqual([["field-mark_file", false]]);
});
