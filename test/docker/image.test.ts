// Tests the container's image as a platform runs it: not as root, without capabilities, with a read-only root file
// system. Needs Docker and the image; without them, the tests are skipped with a reason. DOCKER_TESTS=1 builds the
// image.

import { execFile, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/services/wrangler.ts";
import { docx, pageBreak, paragraph } from "../fixtures/office.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { carryOut, memoryInput, post } from "../support/container-client.ts";
import { eventually } from "../support/eventually.ts";

const { DOCKER_IMAGE: IMAGE = "pagewright-container", DOCKER_TESTS } = process.env;
const BUILD_MS = 1_800_000;
const CONFINED = [
  ...["--user", "1000:1000", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ...["--read-only", "--tmpfs", "/tmp"],
];
const secret = "a secret of this test";

const docker = (...args: string[]): SpawnSyncReturns<string> => spawnSync("docker", args, { encoding: "utf8" });

/** Returns the output of a docker command. @throws Error with the output if the command fails */
function did(...args: string[]): string {
  const { status, stdout, stderr } = docker(...args);
  if (status !== 0) throw new Error(`docker ${args[0]}: ${stderr}`);
  return stdout.trim();
}

/** Returns the reason why the tests cannot run, after building the image if DOCKER_TESTS is set. */
function obstacle(): string | undefined {
  if (docker("version").status !== 0) return "Docker does not run here";
  if (DOCKER_TESTS === "1") did("build", "-f", `${root}/container/Dockerfile`, "-t", IMAGE, root);
  if (docker("image", "inspect", IMAGE).status === 0) return undefined;
  return `there is no image ${IMAGE}: DOCKER_TESTS=1 builds it, DOCKER_IMAGE names another`;
}

let reason: string | undefined;
let id: string;
let url: string;
beforeAll(async () => {
  reason = obstacle();
  if (reason !== undefined) return console.log(`The tests of the image are skipped: ${reason}.`);
  const settings = ["-e", `CONTAINER_SECRET=${secret}`, "-p", "127.0.0.1::8080"];
  id = did("run", "-d", ...CONFINED, ...settings, IMAGE);
  url = `http://${did("port", id, "8080/tcp").split("\n")[0]}`;
  await eventually(async () => expect((await up()).status).toBe("OK"));
}, BUILD_MS);
afterAll(() => void (id && docker("rm", "-f", id)));

async function up() {
  return (await (await fetch(`${url}/up`)).json()) as { status: string; engines: Record<string, string> };
}

const office = (...pages: string[]) =>
  memoryInput(docx({ body: pages.map((text) => paragraph(text)).join(pageBreak) }), "text.docx");
const images = { lossless: false };
const convert = (pages: string[]) =>
  carryOut({ url, secret }, "office-to-pdf", [office(...pages)], { tagged: false, ...images });

beforeEach((context) => {
  if (reason !== undefined) context.skip(reason);
});

describe("the image", () => {
  test.each([
    ["an Office document", "office-to-pdf", async () => office("Hello"), { tagged: false, ...images }],
    [
      "PostScript",
      "postscript-to-pdf",
      async () =>
        memoryInput(Buffer.from("%!PS\n/Times-Roman 20 selectfont 50 50 moveto (Hello) show showpage"), "a.ps"),
      images,
    ],
    [
      "HTML",
      "html-to-pdf",
      async () => memoryInput(Buffer.from("<h1>Hello</h1>"), "a.html"),
      { paper: { width: 595, height: 842 }, margin: 0, layout: "desktop", ...images },
    ],
    [
      "a PDF, to PDF/A",
      "pdf-to-pdfa",
      async () => memoryInput(await textPdf(1), "a.pdf"),
      { level: { part: 2, conformance: "b" }, rasterize: true },
    ],
    ["a PDF, in a thread", "linearize-pdf", async () => memoryInput(await textPdf(1), "a.pdf"), {}],
  ])("converts %s", async (_, operation, input, params) => {
    const [made] = await carryOut({ url, secret }, operation, [await input()], params);
    expect(made!.bytes.toString("latin1", 0, 5)).toBe("%PDF-");
  });

  test("reports that its engines are warm, and that it is healthy", async () => {
    await eventually(async () => expect(new Set(Object.values((await up()).engines))).toEqual(new Set(["warm"])));
    expect(docker("exec", id, "node", "container/health-check.mjs").status).toBe(0);
  });

  test("SIGTERM: the job in progress is finished, another one is refused, and it ends by itself", async () => {
    const job = convert(Array.from({ length: 3000 }, (_, page) => `Page ${page}`));
    await eventually(async () => {
      const { jobs } = (await up()) as unknown as { jobs: Record<string, { working: number }> };
      expect(jobs["office-to-pdf"]!.working).toBe(1);
    });
    // The end of the container must be observed while the job runs.
    await promisify(execFile)("docker", ["kill", "--signal", "TERM", id]);
    await eventually(async () => expect((await up()).status).toBe("ending"));
    const refused = await post({ url, secret }, "office-to-pdf", (async function* () {})());
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(await job).toHaveLength(1);
    expect(did("wait", id)).toBe("0");
    const lines = did("logs", id).split("\n");
    expect(lines.map((line) => typeof JSON.parse(line).message)).not.toContain("undefined");
  });
});
