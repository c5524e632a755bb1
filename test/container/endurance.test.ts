// Tests the whole service with many documents of every kind that becomes PDF (valid, damaged, password-protected and
// hostile), and kills processes during jobs: resources must not grow, no job may stall, and every client must get a
// response. ENDURANCE_DOCUMENTS and ENDURANCE_KILLS make the runs longer.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { docx, flatOpenDocument, pageBreak, paragraph, xlsx, zip } from "../fixtures/office.ts";
import { pattern, png } from "../fixtures/pictures.ts";
import { document, eps, pages } from "../fixtures/postscript.ts";
import { corpusDir } from "../support/corpus.ts";
import { eventually } from "../support/eventually.ts";
import { nameOf, officeAtWork, officeProcesses, parentOf, processTree } from "../support/processes.ts";
import { type Service, startService } from "../support/service.ts";

const DOCUMENTS = Number(process.env.ENDURANCE_DOCUMENTS ?? 80);
const KILLS = Number(process.env.ENDURANCE_KILLS ?? 8);
const CLIENTS = 4;
const STALLED_AFTER_MS = 120_000;

let service: Service;
beforeAll(async () => {
  service = await startService({ variant: "private", container: ["office", "chromium", "ghostscript", "threads"] });
}, 120_000);
afterAll(async () => {
  await service?.stop();
});

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly status: number;
}

const text = docx({ body: [1, 2, 3].map((n) => paragraph(`Page ${n}`)).join(pageBreak) });
const made: readonly Sample[] = [
  { name: "text.docx", bytes: text, status: 200 },
  { name: "sheet.xlsx", bytes: xlsx('<row r="1"><c r="A1"><v>42</v></c></row>'), status: 200 },
  { name: "table.xls", bytes: Buffer.from("name;price\nPaper;3,50\n"), status: 200 },
  { name: "letter.doc", bytes: Buffer.from("{\\rtf1\\ansi Hello}"), status: 200 },
  {
    name: "slides.pptx",
    bytes: flatOpenDocument("presentation", "<office:body><office:presentation/></office:body>"),
    status: 200,
  },
  { name: "half.docx", bytes: text.subarray(0, text.length / 2), status: 400 },
  { name: "other.docx", bytes: zip({ "readme.txt": "nothing" }), status: 400 },
  { name: "page.html", bytes: Buffer.from("<title>a</title><h1>Hello</h1>"), status: 200 },
  // Chromium prints resources that it cannot reach as missing images and frames.
  {
    name: "curious.html",
    bytes: Buffer.from("<img src=http://127.0.0.1/><iframe src=file:///etc/passwd></iframe>"),
    status: 200,
  },
  {
    name: "greedy.html",
    bytes: Buffer.from("<script>for (let a = [];;) a.push(new Array(1e6).fill(0))</script>"),
    status: 413,
  },
  { name: "text.ps", bytes: Buffer.from(pages(2)), status: 200 },
  { name: "figure.eps", bytes: Buffer.from(eps([0, 0, 100, 50])), status: 200 },
  { name: "wrong.ps", bytes: Buffer.from(document("undefinedname showpage")), status: 400 },
  { name: "greedy.ps", bytes: Buffer.from(document("[ { 65535 string } loop")), status: 413 },
  { name: "picture.png", bytes: png(pattern(3), { colorType: 2, bits: 8 }), status: 200 },
  { name: "half.png", bytes: png(pattern(3), { colorType: 2, bits: 8 }).subarray(0, 40), status: 400 },
];
const real: readonly (readonly [string, number])[] = [
  ["Comment045.docx", 200],
  ["test_multi_page.doc", 200],
  ["27template.xls", 200],
  ["test_multi_page.ppt", 200],
  ["PresFontsSubst.pptx", 200],
  ["Corrupted-document.docx", 400],
  ["example_password.xlsx", 401],
  ["rc4cryptoapi_password.doc", 401],
  ["rc4cryptoapi_password.ppt", 401],
];
const samples = (): Sample[] => [
  ...made,
  ...(corpusDir === undefined
    ? []
    : real.map(([name, status]) => ({ name, status, bytes: readFileSync(join(corpusDir!, "office", name)) }))),
];

