// Tests that client generators can read /openapi.json: the generated clients compile, and can upload, merge and
// download files.
// Contract: docs/api.md#api-description
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { privateClient } from "../support/client.ts";
import { clientSources, npmTools, pythonTools } from "../support/client-tools.ts";
import { pageTexts } from "../support/pdf-readers.ts";

const LIMIT_MS = 600_000;
const run = promisify(execFile);
let folder: string;
let description: string;
let files: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "clients-"));
  description = join(folder, "openapi.json");
  await writeFile(description, await (await fetch(`${privateClient().url}/openapi.json`)).text());
  files = [join(folder, "first.pdf"), join(folder, "second.pdf")];
  await writeFile(files[0]!, await labeledPdf("first", 2));
  await writeFile(files[1]!, await labeledPdf("second", 2));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Merges all pages of the first file with one page of the second. */
async function expectMerged(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { stdout } = await run(program, [...args, privateClient().url, ...files], { cwd, maxBuffer: 2 ** 24 });
  const texts = pageTexts(Buffer.from(stdout, "base64"));
  expect(texts).toHaveLength(3);
  expect(texts.join(" ")).toMatch(/first.*first.*second/s);
}

test("openapi-typescript and @hey-api/openapi-ts", { timeout: LIMIT_MS }, async (context) => {
  const tools = await npmTools(context);
  const work = join(folder, "typescript");
  await mkdir(work);
  await symlink(join(tools, "node_modules"), join(work, "node_modules"));
  for (const name of ["package.json", "tsconfig.json", "with-openapi-fetch.ts", "with-hey-api.ts"]) {
    await copyFile(join(clientSources, name), join(work, name));
  }
  const tool = async (path: string, ...args: string[]) => {
    const command = [join(tools, "node_modules", path), ...args];
    await run(process.execPath, command, { cwd: work }).catch(({ stdout, stderr }) => expect.fail(stdout + stderr));
  };
  await tool("openapi-typescript/bin/cli.js", description, "--output", "schema.ts");
  await writeFile(join(work, "openapi-ts.config.mjs"), HEY_API_CONFIG);
  await tool("@hey-api/openapi-ts/bin/run.js", "--input", description, "--silent");
  await tool("typescript/bin/tsc", "--project", ".");
  await expectMerged(process.execPath, ["with-openapi-fetch.ts"], work);
  await expectMerged(process.execPath, ["with-hey-api.ts"], work);
});

/** This generator uses only one encoding of a body, by default JSON, which cannot contain files. */
const HEY_API_CONFIG = `
export default {
  output: { path: "hey", module: { extension: ".ts" } },
  parser: {
    patch: {
      operations: (_method, _path, operation) => {
        const content = operation.requestBody?.content ?? {};
        if (content["multipart/form-data"]) delete content["application/json"];
      },
    },
  },
};
`;

test("openapi-python-client", { timeout: LIMIT_MS }, async (context) => {
  const bin = await pythonTools(context);
  const reference = await (await fetch(`${privateClient().url}/docs.md`)).text();
  const config = join(folder, "overrides.yaml");
  await writeFile(config, /^```yaml\n([\s\S]*?)^```$/m.exec(reference)![1]!);
  const generated = ["--path", description, "--output-path", join(folder, "generated"), "--meta", "none"];
  const told = await run(join(bin, "openapi-python-client"), ["generate", ...generated, "--config", config], {
    cwd: folder,
  });
  expect(told.stdout + told.stderr).not.toContain("WARNING");
  await copyFile(join(clientSources, "with_python_client.py"), join(folder, "with_python_client.py"));
  await expectMerged(join(bin, "python"), ["with_python_client.py"], folder);
});
