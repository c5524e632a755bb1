// Runs each example of the reference unchanged, with files that have the names in the example.
// Contract: docs/api.md#reference, #first-request
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { detectMediaType } from "../../src/document/contract/media-type.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { docx, paragraph, zip } from "../fixtures/office.ts";
import { encrypted, fieldPdf, textPdf } from "../fixtures/pdfs.ts";
import { renamedFont } from "../fixtures/renamed-fonts.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { pythonTools } from "../support/client-tools.ts";
import { EXAMPLE_IMAGE, EXAMPLE_SECRETS } from "../support/examples.ts";
import { openPythonPrograms } from "../support/python-programs.ts";

const run = promisify(execFile);
let folder: string;
let pdf: Uint8Array;
let examples: readonly Example[];

type Variables = Readonly<Record<string, string>>;

interface Example {
  readonly section: string;
  readonly language: string;
  readonly text: string;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "examples-"));
  pdf = await fieldPdf(3, [300, 200]);
  await writeFile(join(folder, "report.pdf"), pdf);
  await writeFile(join(folder, "form.pdf"), pdf);
  await writeFile(join(folder, "invoice.xml"), invoiceXml("xrechnung"));
  await writeFile(join(folder, "archive.zip"), zip({ "a.txt": "Contents" }));
  await writeFile(join(folder, "appendix.pdf"), await textPdf(2));
  await writeFile(join(folder, "locked.pdf"), encrypted(pdf, "correct horse", "battery staple"));
  await writeFile(join(folder, "restricted.pdf"), encrypted(pdf, "", "correct horse"));
  await writeFile(join(folder, EXAMPLE_IMAGE.name), Buffer.from(EXAMPLE_IMAGE.base64, "base64"));
  await writeFile(join(folder, "passphrase.txt"), EXAMPLE_SECRETS["passphrase.txt"]!);
  await writeFile(join(folder, "signer.p12"), EXAMPLE_SECRETS["signer.p12"]!, "base64");
  await writeFile(join(folder, "report.docx"), docx({ body: paragraph("A report") }));
  await writeFile(join(folder, "Corporate.ttf"), await renamedFont("Regular", "Giraffe"));
  await writeFile(join(folder, "Corporate-Bold.ttf"), await renamedFont("Bold", "Giraffe"));
  await writeFile(join(folder, "report.html"), "<h1>A report</h1>");
  await writeFile(join(folder, "letter.docx"), docx({ body: paragraph("A letter") }));
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

/** Media types by file extension, for files whose type nothing else names. */
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  txt: "text/plain",
  zip: "application/zip",
};

/** Runs the examples of one language, and checks the file or the JSON that each of them returns. */
async function runAll(language: string, runProgram: (text: string, env: Variables) => Promise<string>): Promise<void> {
  const own = examples.filter((example) => example.language === language);
  expect(own.length).toBeGreaterThanOrEqual(20);
  const { url } = keyedClient();
  const key = inject("services").keyed.key;
  for (const { section, text } of own) {
    const command = await withIds(text);
    const before = await readdir(folder);
    const stdout = await runProgram(command, { API_KEY: key });
    const made = (await readdir(folder)).filter((name) => !before.includes(name));
    const saved = /(?:-o |writeFile\("|open\("(?=[^"]*", "wb"))([\w.]+)/.exec(text)?.[1];
    expect([section, made]).toEqual([section, saved === undefined ? [] : [saved]]);
    if (saved === undefined) {
      expect([section, stdout.trim().startsWith("{")]).toEqual([section, true]);
      continue;
    }
    const bytes = await readFile(join(folder, saved));
    await rm(join(folder, saved));
    const accepted = /Accept"?: "?([\w/.+-]+)/.exec(text)?.[1] ?? TYPES[saved.split(".").at(-1)!] ?? "application/pdf";
    expect([section, detectMediaType(bytes.subarray(0, 4096), saved)]).toEqual([section, accepted]);
    expect(text).toContain(url);
  }
}

/** Replaces the IDs and upload URLs of an example by existing ones. */
async function withIds(text: string): Promise<string> {
  const ids = [...new Set(text.match(/\b[12][0-9a-f]{8}(-[0-9a-f]{4,12}){4}\b/g))];
  let command = text;
  for (const id of ids) command = command.replaceAll(id, await stored());
  if (text.includes("/request-status/"))
    command = command.replace(/(?<=request-status\/)[\da-f-]{36}/, await acceptedRequest());
  if (text.includes("/upload/once/")) command = command.replace(/(?<=once\/)[\da-f]{64}/, await newToken());
  return command;
}

/** Returns the ID of an asynchronous request. */
async function acceptedRequest(): Promise<string> {
  const { url } = keyedClient();
  const form = new FormData();
  form.append("content", "<p>Hello");
  form.append("output", "hello");
  const headers = { "Api-Key": inject("services").keyed.key, Prefer: "respond-async" };
  const response = await fetch(`${url}/html`, { method: "POST", body: form, headers });
  return ((await response.json()) as { requestId: string }).requestId;
}

/** Returns the token of an upload URL. */
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
  const runIn =
    (program: string, ...args: readonly string[]) =>
    async (text: string, variables: Variables) => {
      const env = { ...process.env, ...variables };
      return (await run(program, [...args, text], { cwd: folder, env, maxBuffer: 2 ** 26 })).stdout;
    };

  test("curl", () => runAll("curl", runIn("sh", "-e", "-c")));

  test("JavaScript", () => runAll("JavaScript", runIn(process.execPath, "--input-type=module", "-e")));

  test("Python", async (context) => {
    await using programs = openPythonPrograms(await pythonTools(context));
    await runAll("Python", (text, variables) => programs.run(text, folder, variables));
  });
});