async function convert({ name, bytes }: Pick<Sample, "name" | "bytes">): Promise<{ status: number; error?: string }> {
  const form = new FormData();
  form.append("output", "made");
  form.append("file", new File([Buffer.from(bytes)], name));
  const response = await fetch(`${service.url}/pdf`, {
    method: "POST",
    body: form,
    signal: AbortSignal.timeout(STALLED_AFTER_MS),
  });
  const answer = (await response.json()) as { outputUrl?: string; error?: string };
  if (response.status !== 200) return { status: response.status, error: answer.error! };
  const stored = await fetch(answer.outputUrl!);
  expect(
    Buffer.from(await stored.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe("%PDF-");
  return { status: 200 };
}

/**
 * Returns the anonymous memory of a process in KiB. Private memory would be wrong for a zygote, which shares pages with
 * children that have not exited yet.
 */
function ownMemory(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  return Number(/^Anonymous:\s+(\d+) kB/m.exec(rollup)![1]);
}

const server = () => service.container!.pid!;
const zygote = () => processTree(server()).find((pid) => nameOf(pid) === "zygote\n")!;

/** Returns the folders that the server itself created, on disk and in memory; their names identify them. */
function folders(): string[] {
  const places = [dirname(execFileSync("mktemp", ["-u"], { encoding: "utf8" }).trim()), "/dev/shm"];
  const own = places.flatMap((place) => readdirSync(place).map((name) => join(place, name)));
  return own
    .filter((path) => path.includes(`/pagewright-${server()}-`))
    .flatMap((path) => readdirSync(path))
    .filter((name) => !/^(zygote|chromium|verapdf)/.test(name));
}

const state = () => ({
  processes: processTree(server()).length,
  server: ownMemory(server()),
  zygote: ownMemory(zygote()),
});

test(`${DOCUMENTS} documents in a row leave no process, no file and no memory behind`, {
  timeout: 120_000 + DOCUMENTS * 6000,
}, async () => {
  const documents = samples();
  const wrong: string[] = [];
  let next = 0;
  const run = (end: number) =>
    Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (next < end) {
          const sample = documents[next++ % documents.length]!;
          const { status, error } = await convert(sample);
          if (status !== sample.status) wrong.push(`${sample.name}: ${status} ${error ?? ""}`);
        }
      }),
    );
  await run(Math.ceil(DOCUMENTS / 4));
  await eventually(() => expect(folders()).toEqual([]));
  // Chromium can still be preparing pages for later jobs.
  await eventually(async () => {
    const { length } = processTree(server());
    await sleep(2000);
    expect(processTree(server())).toHaveLength(length);
  });
  const before = state();
  await run(Math.ceil((5 * DOCUMENTS) / 8));
  await eventually(() => expect(folders()).toEqual([]));
  const between = state();
  await run(DOCUMENTS);
  await eventually(() => expect(folders()).toEqual([]));
  const after = state();
  console.log(
    `Anonymous KiB after a quarter, in the middle and at the end: ${JSON.stringify([before, between, after])}`,
  );
  expect(wrong).toEqual([]);
  await eventually(() => expect(processTree(server()).length).toBeLessThanOrEqual(before.processes));
  // A leak grows in both halves. A single growth is no leak: the kernel sometimes gives a heap large memory pages, and
  // threads collect their garbage at different times.
  const growth = (name: "server" | "zygote") =>
    Math.min(between[name] - before[name], after[name] - between[name]) / 1024;
  expect(growth("zygote")).toBeLessThan(2);
  expect(growth("server")).toBeLessThan(48);
});

test(`${KILLS} processes killed in mid-job: as many clear answers, and the next job works`, {
  timeout: 120_000 + KILLS * 60_000,
}, async () => {
  // LibreOffice needs seconds for this document.
  const body = Array.from({ length: 1500 }, (_, page) => paragraph(`Page ${page}`) + pageBreak).join("");
  const long = { name: "long.docx", bytes: docx({ body }) };
  const small = { name: "small.docx", bytes: text };
  const victims = { child: (pid: number) => pid, zygote: (pid: number) => parentOf(pid)!, server: () => server() };
  const names = Object.keys(victims) as (keyof typeof victims)[];
  const answers: Record<string, number> = {};
  for (let kill = 0; kill < KILLS; kill++) {
    const victim = names[kill % names.length]!;
    const answer = convert(long);
    answer.catch(() => {});
    const child = await officeAtWork(server());
    await sleep(Math.random() * 400);
    try {
      process.kill(victims[victim](child), "SIGKILL");
    } catch {
      // The process ended just before the signal.
    }
    const { status, error } = await answer;
    answers[`${victim} ${status} ${error ?? ""}`] = (answers[`${victim} ${status} ${error ?? ""}`] ?? 0) + 1;
    if (status !== 200)
      expect({ status, error }).toEqual({ status: expect.toBeOneOf([500, 503]), error: expect.stringMatching(/\.$/) });
    // While the server restarts, the container is busy.
    await eventually(async () => expect((await convert(small)).status).toBe(200));
  }
  console.log(`Answers: ${JSON.stringify(answers)}`);
  await eventually(() => expect(officeProcesses(server())).toEqual([]));
  await eventually(() => expect(folders()).toEqual([]));
});
