// Compares merge, split, linearize and zip over HTTP with the usual program for each task, run as a new process that
// reads and writes files. Compares times of the same round. Ratios are ours / theirs. Also measures the operation alone
// in this process, without upload and storage.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePages } from "../src/document/contract/pages.ts";
import { linearizePdf } from "../src/operations/linearize-pdf.ts";
import { mergePdfs } from "../src/operations/merge-pdfs.ts";
import { splitPdf } from "../src/operations/split-pdf.ts";
import { zipFiles } from "../src/operations/zip-files.ts";
import { PdfBuilder } from "../test/fixtures/pdf-builder.ts";
import { CONTEXT, inputOf } from "../test/support/operations.ts";
import type { ServiceAddress } from "../test/support/service.ts";
import { exchange, type FilePart, median, multipart, row } from "./measuring/measure.ts";

interface Task {
  readonly name: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly files: readonly FilePart[];
  /** Command line of the other program. Its working folder contains the files, under their names. */
  readonly command: readonly string[];
}

const MB = 1e6;

/** Returns a book with text on every page, and with incompressible images of the given total size. */
export function book(pages: number, pictureBytes = 0): Uint8Array {
  const builder = new PdfBuilder();
  for (let page = 1; page <= pages; page++) {
    const size = Math.floor(pictureBytes / pages);
    const picture = `/Subtype/Image/Width 1/Height ${size}/BitsPerComponent 8/ColorSpace/DeviceGray`;
    const drawn = size > 0 ? `/XObject<</I ${builder.stream(randomBytes(size), picture)}>>` : "";
    builder.page(
      `BT /F 12 Tf 20 150 Td (Page ${page} of a book) Tj ET${size > 0 ? " q 9 0 0 9 0 0 cm /I Do Q" : ""}`,
      "",
      drawn,
    );
  }
  return builder.bytes();
}

function tasks(): Task[] {
  const text = Buffer.from("The quick brown fox jumps over the lazy dog, and once more.\n".repeat(3000));
  const merge = (count: number): Task => {
    const files = Array.from({ length: count }, (_, index) => ({
      name: `${index}.pdf`,
      bytes: book(count > 50 ? 5 : 50, 50_000),
    }));
    const each = (value: string) => files.map(() => value);
    return {
      ...{ name: `merge of ${count}`, path: "/merged-pdf", files },
      fields: { output: "a", "pages[]": each("1-last"), "type[]": each("file") },
      command: ["qpdf", "--empty", "--pages", ...files.map(({ name }) => name), "--", "out.pdf"],
    };
  };
  const linearize = (size: number): Task => ({
    ...{ name: `linearize ${size} MB`, path: "/linearized-pdf", fields: { output: "a" } },
    files: [{ name: "in.pdf", bytes: book(20 * size, size * MB) }],
    command: ["qpdf", "--linearize", "in.pdf", "out.pdf"],
  });
  const zip = (name: string, files: readonly FilePart[]): Task => ({
    ...{ name, path: "/zip", fields: { output: "a" }, files },
    command: ["zip", "-q", "out.zip", ...files.map(({ name }) => name)],
  });
  return [
    ...[2, 10, 200].map(merge),
    {
      ...{ name: "split of 500 pages", path: "/split-pdf", fields: {} },
      files: [{ name: "in.pdf", bytes: book(500, 5 * MB) }],
      command: ["qpdf", "--split-pages", "in.pdf", "out.pdf"],
    },
    ...[1, 10, 50].map(linearize),
    zip("zip of 10 MB of text", [{ name: "a.txt", bytes: Buffer.concat(Array.from({ length: 55 }, () => text)) }]),
    zip("zip of 10 MB that is dense", [{ name: "a.bin", bytes: randomBytes(10 * MB) }]),
    zip(
      "zip of 200 files",
      Array.from({ length: 200 }, (_, index) => ({ name: `${index}.txt`, bytes: text.subarray(index * 100) })),
    ),
  ];
}

/** @param folder for the files of the other programs */
export async function compareDocuments(service: ServiceAddress, folder: string, rounds: number): Promise<void> {
  console.log(`\nupload, work and store; median of ${rounds}; ratios are ours / theirs`);
  console.log(row(["task", "ms", "work alone", "peer", "peer's ms", "ratio", "work's"]));
  for (const task of tasks()) {
    const own: number[] = [];
    const theirs: number[] = [];
    const alone: number[] = [];
    await runService(service, task);
    await runAlone(task);
    for (let round = 0; round < rounds; round++) {
      own.push(await runService(service, task));
      theirs.push(runPeer(task, folder));
      alone.push(await runAlone(task));
    }
    const ratio = (times: readonly number[]) => median(times.map((time, round) => time / theirs[round]!)).toFixed(2);
    const [ours, work, peer] = [own, alone, theirs].map((times) => median(times).toFixed(0));
    console.log(row([task.name, ours!, work!, task.command[0]!, peer!, ratio(own), ratio(alone)]));
  }
}

async function runService({ url, key }: ServiceAddress, { name, path, fields, files }: Task): Promise<number> {
  const body = multipart(fields, files);
  const started = performance.now();
  const answer = await exchange(url + path, body, key === undefined ? {} : { "Api-Key": key });
  const milliseconds = performance.now() - started;
  const { error } = JSON.parse(answer.toString()) as { error?: string };
  if (error !== undefined) throw new Error(`${name}: ${error}`);
  return milliseconds;
}

/** @returns time in milliseconds */
async function runAlone({ path, files }: Task): Promise<number> {
  const inputs = files.map(({ bytes, name }) => inputOf(bytes, name));
  const pages = files.map(() => parsePages("1-last")!);
  const context = { ...CONTEXT, heapLimitBytes: 2 ** 29 };
  const started = performance.now();
  const outputs = {
    "/merged-pdf": () => mergePdfs.run(inputs, { pages }, context),
    "/split-pdf": () => splitPdf.run(inputs, {}, context),
    "/linearized-pdf": () => linearizePdf.run(inputs, {}, context),
    "/zip": () => zipFiles.run(inputs, {}, context),
  }[path]!();
  for await (const { body } of outputs) for await (const _ of body instanceof Uint8Array ? [body] : body);
  return performance.now() - started;
}

function runPeer({ files, command }: Task, folder: string): number {
  const place = join(folder, "documents");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const { name, bytes } of files) writeFileSync(join(place, name), bytes);
  // Reads each file into the system's cache first, for the other program.
  for (const { name } of files) readFileSync(join(place, name));
  const started = performance.now();
  execFileSync(command[0]!, command.slice(1), { cwd: place, stdio: ["ignore", "ignore", "pipe"] });
  return performance.now() - started;
}