describe("the commands of the text run", { timeout: 600_000 }, () => {
  /**
   * Returns the commands of the reference, except those of webhooks, which need a receiver: http/webhooks runs them.
   */
  const commandsOf = async (url: string) => {
    const reference = await (await fetch(`${url}/docs.md`)).text();
    return reference.split(/^(?=##+ )/m).flatMap((section) => {
      const title = /^#+ (.*)/.exec(section)![1]!;
      const found = [...section.matchAll(/(?<!^curl:\n\n)^```sh\n([\s\S]*?)\n```$/gm)].map(
        ([, text]) => [title, text!] as const,
      );
      return title.startsWith("Webhooks") ? [] : found;
    });
  };
  const shell = (text: string) =>
    run("sh", ["-e", "-c", text], { cwd: folder, env: { ...process.env, API_KEY: inject("services").keyed.key } });

  test.each([
    ["private", privateClient],
    ["keyed", keyedClient],
  ] as const)("%s", async (variant, clientOf) => {
    const { url } = clientOf();
    const commands = await commandsOf(url);
    expect([...new Set(commands.map(([title]) => title))]).toEqual([
      ...["First request", "Idempotency", "Asynchronous jobs", "Fonts of a document"],
      ...["Headers, footers and page numbers", "/steps", "Resumable uploads", "Upload URLs"],
    ]);
    for (const [title, text] of commands) {
      expect([title, text.includes(url)]).toEqual([title, true]);
      // IDs and upload URLs are those of the keyed service, so commands that contain them are sent there.
      const command = (await withIds(text)).replace(/\S+(?=\/(?:resource|upload\/once)\/\w)/, (base) =>
        base.replace(url, keyedClient().url),
      );
      const { stdout } = await shell(command);
      if (/-o letter\.pdf/.test(text)) {
        const bytes = await readFile(join(folder, "letter.pdf"));
        expect([title, stdout, detectMediaType(bytes.subarray(0, 4096), "")]).toEqual([title, "", "application/pdf"]);
        await rm(join(folder, "letter.pdf"));
      } else if (title === "Resumable uploads") {
        const id = stdout.trim().split("\n").at(-1);
        const info = await fetch(`${url}/resource/${id}?format=info`);
        expect(await info.json()).toMatchObject({ name: "report.pdf", size: pdf.length });
      } else {
        expect([title, Object.keys(JSON.parse(stdout))[0]]).toEqual([
          title,
          expect.stringMatching(/^(outputUrl|requestId|uploadUrl|files)$/),
        ]);
      }
    }
    expect(commands.filter(([, text]) => text.includes("$API_KEY")).length > 0).toBe(variant === "keyed");
  });

  test("curl that writes to a file shows the sentence of an error, and leaves the files as they were", async () => {
    const [command] = (await commandsOf(keyedClient().url))
      .map(([, text]) => text)
      .filter((text) => text.includes("--fail"));
    const refused = command!.replace("-F output", "-F web_layout=ä -F output");
    const failure = () =>
      shell(refused).then(
        () => expect.unreachable("it must fail"),
        (error) => error,
      );
    for (const before of [undefined, "an earlier letter"]) {
      const path = join(folder, "letter.pdf");
      if (before !== undefined) await writeFile(path, before);
      const { code, stdout } = await failure();
      expect(code).toBe(22);
      expect(stdout).toMatch(/^%"%c3%a4 is not within the acceptable range for web_layout\..*"\n$/);
      expect(existsSync(path) ? await readFile(path, "utf8") : undefined).toBe(before);
    }
    await rm(join(folder, "letter.pdf"));
  });
});
