// Kills or freezes LibreOffice's processes: jobs are still done, and nothing is left behind.
import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { docx, pageBreak, paragraph } from "../../../../test/fixtures/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { isRunning } from "../../../../test/support/ghostscripts.ts";
import {
  aChild,
  attempt,
  childrenOf,
  convert,
  failsWith,
  openOffices,
  save,
  scratch,
  soffice,
  zygote,
} from "../../../../test/support/offices.ts";
import { nameOf, processTree, sofficeAtWork } from "../../../../test/support/processes.ts";
import { startLibreOffice } from "../libreoffice.ts";

openOffices();

/** A document that keeps LibreOffice busy for seconds. */
const longDocument = () => docx({ body: (paragraph("All work and no play. ".repeat(60)) + pageBreak).repeat(500) });
const threePages = () => docx({ body: [1, 2, 3].map((n) => paragraph(`Page ${n}`)).join(pageBreak) });
const long = async () => attempt(zygote, await save(longDocument(), "docx"));
const works = async () => expect((await convert(zygote, await save(threePages(), "docx"))).pages).toBe(3);

let foldersAtFirst: string[];
const folders = () =>
  [scratch.path, scratch.memoryPath!].flatMap((path) => readdirSync(path).filter((name) => !name.startsWith("zygote")));

beforeAll(async () => {
  await works();
  foldersAtFirst = folders();
});

async function nothingIsLeft(pids: readonly number[]): Promise<void> {
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
  await works();
  await eventually(() => expect(childrenOf(zygote.pid!)).toEqual([]));
  expect(folders()).toEqual(foldersAtFirst);
  expect(readdirSync(scratch.path).filter((name) => name.startsWith("zygote"))).toHaveLength(1);
  expect(zygote.mode).toBe("zygote");
}

/** Waits until two documents are at work at once. */
async function twoChildren(): Promise<number[]> {
  return await eventually(
    () => {
      const pids = childrenOf(zygote.pid!);
      expect(pids.length).toBeGreaterThanOrEqual(2);
      return pids;
    },
    { intervalMs: 2 },
  );
}

describe.each(["SIGKILL", "SIGSTOP"] as const)("by %s", (signal) => {
  test("a child: its document is converted by another one, and the one beside it is not touched", async () => {
    const before = zygote.pid;
    const jobs = [long(), long()];
    const children = await twoChildren();
    process.kill(children[0]!, signal);
    expect(await Promise.all(jobs)).toEqual(["converted", "converted"]);
    expect(zygote.pid).toBe(before);
    await nothingIsLeft(children);
  });

  test("the zygote, in mid-job: both documents are converted by another one", async () => {
    const before = zygote.pid!;
    const jobs = [long(), long()];
    const children = await twoChildren();
    process.kill(before, signal);
    expect(await Promise.all(jobs)).toEqual(["converted", "converted"]);
    await nothingIsLeft([before, ...children]);
  });

  test("the zygote, with nothing to do: another one is there before anybody asks", async () => {
    const before = zygote.pid!;
    process.kill(before, signal);
    await eventually(() => expect(zygote.pid).not.toBeOneOf([undefined, before]));
    await nothingIsLeft([before]);
  });

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

test.each([
  ["SIGABRT", "too-complex"],
  ["SIGSEGV", "too-complex"],
  // A second SIGKILL may be chance; it does not prove that the document is at fault.
  ["SIGKILL", "busy"],
] as const)("a document whose process ends by %s, and again: %s", async (signal, reason) => {
  const path = await save(longDocument(), "docx");
  const outcome = expect(attempt(zygote, path)).rejects.toEqual(failsWith(reason));
  const first = await aChild(zygote);
  process.kill(first, signal);
  const second = await aChild(zygote, first);
  process.kill(second, signal);
  await outcome;
  await nothingIsLeft([first, second]);
});

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
