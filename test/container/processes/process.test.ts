// Tests the programs that the container runs for jobs, and the scratch folders of jobs.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunOptions, run } from "../../../container/processes/process.ts";
import { USERS } from "../../../container/processes/users.ts";
import { type JobFolder, Scratch } from "../../../container/scratch/scratch.ts";
import { eventually } from "../../support/eventually.ts";

let scratch: Scratch;
beforeAll(async () => {
  scratch = await Scratch.open();
});
afterAll(() => scratch[Symbol.asyncDispose]());

/** Runs a shell script, which only tests do. */
async function sh(script: string, options: Partial<RunOptions> = {}, folder?: JobFolder) {
  await using own = await scratch.folder("test");
  const limits = { timeoutMs: 60_000 };
  return await run("sh", ["-c", script], { cwd: (folder ?? own).path, limits, ...options });
}

const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

const untilGone = (pid: number): Promise<void> => eventually(() => expect(isRunning(pid)).toBe(false));

const isRoot = process.getuid?.() === 0;
/** A user of an engine. */
const USER = USERS.soffice.first;

/** Starts a process that does nothing, in place of another job's program. */
async function idle(user: number): Promise<AsyncDisposable & { readonly pid: number }> {
  const folder = await scratch.folder("idle");
  if (isRoot) await chown(folder.path, user, user);
  const ending = new AbortController();
  const ended = sh("echo $$ > pid; exec sleep 60", { user, signal: ending.signal }, folder).catch(() => {});
  const pid = Number(await eventually(() => untilThere(join(folder.path, "pid"))));
  return {
    pid,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Waits until a file has content. */
const untilThere = (path: string): Promise<string> =>
  eventually(() => {
    const text = readFileSync(path, "utf8").trim();
    expect(text).not.toBe("");
    return text;
  });

describe("run", () => {
  test("gives the exit code and both outputs", async () => {
    const ended = await sh("echo out; echo err >&2; exit 7");
    expect(ended).toMatchObject({ code: 7, stderr: "err\n" });
    expect(ended.stdout.toString()).toBe("out\n");
  });

  test("passes arguments as they are, with no shell in between", async () => {
    await using folder = await scratch.folder();
    const hostile = "$(touch x); `id` *";
    const { stdout } = await run("printf", ["%s", hostile], { cwd: folder.path, limits: { timeoutMs: 60_000 } });
    expect(stdout.toString()).toBe(hostile);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("feeds standard input", async () => {
    expect((await sh("wc -c", { stdin: Buffer.alloc(300_000) })).stdout.toString().trim()).toBe("300000");
  });

  test("hides the environment of the service", async () => {
    process.env.SERVICE_SECRET = "s";
    const { stdout } = await sh("env", { env: { EXTRA: "1" } });
    delete process.env.SERVICE_SECRET;
    const names = new Set(stdout.toString().match(/^\w+(?==)/gm));
    // Set where fonts are installed.
    names.delete("FONTCONFIG_FILE");
    expect(names).toEqual(new Set(["PATH", "LC_ALL", "HOME", "TMPDIR", "PWD", "EXTRA"]));
  });

  test("keeps no more output than asked for, the beginning of one and the end of the other", async () => {
    const { stdout, stderr } = await sh("yes | head -c 500000; (yes | head -c 500000; echo last) >&2", {
      outputBytes: 1000,
    });
    expect(stdout.length).toBe(1000);
    expect(stderr.length).toBe(16 * 1024);
    expect(stderr).toMatch(/last\n$/);
  });

  test("ends a program that takes too long, and everything it started", async () => {
    await using folder = await scratch.folder();
    const child = join(folder.path, "child");
    // On a busy machine, the time limit can pass before the shell has started anything.
    for (let timeoutMs = 500; !existsSync(child) || statSync(child).size === 0; timeoutMs *= 2) {
      const ended = sh("sleep 1000 & echo $! > child; wait", { limits: { timeoutMs } }, folder);
      await expect(ended).rejects.toMatchObject({ name: "EngineFailure", reason: "timed-out" });
    }
    await untilGone(Number(await untilThere(child)));
  });

  test("ends what a program left running, and does not wait for it", async () => {
    await using folder = await scratch.folder();
    const { code } = await sh("sleep 1000 & echo $! > child; exit 0", {}, folder);
    expect(code).toBe(0);
    await untilGone(Number(await untilThere(join(folder.path, "child"))));
  });

  test("ends a program when the signal is aborted, and throws its reason", async () => {
    await using folder = await scratch.folder();
    const controller = new AbortController();
    const reason = new Error("client gone");
    const ended = sh("echo $$ > self; exec sleep 1000", { signal: controller.signal }, folder);
    const pid = Number(await untilThere(join(folder.path, "self")));
    controller.abort(reason);
    await expect(ended).rejects.toBe(reason);
    await untilGone(pid);
  });

  test("starts nothing when the signal was aborted before", async () => {
    await using folder = await scratch.folder();
    await expect(sh("touch started", { signal: AbortSignal.abort(new Error("gone")) }, folder)).rejects.toThrow("gone");
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("gives a program no network unless it is asked for", async () => {
    const script = `perl -MSocket -e 'print socket(S, PF_INET, SOCK_STREAM, 0) ? "open" : "refused"'`;
    expect((await sh(script)).stdout.toString()).toBe("refused");
    expect((await sh(script, { network: true })).stdout.toString()).toBe("open");
  });

  describe("of a program that may see its own folder alone", () => {
    const readable = ["/usr", "/lib64", "/etc", "/proc", "/dev"];
    /** Runs Perl twice: confined like an engine, and with the engine's user as the only restriction. */
    async function both(code: string, user?: number) {
      await using folder = await scratch.folder("confined");
      if (user !== undefined && isRoot) await chown(folder.path, user, user);
      const limits = { timeoutMs: 60_000 };
      const own = { cwd: folder.path, limits, ...(user === undefined ? {} : { user }) };
      const said = async (options: Partial<RunOptions>) =>
        (await run("/usr/bin/perl", ["-MSocket", "-e", code], { ...own, ...options })).stdout.toString();
      const files = { readable, writable: [folder.path] };
      return { open: await said({ network: true }), confined: await said({ files }) };
    }
    const isDone = (attempt: string) => `print(${attempt} ? "done" : "refused")`;
    const wall = { open: "done", confined: "refused" };

    test("another job's folder cannot be read, listed or written, and its own can", async () => {
      await using other = await scratch.folder("other");
      const path = join(other.path, "document");
      await writeFile(path, "secret");
      await chmod(other.path, 0o777);
      expect(await both(isDone(`open(F, "<", "${path}")`))).toEqual(wall);
      expect(await both(isDone(`opendir(D, "${other.path}")`))).toEqual(wall);
      expect(await both(isDone(`open(F, ">", "${other.path}/new")`))).toEqual(wall);
      expect(await both(isDone(`open(F, "<", "/proc/self/root${path}")`))).toEqual(wall);
      expect(await both(`unlink "a"; symlink "${path}", "a"; ${isDone('open(F, "<", "a")')}`)).toEqual(wall);
      expect((await both(isDone(`open(F, ">", "own")`))).confined).toBe("done");
    });

    test("it opens no socket of a network, and no ring that could", async () => {
      for (const kind of ["PF_INET, SOCK_STREAM", "PF_INET6, SOCK_STREAM", "PF_INET, SOCK_DGRAM", "16, SOCK_RAW"]) {
        expect([kind, await both(isDone(`socket(S, ${kind}, 0)`))]).toEqual([kind, wall]);
      }
      // io_uring_setup(2), which some kernels forbid for every process.
      expect((await both(isDone(`syscall(425, 1, my $ring = "\\0" x 120) >= 0`))).confined).toBe("refused");
    });

    test("it cannot read the environment or the memory of a process of the same user", async () => {
      await using victim = await idle(USER);
      for (const name of ["environ", "maps", "mem"]) {
        const read = await both(isDone(`open(F, "<", "/proc/${victim.pid}/${name}")`), USER);
        expect([name, read]).toEqual([name, wall]);
      }
    });

    test("it cannot signal a process of another user; nor one of its own, where the kernel has Landlock 6", async () => {
      await using victim = await idle(USER);
      const signal = isDone(`kill(0, ${victim.pid})`);
      if (isRoot) expect(await both(signal, USER + 1)).toEqual({ open: "refused", confined: "refused" });
      else console.log("Signals to another user are not tested: only root can run programs as two users.");
      const { stdout } = await sh("perl -e 'print syscall(444, 0, 0, 1)'");
      if (Number(stdout) >= 6) expect(await both(signal, USER)).toEqual(wall);
      else console.log("Signals to the same user are not tested: the kernel is older than Linux 6.12.");
    });
  });

  test("ends a program that uses too much processor time", async () => {
    const ended = sh("while :; do :; done", { limits: { timeoutMs: 60_000, cpuSeconds: 1 } });
    await expect(ended).rejects.toMatchObject({ reason: "timed-out", detail: expect.stringContaining("SIGXCPU") });
  });

  test("refuses a program more memory than its limit", async () => {
    const script = `perl -e '$x = "a" x 500_000_000; print "got it"'`;
    const free = await sh(script);
    expect(free.stdout.toString()).toBe("got it");
    const bound = await sh(script, { limits: { timeoutMs: 60_000, memoryBytes: 200 * 2 ** 20 } });
    expect(bound.stdout.toString()).toBe("");
  });

  test("ends a program that writes too long a file", async () => {
    const ended = sh("exec head -c 10000000 /dev/zero > big", { limits: { timeoutMs: 60_000, fileBytes: 1_000_000 } });
    await expect(ended).rejects.toMatchObject({ reason: "too-large" });
  });

  test("says that a program was killed", async () => {
    await expect(sh("echo why >&2; kill -9 $$")).rejects.toMatchObject({
      reason: "crashed",
      detail: expect.stringContaining("why"),
    });
  });

  test("has a program that is not there end with an error", async () => {
    await using folder = await scratch.folder();
    const { code, stderr } = await run("no-such-program", [], { cwd: folder.path, limits: { timeoutMs: 60_000 } });
    expect(code).not.toBe(0);
    expect(stderr).toContain("no-such-program");
  });

  test.runIf(process.getuid?.() === 0)("runs as another user, who reads nothing of root's", async () => {
    await using folder = await scratch.folder();
    await chown(folder.path, 60_700, 60_700);
    const { stdout } = await sh("id -u; cat /etc/shadow; touch mine", { user: 60_700 }, folder);
    expect(stdout.toString()).toBe("60700\n");
    expect((await stat(join(folder.path, "mine"))).uid).toBe(60_700);
  });
});

describe("scratch folders", () => {
  test("are gone with their content when the job ends, also by an error", async () => {
    let path = "";
    const job = async () => {
      await using folder = await scratch.folder();
      path = folder.path;
      await mkdir(join(path, "deep"));
      await writeFile(join(path, "deep/file"), "x");
      throw new Error("failed");
    };
    await expect(job()).rejects.toThrow("failed");
    expect(existsSync(path)).toBe(false);
  });

  test("of a process that was killed are swept at the next start, those of a living one are not", async () => {
    const parent = await mkdtemp(join(tmpdir(), "sweep-"));
    // No process has an ID above the kernel's maximum, 2^22 (proc(5)).
    const [dead, living, other] = ["pagewright-99999999-a1b2c3", "pagewright-1-a1b2c3", "something-else"];
    for (const name of [dead, living, other]) await mkdir(join(parent, name));
    {
      await using opened = await Scratch.open(parent);
      await using again = await Scratch.open(parent);
      const names = [opened, again].map(({ path }) => path.slice(parent.length + 1));
      expect(readdirSync(parent).sort()).toEqual([living, other, ...names].sort());
    }
    expect(readdirSync(parent).sort()).toEqual([living, other].sort());
    await rm(parent, { recursive: true });
  });
});
