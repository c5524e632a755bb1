// Validates many files of a test in one veraPDF process, separate from the service's own.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = join(import.meta.dirname, "../../container/dist/verapdf");

/** Options for a process that ends soon: a fast compiler, and garbage collection in one thread. */
const OPTIONS = ["-Xmx768m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

export interface Asked {
  readonly path: string;
  /** For example `2b`. */
  readonly flavour: string;
}

/** @returns the violated rules of each file: empty if it is valid, `failed: ...` if it cannot be validated */
export async function whatTheyBreak(asked: readonly Asked[]): Promise<string[]> {
  const child = spawn("java", [...OPTIONS, "-cp", join(program, "*"), "Server", join(program, "sample.pdf")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const found: string[] = [];
  child.stdin.end(asked.map((request) => `${JSON.stringify(request)}\n`).join(""));
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = JSON.parse(line) as Record<string, unknown>;
    if ("failed" in answer) found.push(`failed: ${answer.failed} ${answer.detail}`);
    if (!("valid" in answer)) continue;
    const failures = answer.failures as { clause: string; test: number }[];
    const rules = failures.map(({ clause, test }) => `${clause}-${test}`);
    found.push(answer.valid === true ? "" : rules.join(" ") || "not valid");
  }
  if (found.length !== asked.length) throw new Error(`veraPDF answered ${found.length} of ${asked.length} questions`);
  return found;
}
