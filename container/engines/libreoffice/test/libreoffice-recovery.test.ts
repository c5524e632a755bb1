// Kills or freezes LibreOffice's processes. Tests that jobs still succeed, and that no files or processes remain.
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { docx, pageBreak, paragraph } from "../../../../test/fixtures/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  attempt,
  convert,
  documents,
  failsWith,
  openOffices,
  save,
  scratch,
  soffice,
  zygote,
} from "../../../../test/support/libreoffice.ts";
import { aChild, isRunning, nameOf, processTree, sofficeAtWork } from "../../../../test/support/processes.ts";
import { zygoteFaults } from "../../../../test/support/zygote-faults.ts";
import { startLibreOffice } from "../libreoffice.ts";

openOffices();

/** A document that keeps LibreOffice busy for seconds. */
const longDocument = () => docx({ body: (paragraph("All work and no play. ".repeat(60)) + pageBreak).repeat(500) });
const threePages = () => docx({ body: [1, 2, 3].map((n) => paragraph(`Page ${n}`)).join(pageBreak) });
const works = async () => expect((await convert(zygote, await save(threePages(), "docx"))).pages).toBe(3);

let foldersAtFirst: string[];
const folders = () =>
  [scratch.path, scratch.memoryPath!].flatMap((path) => readdirSync(path).filter((name) => !name.startsWith("zygote")));

beforeAll(async () => {
  await works();
  foldersAtFirst = folders();
});

const { nothingIsLeft, testLosses, testEndsTwice } = zygoteFaults({
  unit: "document",
  engine: () => zygote,
  long: async () => expect(await attempt(zygote, await save(longDocument(), "docx"))).toBe("converted"),
  works,
  noFileIsLeft() {
    expect(folders()).toEqual(foldersAtFirst);
    expect(readdirSync(scratch.path).filter((name) => name.startsWith("zygote"))).toHaveLength(1);
  },
});

describe.each(["SIGKILL", "SIGSTOP"] as const)("by %s", (signal) => {
  testLosses(signal);

  test("the zygote, as it starts: it is started again", async () => {
    const before = zygote.pid!;
    process.kill(before, "SIGKILL");
    const isNew = (pid: number) => pid !== before && /zygote/.test(nameOf(pid)) && isRunning(pid);
    const starting = await eventually(() => {
      const found = processTree(process.pid).find(isNew);
      if (found === undefined) throw new Error("not there yet");
      return found;
    });
    process.kill(starting, signal);
    await nothingIsLeft([before, starting]);
    expect(zygote.pid).not.toBe(starting);
  });

  test("a LibreOffice started for one document: the document is converted by another one", async () => {
    const converted = convert(soffice, await save(threePages(), "docx"));
    const pid = await sofficeAtWork(process.pid);
    process.kill(pid, signal);
    expect((await converted).pages).toBe(3);
    await nothingIsLeft([pid]);
  });
});

testEndsTwice([
  ["SIGABRT", "too-complex"],
  ["SIGSEGV", "too-complex"],
  // A second SIGKILL might be a coincidence; it does not prove that the document is at fault.
  ["SIGKILL", "busy"],
]);

test("a document that nobody can answer for in time: it is told so, whatever is frozen", async () => {
  const path = await save(longDocument(), "docx");
  const frozen = zygote.pid!;
  process.kill(frozen, "SIGSTOP");
  await expect(attempt(zygote, path, { timeoutMs: 100 })).rejects.toEqual(failsWith("timed-out"));
  await nothingIsLeft([frozen]);
});

test("jobs that wait behind others are told when their time is up", async () => {
  await using one = await startLibreOffice({ scratch, log() {}, children: 1 });
  const path = await save(longDocument(), "docx");
  const busy = attempt(one, path);
  await aChild(one);
  await expect(attempt(one, path, { timeoutMs: 100 })).rejects.toEqual(failsWith("timed-out"));
  expect(await busy).toBe("converted");
});

test("a zygote that is not ready at first: documents are converted the plain way, until it is", async () => {
  const dist = join(documents, "later");
  await using engine = await startLibreOffice({ scratch, log() {}, dist });
  expect(engine.mode).toBe("soffice");
  expect((await convert(engine, await save(threePages(), "docx"))).pages).toBe(3);
  for (const name of ["samples", "zygote"]) {
    cpSync(join(import.meta.dirname, "../../../dist", name), join(dist, name), { recursive: true });
  }
  await eventually(() => expect(engine.mode).toBe("zygote"));
  expect((await convert(engine, await save(threePages(), "docx"))).pages).toBe(3);
});
