// Tests the container as deployed: a separate process with real engines. The container must recover whenever one of its
// processes is killed.
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { parsePages } from "../../src/document/contract/pages.ts";
import { docx, pageBreak, paragraph } from "../fixtures/office.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { carryOut, memoryInput } from "../support/container-client.ts";
import { eventually } from "../support/eventually.ts";
import { officeAtWork, parentOf, processTree, survivors } from "../support/processes.ts";

let folder: string;
let scratch: string;
let memory: string;
let container: ContainerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-test-"));
  scratch = await mkdtemp(join(tmpdir(), "server-test-scratch-"));
  memory = await mkdtemp(join("/dev/shm", "server-test-"));
  // Engines run as separate users, which need search permission on these folders.
  for (const path of [scratch, memory]) await chmod(path, 0o711);
  const env = { JOBS: "2", SCRATCH_DIR: scratch, MEMORY_SCRATCH_DIR: memory, URL_ALLOW: "127.0.0.9:*" };
  container = await startContainer({ logFile: join(folder, "log"), env });
});
afterAll(async () => {
  await container?.stop();
  await rm(folder, { recursive: true });
  await rm(scratch, { recursive: true });
  await rm(memory, { recursive: true });
});

const small = memoryInput(docx({ body: paragraph("Hello from a test") }), "small.docx");
/** LibreOffice needs seconds for this document. */
const long = memoryInput(
  docx({ body: Array.from({ length: 3000 }, (_, page) => paragraph(`Page ${page}`) + pageBreak).join("") }),
  "long.docx",
);
const params = { tagged: false, lossless: false };
const convert = (input = small, signal?: AbortSignal) => carryOut(container, "office-to-pdf", [input], params, signal);

test("a job with one output of all pages is done by one thread", async () => {
  const params = { format: "tif", colorModel: "gray", dpi: 36, pages: parsePages("1-last"), multipage: true };
  const [made, ...others] = await carryOut(
    container,
    "rasterize-pdf",
    [memoryInput(await textPdf(5), "a.pdf")],
    params,
  );
  expect(others).toEqual([]);
  const file = join(folder, "made.tif");
  await writeFile(file, made!.bytes);
  expect(execFileSync("tiffinfo", [file], { encoding: "utf8" }).match(/Page Number: \d-5/g)).toHaveLength(5);
});

async function expectItWorks(): Promise<void> {
  const [made] = await convert();
  const file = join(folder, "made.pdf");
  await writeFile(file, made!.bytes);
  expect(execFileSync("pdftotext", [file, "-"], { encoding: "utf8" }).trim()).toBe("Hello from a test");
}

/** Returns the names of job folders. */
async function jobFolders(): Promise<string[]> {
  const places = [scratch, memory];
  const services = (
    await Promise.all(places.map(async (place) => (await readdir(place)).map((n) => join(place, n))))
  ).flat();
  const names = await Promise.all(services.map((service) => readdir(service)));
  return names.flat().filter((name) => !/^(zygote|chromium|verapdf)/.test(name));
}
const nothingIsLeft = () => eventually(async () => expect(await jobFolders()).toEqual([]));

const childAtWork = () => officeAtWork(container.pid!);

test("a job that comes before LibreOffice is ready waits for it", expectItWorks);

test("jobs at the same time, each with its own document", async () => {
  const texts = Array.from({ length: 6 }, (_, index) => `Document number ${index}`);
  const made = await Promise.all(
    texts.map((text) => convert(memoryInput(docx({ body: paragraph(text) }), "document.docx"))),
  );
  for (const [index, [pdf]] of made.entries()) {
    const file = join(folder, `${index}.pdf`);
    await writeFile(file, pdf!.bytes);
    expect(execFileSync("pdftotext", [file, "-"], { encoding: "utf8" }).trim()).toBe(texts[index]);
  }
  await nothingIsLeft();
});

