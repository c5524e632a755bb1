// Tests the resident veraPDF: valid and invalid files, and its behavior when it is killed, frozen or overloaded.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repairPdfa } from "../../../../src/operations/pdfa-steps/repair-pdfa.ts";
import { MANY } from "../../../../test/fixtures/many-objects.ts";
import { corpusDir } from "../../../../test/support/corpus.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { LEVEL_NAMES, LEVELS, type LevelName } from "../../../../test/support/levels.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { CONTEXT, outputsOf } from "../../../../test/support/operations.ts";
import { nameOf, processTree, survivors } from "../../../../test/support/processes.ts";
import { Scratch } from "../../../scratch/scratch.ts";
import { startVeraPdf, type VeraPdf } from "../verapdf.ts";

const sample = join(import.meta.dirname, "../sample.pdf");

let folder: string;
let scratch: Scratch;
let verapdf: VeraPdf;
const logged: string[] = [];
const log = (message: string) => void logged.push(message);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verapdf-test-"));
  scratch = await Scratch.open();
  verapdf = await startVeraPdf({ scratch, log });
});
afterAll(async () => {
  await verapdf?.close();
  await scratch?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const never = new AbortController().signal;
const validate = (path: string, level: LevelName = "2b", signal = never) =>
  verapdf.validate(path, LEVELS[level], signal);

function save(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Creates a PDF of three pages with Ghostscript. The second page has text in a color that no output intent covers. */
function printed(): string {
  const path = join(folder, "printed.pdf");
  const pages = "showpage 1 0 0 setrgbcolor /Helvetica 12 selectfont 72 72 moveto (red) show showpage showpage";
  execFileSync("gs", ["-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=pdfwrite", "-o", path, "-c", pages]);
  return path;
}

/** Creates a file of 60,000 objects in 300 object streams. Its validation takes seconds. */
async function manyObjects(): Promise<string> {
  const pdf = MANY["fields without widgets"](60_000);
  const context = { ...CONTEXT, heapLimitBytes: 2 ** 30 };
  const [made] = await outputsOf(repairPdfa, [pdf], { level: LEVELS["2b"], failures: [] }, context);
  return save("many.pdf", Buffer.from(made!));
}

test("a file of 60,000 objects in 300 object streams is validated", async () => {
  const { failures } = await validate(await manyObjects());
  // The page's font cannot be embedded, because no font provider has it.
  expect(failures.map(({ clause }) => clause)).toEqual(["6.2.11.4.1"]);
});

test.each(LEVEL_NAMES)("a file that conforms to 2b is told so at %s, or which rule it breaks", async (level) => {
  const { valid, failures } = await validate(sample, level);
  expect(valid).toBe(level === "2b");
  expect(failures.length > 0).toBe(!valid);
  for (const { clause, test, places } of failures) {
    expect(clause).toMatch(/^6(\.\d+)+$/);
    expect(test).toBeGreaterThan(0);
    expect(places.length).toBeGreaterThan(0);
  }
});

test("a failure names its clause, its pages and its objects", async () => {
  const { valid, failures } = await validate(printed());
  expect(valid).toBe(false);
  // Two failures: the operator that selects the color, and the text painted with the color.
  const places = failures.find(({ clause }) => clause === "6.2.4.3")!.places;
  expect(places).toHaveLength(2);
  for (const place of places) {
    expect(place).toEqual({
      pageNumber: 2,
      objectNumber: expect.any(Number),
      context: expect.stringContaining("/pages[1]"),
    });
  }
});

describe("a file that cannot be validated", () => {
  test.each([
    ["nothing", ""],
    ["no PDF", "Hello"],
    ["a PDF cut off", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog"],
  ])("%s is damaged, and the next one is validated by the same process", async (name, content) => {
    const pids = verapdf.pids;
    await expect(validate(save(`${name}.pdf`, content))).rejects.toEqual(failsWith("damaged"));
    expect((await validate(sample)).valid).toBe(true);
    expect(verapdf.pids).toEqual(pids);
  });
});

describe("trouble", () => {
  test.each(["SIGSTOP", "SIGKILL"] as const)("%s: the file is tried again, in a new process", async (signal) => {
    const [pid] = verapdf.pids;
    process.kill(pid!, "SIGSTOP");
    const outcome = validate(sample);
    process.kill(pid!, signal);
    expect((await outcome).valid).toBe(true);
    expect(verapdf.pids).not.toContain(pid);
  });

  test.each([
    // A second such signal can be a coincidence; it does not prove that the file is at fault.
    ["SIGKILL", "busy"],
    ["SIGTERM", "busy"],
    ["SIGABRT", "too-complex"],
  ] as const)("a file that ends one process after the other, by %s: %s", async (signal, reason) => {
    // The file must be slow: a JVM runs on for a moment after SIGTERM, and would finish a small file.
    const slow = await manyObjects();
    const [first] = verapdf.pids;
    const outcome = expect(validate(slow)).rejects.toEqual(failsWith(reason));
    process.kill(first!, signal);
    await eventually(() => expect(verapdf.pids).not.toBeOneOf([[], [first]]), { intervalMs: 1 });
    process.kill(verapdf.pids[0]!, signal);
    await outcome;
    expect((await validate(sample)).valid).toBe(true);
  });

  test.each(["SIGSTOP", "SIGKILL", "SIGTERM"] as const)(
    "%s with nothing to do: another one is there",
    async (signal) => {
      const [pid] = verapdf.pids;
      process.kill(pid!, signal);
      await eventually(() => expect(verapdf.pids).not.toBeOneOf([[], [pid]]));
      expect((await validate(sample)).valid).toBe(true);
      expect(await survivors([pid!])).toEqual([]);
      expect(readdirSync(scratch.path)).toHaveLength(1);
    },
  );

  test.each(["SIGSTOP", "SIGKILL"] as const)("%s as it starts: it is started again", async (signal) => {
    const [pid] = verapdf.pids;
    process.kill(pid!, "SIGKILL");
    const starting = await eventually(() => {
      const found = processTree(process.pid).find((other) => other !== pid && nameOf(other) === "java\n");
      if (found === undefined) throw new Error("not there yet");
      return found;
    });
    process.kill(starting, signal);
    expect((await validate(sample)).valid).toBe(true);
    expect(await survivors([pid!, starting])).toEqual([]);
    expect(readdirSync(scratch.path)).toHaveLength(1);
  });

  test("of two, one is killed: files are validated by the other meanwhile", async () => {
    await using two = await startVeraPdf({ scratch, log, processes: 2 });
    expect(two.pids, "a second one starts when a file waits").toHaveLength(1);
    const both = [1, 2].map(() => two.validate(sample, LEVELS["2b"], never));
    expect((await Promise.all(both)).map(({ valid }) => valid)).toEqual([true, true]);
    await eventually(() => expect(two.pids).toHaveLength(2));
    const [killed, other] = two.pids;
    process.kill(killed!, "SIGKILL");
    await eventually(() => expect(two.pids).toEqual([other]));
    expect((await two.validate(sample, LEVELS["2b"], never)).valid).toBe(true);
    await eventually(() => expect(two.pids).toHaveLength(2));
  });

  test("one that cannot be started again: busy, until it can", async () => {
    const dist = join(folder, "dist");
    const program = join(import.meta.dirname, "../../../dist/verapdf");
    mkdirSync(dist);
    cpSync(program, join(dist, "verapdf"), { recursive: true });
    await using fragile = await startVeraPdf({ scratch, log, dist });
    const once = () => fragile.validate(sample, LEVELS["2b"], never);
    renameSync(join(dist, "verapdf"), join(dist, "away"));
    process.kill(fragile.pids[0]!, "SIGKILL");
    await eventually(() => expect(logged.at(-1)).toBe("engine not started"));
    await expect(once()).rejects.toEqual(failsWith("busy"));
    renameSync(join(dist, "away"), join(dist, "verapdf"));
    await eventually(async () => expect((await once()).valid).toBe(true));
  });

  test("a process that has seen many files is replaced", async () => {
    await using worn = await startVeraPdf({ scratch, log, filesPerProcess: 2 });
    const once = () => worn.validate(sample, LEVELS["2b"], never);
    const [first] = worn.pids;
    await once();
    expect(worn.pids).toEqual([first]);
    await once();
    expect(worn.pids).not.toContain(first);
    expect((await once()).valid).toBe(true);
  });

  test("it opens no socket, and gains no privilege", async () => {
    const [pid] = verapdf.pids;
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  test("who has gone is not waited for, and those behind are served", async () => {
    const controller = new AbortController();
    const reason = new Error("client gone");
    const left = validate(printed(), "2b", controller.signal);
    const behind = validate(sample);
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect((await behind).valid).toBe(true);
  });

  test("no file is left behind", async () => {
    const left = () => readdirSync(scratch.path, { recursive: true }).filter((name) => String(name).includes("file-"));
    await validate(sample);
    expect(left()).toEqual([]);
  });

  test("where it is not built, that is said at the start", async () => {
    await expect(startVeraPdf({ scratch, log, dist: folder })).rejects.toEqual(failsWith("busy"));
  });
});

describe.runIf(corpusDir !== undefined)("real documents", () => {
  const pdf = (name: string) => join(corpusDir as string, "pdf", name);

  test.each([
    ["veraPDF-test-suite-6-2-3-3-t01-pass-b.pdf", "1b", true],
    ["veraPDF-test-suite-6-2-10-t05-fail-h.pdf", "2b", false],
    ["veraPDF-test-suite-6-2-11-7-2-t01-fail-a.pdf", "2u", false],
    ["hello-world.pdf", "2b", false],
  ] as const)("%s at %s: %s", async (name, level, valid) => {
    expect((await validate(pdf(name), level)).valid).toBe(valid);
  });

  test("encrypted.pdf is locked, and so does not conform", async () => {
    expect((await validate(pdf("encrypted.pdf"))).valid).toBe(false);
  });
});
