// Tests the confinement of PostScript programs: hostile programs attempt forbidden actions and exceed limits.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { by, convert, documents, openGhostscripts, scratch } from "../../../../test/support/ghostscripts.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { USERS } from "../../../processes/users.ts";
import { runConfined } from "../confined.ts";

openGhostscripts();

const SECRET = "CANARY-7f3a";
let canary: string;

beforeAll(() => {
  canary = join(documents, "canary.txt");
  writeFileSync(canary, SECRET);
  chmodSync(canary, 0o666);
});

/**
 * Returns a page that reports the result of each attempt: `say` prints a string; `try` runs a procedure and prints
 * "refused" if it fails.
 */
const page = (body: string) => `%!PS
/y 770 def
/say { /Courier 8 selectfont 20 y moveto show /y y 10 sub def } def
/try { stopped { clear (refused) say } if } def
/read { (r) file 200 string readstring pop say } def
${body}
(end) say showpage
`;

/** Runs a program in Ghostscript without SAFER. Proves that an attempt would work there. */
function asItComes(program: string): string {
  const file = join(documents, "attempt.ps");
  writeFileSync(file, program, "latin1");
  const args = ["-q", "-dNOSAFER", "-dNOPAUSE", "-dBATCH", "-sDEVICE=txtwrite", "-sOutputFile=-", file];
  return execFileSync("gs", args, { encoding: "latin1", timeout: 60_000 });
}

test("a program reads what it likes under a Ghostscript as it comes", () => {
  expect(asItComes(page(`{ (${canary}) read } try`))).toContain(SECRET);
});

test("the plain way's sandbox holds without SAFER: no file of others, nothing written elsewhere, no program", async () => {
  await using folder = await scratch.folder("without-safer");
  const [own, elsewhere, ran] = [join(folder.path, "own"), join(documents, "elsewhere"), join(documents, "ran")];
  const attempts = [
    `{ (${canary}) read } try`,
    `{ (/proc/1/environ) read } try`,
    `{ (/proc/${process.pid}/environ) read } try`,
    `{ (${elsewhere}) (w) file closefile } try`,
    `{ (${canary}) deletefile } try`,
    `{ (%pipe%touch ${ran}) (w) file closefile } try`,
    `{ (${own}) (w) file dup (kept) writestring closefile (${own}) read } try`,
  ];
  writeFileSync(join(folder.path, "attempt.ps"), page(attempts.join("\n")), "latin1");
  chmodSync(folder.path, 0o777);
  const args = ["-q", "-dNOSAFER", "-dNOPAUSE", "-dBATCH", "-sDEVICE=txtwrite", "-sOutputFile=-", "attempt.ps"];
  const limits = { timeoutMs: 60_000 };
  const { stdout } = await runConfined(args, { folder: folder.path, user: USERS.plainGhostscript.first, limits });
  const text = stdout.toString("latin1");
  expect(text).not.toContain(SECRET);
  // Opening a pipe succeeds even if its program cannot start, so this attempt does not print "refused".
  expect(text.match(/refused/g)!.length).toBeGreaterThanOrEqual(5);
  expect(text).toContain("kept");
  expect([existsSync(elsewhere), existsSync(ran), readFileSync(canary, "utf8")]).toEqual([false, false, SECRET]);
});

