// Runs the client's test suite in Deno and Bun, if this machine has them. They run the TypeScript sources directly.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

const ARGS = { deno: ["run", "--quiet", "--allow-all"], bun: ["run"] } as const;

/** @returns the path of the program, or undefined if it is in no folder of `PATH` */
export const programOf = (name: keyof typeof ARGS): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);

/** Starts a program that runs checks. @param toLine returns the input line for a check */
export function startProgram(name: keyof typeof ARGS, toLine: (check: string) => string) {
  const script = join(import.meta.dirname, "client-in-program.ts");
  const child = spawn(programOf(name)!, [...ARGS[name], script], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(check: string): Promise<void> {
      child.stdin.write(`${toLine(check)}\n`);
      const { done, value } = await lines.next();
      if (done) throw new Error(`${name} ended during the check.`);
      const { error } = JSON.parse(value) as { error: string };
      if (error !== "") throw new Error(error);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.stdin.end();
      await ended;
    },
  };
}
