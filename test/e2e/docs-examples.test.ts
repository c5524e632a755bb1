// Runs each example of the reference as it stands there, with files of the names that it uses.
// Contract: docs/api.md#reference
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { mediaTypeOf } from "../../src/core/media-type.ts";
import { docx, paragraph } from "../fixtures/office.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { keyedClient, upload } from "../support/client.ts";
import { pythonTools } from "../support/client-tools.ts";

const run = promisify(execFile);
let folder: string;
let pdf: Uint8Array;
let examples: readonly Example[];

interface Example {
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "examples-"));
  pdf = await textPdf(3);
  await writeFile(join(folder, "report.pdf"), pdf);
  await writeFile(join(folder, "appendix.pdf"), await textPdf(2));
  await writeFile(join(folder, "report.docx"), docx({ body: paragraph("A report") }));
  const reference = await (await fetch(`${keyedClient().url}/docs.md`)).text();
  examples = reference.split(/^(?=###? )/m).flatMap((section) =>
    [...section.matchAll(/^(curl|JavaScript|Python):\n\n```\w+\n([\s\S]*?)\n```$/gm)].map(([, language, text]) => ({
      section: /^#+ (.*)/.exec(section)![1]!,
      language: language!,
      text: text!,
    })),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Media types of files by their extension, where nothing else names them. */
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  zip: "application/zip",
};

/** Runs the examples of one language, and checks the file or the JSON that each of them gives. */
async function runAll(language: string, program: string, argsOf: (text: string) => readonly string[]): Promise<void> {
  const own = examples.filter((example) => example.language === language);
  expect(own.length).toBeGreaterThanOrEqual(20);
  const { url } = keyedClient();
  const key = inject("services").keyed.key;
  for (const { section, text } of own) {
    const ids = [...new Set(text.match(/\b[12][0-9a-f]{8}(-[0-9a-f]{4,12}){4}\b/g))];
    let command = text;
    for (const id of ids) command = command.replaceAll(id, await stored());
    if (text.includes("/request-status/"))
      command = command.replace(/(?<=request-status\/)[\da-f-]{36}/, await acceptedRequest());
    if (text.includes("/upload/once/")) command = command.replace(/(?<=once\/)[\da-f]{64}/, await newToken());
    const before = await readdir(folder);
    const { stdout } = await run(program, argsOf(command), { cwd: folder, env: { ...process.env, API_KEY: key } });
    const made = (await readdir(folder)).filter((name) => !before.includes(name));
    const saved = /(?:-o |writeFileSync\("|open\("(?=[^"]*", "wb"))([\w.]+)/.exec(text)?.[1];
    expect([section, made]).toEqual([section, saved === undefined ? [] : [saved]]);
    if (saved === undefined) {
      expect([section, stdout.trim().startsWith("{")]).toEqual([section, true]);
      continue;
    }
    const bytes = await readFile(join(folder, saved));
    await rm(join(folder, saved));
    const accepted = /Accept"?: "?([\w/]+)/.exec(text)?.[1] ?? TYPES[saved.split(".").at(-1)!] ?? "application/pdf";
    expect([section, mediaTypeOf(bytes.subarray(0, 4096), saved)]).toEqual([section, accepted]);
    expect(text).toContain(url);
  }
}

/** Returns the id of a request that is answered later. */
async function acceptedRequest(): Promise<string> {
  const { url } = keyedClient();
  const form = new FormData();
  form.append("content", "<p>Hello");
  form.append("output", "hello");
  const headers = { "Api-Key": inject("services").keyed.key, Prefer: "respond-async" };
  const response = await fetch(`${url}/html`, { method: "POST", body: form, headers });
  return ((await response.json()) as { requestId: string }).requestId;
}

/** Returns the token of an address at which a file can be uploaded. */
async function newToken(): Promise<string> {
  const { url } = keyedClient();
  const headers = { "Api-Key": inject("services").keyed.key };
  const response = await fetch(`${url}/upload/once`, { method: "POST", headers });
  return ((await response.json()) as { uploadUrl: string }).uploadUrl.split("/").at(-1)!;
}

async function stored(): Promise<string> {
  const { url } = keyedClient();
  const form = new FormData();
  form.append("file", upload(pdf));
  const headers = { "Api-Key": inject("services").keyed.key };
  const response = await fetch(`${url}/upload`, { method: "POST", body: form, headers });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

describe("every example runs and gives the file", { timeout: 600_000 }, () => {
  test("curl", () => runAll("curl", "sh", (text) => ["-e", "-c", text]));

  test("JavaScript", () => runAll("JavaScript", process.execPath, (text) => ["--input-type=module", "-e", text]));

  test("Python", async (context) => {
    const bin = await pythonTools(context);
    await runAll("Python", join(bin, "python"), (text) => ["-W", "error::SyntaxWarning", "-c", text]);
  });
});