describe.each(["zygote", "plain"] as const)("by %s, a program", (mode) => {
  test.each([
    ["by its name", () => `{ (${canary}) read } try`],
    ["by another way to write it", () => `{ (/proc/self/root${canary}) read } try { (%os%${canary}) read } try`],
    ["as a program", () => `{ (${canary}) run } try { (${canary}) runlibfile } try`],
    [
      "after changing what is permitted",
      () =>
        `{ << /PermitFileReading [ (*) ] /LockFilePermissions false >> setuserparams } try { (${canary}) read } try`,
    ],
    [
      "as a resource",
      () =>
        `{ << /GenericResourceDir (${documents}/) >> setsystemparams } try { (${documents}/canary.txt) read } try { /canary.txt / findresource } try`,
    ],
    [
      "by a device for files",
      () => `{ (%disk0%) << /Root (${documents}) /Mounted true >> setdevparams } try { (%disk0%canary.txt) read } try`,
    ],
  ])("cannot read a file %s", async (_, attempt) => {
    const { text, objects } = await convert(by(mode), page(attempt()));
    expect(text).toContain("refused");
    expect(text).toContain("end");
    expect(text).not.toContain(SECRET);
    expect(objects()).not.toContain(SECRET);
  });

  test("cannot open the list of what is permitted", async () => {
    const program = page(`{ /PermitFileReading (*) .addcontrolpath } try { (${canary}) read } try`);
    const text = await convert(by(mode), program).then(
      (converted) => converted.text,
      (failure) => String(failure),
    );
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/refused|damaged/);
  });

  test("sees no names of files but those of its own folder", async () => {
    const list = `(${documents}/*) { say } 200 string filenameforall (/etc/pass*) { say } 200 string filenameforall`;
    const { text } = await convert(by(mode), page(list));
    expect(text.trim()).toBe("end");
  });

  test("cannot write, rename or delete", async () => {
    const target = join(documents, "written");
    const attempts = `{ (${target}) (w) file closefile } try { (${canary}) (a) file closefile } try
{ (${canary}) (${target}) renamefile } try { (${canary}) deletefile } try { (run.ps) (other) renamefile } try`;
    const { text } = await convert(by(mode), page(attempts));
    expect(text.match(/refused/g)).toHaveLength(5);
    expect(existsSync(target)).toBe(false);
    expect(readFileSync(canary, "utf8")).toBe(SECRET);
  });

  test("cannot start a program", async () => {
    const target = join(documents, "ran");
    const { text } = await convert(
      by(mode),
      page(`{ (%pipe%touch ${target}) (w) file closefile } try { (%pipe%id) read } try`),
    );
    expect(text.match(/refused/g)).toHaveLength(2);
    expect(existsSync(target)).toBe(false);
  });

  test("cannot have its pages written elsewhere", async () => {
    const target = join(documents, "elsewhere.pdf");
    const device = (file: string) => `{ << /OutputFile (${file}) >> setpagedevice } try`;
    const asked = page(`showpage ${device(target)} ${device("%pipe%id")} ${device("%stdout")}`);
    expect((await convert(by(mode), asked)).pages).toBe(2);
    for (const insisted of [
      `<< /OutputFile (${target}) >> systemdict /setpagedevice get exec`,
      `<< /OutputDevice /ppmraw /OutputFile (${target}) >> systemdict /setpagedevice get exec`,
      `(ppmraw) finddevice mark exch /OutputFile (${target}) 3 -1 roll putdeviceprops setdevice`,
      `currentdevice mark exch /OutputFile (${target}) 3 -1 roll putdeviceprops setdevice`,
      "(ppmraw) finddevice setdevice",
      "nulldevice",
    ]) {
      await expect(convert(by(mode), page(`showpage ${insisted} showpage`))).rejects.toEqual(failsWith("damaged"));
    }
    expect(existsSync(target)).toBe(false);
  });

  test("finds none of the operators that put into what is locked", async () => {
    const names =
      "/.forceput /.forcedef /.forceundef /.forcecopynew /superexec /.execfile /.libfile /getenv /.setdebug";
    const { text } = await convert(
      by(mode),
      page(`[ ${names} ] { dup systemdict exch known { 50 string cvs say } { pop } ifelse } forall`),
    );
    expect(
      text
        .trim()
        .split("\n")
        .filter((name) => name !== "end" && name !== "superexec"),
    ).toEqual([]);
  });

  test("knows nothing of the service's environment", async () => {
    const { text } = await convert(
      by(mode),
      page("{ (PATH) getenv { say } { (refused) say } ifelse } try { (/proc/self/environ) read } try"),
    );
    expect(text.match(/refused/g)).toHaveLength(2);
  });

  test.each([
    ["loops for ever", "%!PS\n{ } loop\n", { timeoutMs: 1_000 }, "timed-out"],
    ["computes for ever", "%!PS\n{ 2 sqrt pop } loop\n", { cpuSeconds: 1 }, "timed-out"],
    ["makes more pages than anyone reads", "%!PS\n100000000 { showpage } repeat\n", { timeoutMs: 1_000 }, "timed-out"],
    ["calls itself for ever", "%!PS\n/f { f 1 } def f\n", {}, "damaged"],
    [
      "fills a dictionary of dictionaries",
      "%!PS\n/d 1 dict def { d /d 60000 dict dup /d d put def } loop\n",
      { memoryBytes: 100 * 2 ** 20 },
      "too-large",
    ],
    [
      "writes a long PDF",
      "%!PS\n/Courier 1 selectfont { 0 0 moveto 999 { rand 20 string cvs show } repeat showpage } loop\n",
      { fileBytes: 2 ** 20 },
      "too-large",
    ],
    [
      "writes many temporary files",
      "%!PS\n/s 60000 string def { null (w) .tempfile exch pop 90 { dup s writestring } repeat closefile } loop\n",
      { fileBytes: 20 * 2 ** 20 },
      "too-large",
    ],
    ["makes many empty files", "%!PS\n{ null (w) .tempfile closefile pop } loop\n", {}, "too-large"],
  ] as const)("that %s is ended with a clear answer, and the next job works", async (_, program, limits, reason) => {
    await expect(convert(by(mode), program, limits)).rejects.toEqual(failsWith(reason));
    expect((await convert(by(mode), page(""))).pages).toBe(1);
  });
});

// In an unchanged Ghostscript, a lack of memory is an error that a program can catch.
test.each([
  [
    "fills the stack with strings, and catches the error",
    "%!PS\n{ { 60000 string } loop } stopped clear showpage\n",
    { memoryBytes: 100 * 2 ** 20 },
  ],
  [
    "fills a file in memory",
    "%!PS\n/f (%ram%a) (w) file def { f 60000 string writestring } loop\n",
    { memoryBytes: 100 * 2 ** 20, timeoutMs: 20_000 },
  ],
] as const)("by zygote, a program that %s is ended with a clear answer", async (_, program, limits) => {
  await expect(convert(by("zygote"), program, limits)).rejects.toEqual(failsWith("too-large"));
  expect((await convert(by("zygote"), page(""))).pages).toBe(1);
});
