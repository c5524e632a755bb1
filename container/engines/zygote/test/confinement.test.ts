// Tests the confinement of children of LibreOffice's and Ghostscript's zygotes. A program that attempts forbidden
// actions runs in place of the engine.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { USERS } from "../../../processes/users.ts";

const source = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "confinement-"));
const program = join(folder, "attempts");
const user = USERS.libreOfficeZygote.first;

beforeAll(() => {
  chmodSync(folder, 0o755);
  const files = [join(source, "test/attempts.cpp"), join(source, "confinement.cpp"), join(source, "system-calls.cpp")];
  execFileSync("g++", ["-std=c++17", "-I", source, ...files, "-o", program]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @returns the result of each attempt, by name */
function attempt(mode: "open" | "confined"): Record<string, string> {
  const [own, other] = [join(folder, `${mode}-own`), join(folder, `${mode}-other`)];
  for (const path of [own, other]) mkdirSync(path);
  const document = join(other, "document");
  writeFileSync(document, "secret");
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [own, other, document]) chownSync(path, user, user);
  const neighbor = spawn("sleep", ["60"], isRoot ? { uid: user, gid: user } : {});
  try {
    const args = [mode, own, document, String(neighbor.pid), String(user)];
    const said = execFileSync(program, args, { encoding: "utf8", timeout: 60_000 });
    return Object.fromEntries(
      said
        .trim()
        .split("\n")
        .map((line) => line.split(": ") as [string, string]),
    );
  } finally {
    neighbor.kill("SIGKILL");
  }
}

test("a child that was taken over reaches no network, no other job, no process, and starts no program", () => {
  const open = attempt("open");
  const attempts = Object.keys(open);
  expect(attempts.length).toBe(11);
  expect(open).toEqual(Object.fromEntries(attempts.map((name) => [name, "done"])));
  const refused = Object.fromEntries(attempts.map((name) => [name, "refused"]));
  expect(attempt("confined")).toEqual({ ...refused, "write in its own folder": "done" });
});
