// Calls every operation with the example of its declaration, by agents' tools and by the command line. `http/endpoints`
// calls them by forms, and `http/client` by the client.
// Contract: docs/api.md#client, #agents, #responses
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { ListedOperation, OperationList } from "../../src/service/http/contract/operation-list.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { docx, paragraph } from "../fixtures/office.ts";
import { fieldPdf } from "../fixtures/pdfs.ts";
import { keyedClient, upload } from "../support/client.ts";
import {
  EXAMPLE_IMAGE,
  EXAMPLE_PAGES,
  EXAMPLE_TEXT,
  exampleBeginning,
  exampleData,
  exampleFiles,
  exampleFormat,
  exampleValues,
} from "../support/examples.ts";

const { keyed } = inject("services");
const { operations } = (await (await fetch(`${keyed.url}/operations.json`)).json()) as OperationList;
const every = operations.map((operation) => [operation.verb, operation] as const);
const main = join(import.meta.dirname, "../../client/cli/main.ts");
const folder = mkdtempSync(join(tmpdir(), "every-operation-"));
/** As long as a test may take. */
const TIMEOUT_MS = 240_000;
const agent = new Client({ name: "test", version: "1" });
/** IDs of stored inputs. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  const files = {
    "a.pdf": await fieldPdf(EXAMPLE_PAGES),
    "a.docx": docx({ body: paragraph("Hello") }),
    "a.html": Buffer.from(EXAMPLE_TEXT),
    "a.zip": zipSync({ "a.bin": Buffer.from("Contents") }),
    "a.xml": Buffer.from(invoiceXml("xrechnung")),
    [EXAMPLE_IMAGE.name]: Buffer.from(EXAMPLE_IMAGE.base64, "base64"),
  };
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(folder, name), bytes);
    const { body } = await keyedClient().post("/zip", { file: upload(bytes, name), output: "a" });
    ids[name] = String([body.inputId].flat()[0]);
  }
  const requestInit = { headers: { "Api-Key": keyed.key } };
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${keyed.url}/mcp`), { requestInit }) as never);
});
afterAll(async () => {
  await agent.close();
  rmSync(folder, { recursive: true });
});

const nameOf = (operation: ListedOperation) =>
  `a.${operation.input.kind === "text" ? "html" : exampleFormat(operation)}`;
/**
 * Returns a value as an argument of the command line. JSON, or the content of a file, is written to a file, whose path is
 * the argument.
 */
function argument({ parameters }: ListedOperation, name: string, value: string): string {
  const { content, control } = parameters.find((one) => one.name === name) ?? {};
  if (!content && control !== "file") return value;
  writeFileSync(join(folder, `${name}.json`), value);
  return `${name}.json`;
}
const beginningOf = (bytes: Uint8Array, { length }: string) =>
  Buffer.from(bytes.subarray(0, length)).toString("latin1");

describe.each(every)("%s", (verb, operation) => {
  const { input, output } = operation;
  const values = exampleValues(operation);

  test("an agent calls it", async () => {
    const id = ids[nameOf(operation)]!;
    const files = exampleFiles(operation, ids[EXAMPLE_IMAGE.name]!, ids["a.pdf"]!);
    const inputs = {
      none: {},
      one: { input: id },
      several: { inputs: [id] },
      text: { [input.field ?? ""]: EXAMPLE_TEXT },
    };
    const given = { ...values, ...files, ...inputs[input.kind] };
    const called = await agent.callTool({ name: verb, arguments: given }, { timeout: TIMEOUT_MS });
    const { content, isError, structuredContent } = called as CallToolResult;
    expect([isError ?? false, isError ? content : []]).toEqual([false, []]);
    if (output.data) return expect(structuredContent).toMatchObject(exampleData(operation));
    const link = content.find((part) => part.type === "resource_link");
    expect(link!.mimeType).toContain(output.type);
    const bytes = await (await fetch(link!.uri)).bytes();
    expect(beginningOf(bytes, exampleBeginning(operation))).toBe(exampleBeginning(operation));
  });

  test("the command line calls it", async () => {
    const command = verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const given = { ...values, ...exampleFiles(operation, EXAMPLE_IMAGE.name, "a.pdf") };
    const options = Object.entries(given).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => [`--${name.replaceAll("_", "-")}`, argument(operation, name, String(one))]),
    );
    const file = input.kind === "none" ? [] : [nameOf(operation)];
    const env = { ...process.env, PAGEWRIGHT_URL: keyed.url, PAGEWRIGHT_API_KEY: keyed.key, NODE_NO_WARNINGS: "1" };
    const args = [main, command, ...file, ...options, ...(output.data ? [] : ["-d", verb])];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    if (output.data) return expect(JSON.parse(stdout)).toEqual(exampleData(operation));
    const made = readFileSync(join(folder, stdout.split("\n")[0]!));
    expect(beginningOf(made, exampleBeginning(operation))).toBe(exampleBeginning(operation));
  });
});