test.each([
  ["a spreadsheet that is CSV", "name;price\nPaper;3,50\n", "prices.xls", "Paper"],
  ["a spreadsheet that is HTML", "<table><tr><td>Paper<td>3.50</table>", "prices.xls", "Paper"],
  ["a text that is RTF", "{\\rtf1\\ansi Hello in RTF}", "letter.doc", "Hello in RTF"],
  ["a text that is HTML", "<html><body><p>Hello in HTML</p></body></html>", "letter.doc", "Hello in HTML"],
])("%s is converted", async (_, content, name, expected) => {
  const [made] = await convert(memoryInput(Buffer.from(content), name));
  const file = join(folder, "typed.pdf");
  await writeFile(file, made!.bytes);
  expect(execFileSync("pdftotext", [file, "-"], { encoding: "utf8" })).toContain(expected);
});

describe("killed by hand", () => {
  test("the process at work on a document: that job is begun again, the next one works", async () => {
    const answer = convert(long);
    process.kill(await childAtWork(), "SIGKILL");
    expect(await answer).toHaveLength(1);
    await expectItWorks();
    await nothingIsLeft();
  });

  test("the zygote: its jobs are begun again, the next one works", async () => {
    const answer = convert(long);
    process.kill(parentOf(await childAtWork())!, "SIGKILL");
    expect(await answer).toHaveLength(1);
    await expectItWorks();
    await nothingIsLeft();
  });

  test("the server itself is stopped: it is killed and started again", async () => {
    const pid = container.pid!;
    process.kill(pid, "SIGSTOP");
    await eventually(() => expect(container.pid).not.toBe(pid));
    expect(await survivors([pid])).toEqual([]);
    await eventually(expectItWorks);
    await nothingIsLeft();
  });

  test("the server itself: its jobs end, it is started again, and what it left is swept", async () => {
    const answer = convert(long);
    answer.catch(() => {});
    await childAtWork();
    const tree = processTree(container.pid!);
    process.kill(container.pid!, "SIGKILL");
    await expect(answer).rejects.toMatchObject({ reason: "lost" });
    expect(await survivors(tree)).toEqual([]);
    await eventually(expectItWorks);
    await nothingIsLeft();
    for (const place of [scratch, memory]) expect(await readdir(place)).toHaveLength(1);
  });
});

test.each(["042 X", "000 X", "1000 X", "101 Switching Protocols"])(
  "a page whose picture is answered with %s is printed, and the server goes on",
  async (status) => {
    const hostile = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\nhi`));
    });
    await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.9", resolve));
    const { port } = hostile.address() as { port: number };
    const pid = container.pid;
    const page = `<p>Hello</p><img src="http://127.0.0.9:${port}/"><script src="http://127.0.0.9:${port}/"></script>`;
    const printing = { paper: { width: 595, height: 842 }, margin: 0, layout: "desktop", lossless: false };
    const [made] = await carryOut(container, "html-to-pdf", [memoryInput(Buffer.from(page), "page.html")], printing);
    hostile.close();
    expect(made!.bytes.toString("latin1", 0, 5)).toBe("%PDF-");
    expect(container.pid).toBe(pid);
  },
);

test("a client that goes away ends its process", async () => {
  const gone = new AbortController();
  const answer = convert(long, gone.signal);
  answer.catch(() => {});
  const pid = await childAtWork();
  gone.abort(new Error("the client went away"));
  await expect(answer).rejects.toThrow("the client went away");
  expect(await survivors([pid])).toEqual([]);
  await nothingIsLeft();
});

test("stopped, it leaves no process and no folder", async () => {
  const answer = convert(long);
  answer.catch(() => {});
  await childAtWork();
  const tree = processTree(container.pid!);
  await container.stop();
  // The job was either completed within the grace period, or failed with an error.
  expect(
    await answer.then(
      ({ length }) => length,
      ({ name }) => name,
    ),
  ).toBeOneOf([1, "EngineFailure"]);
  expect(await survivors(tree)).toEqual([]);
  for (const place of [scratch, memory]) expect(await readdir(place)).toEqual([]);
});
