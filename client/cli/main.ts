#!/usr/bin/env node
// Entry point of the command line program.
import { run } from "./program.ts";

const interruption = new AbortController();
let exitCode: number | undefined;
for (const [signal, code] of [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => {
    // A second interrupt exits without waiting until the jobs are canceled at the service.
    if (interruption.signal.aborted) process.exit(code);
    exitCode = code;
    interruption.abort(new Error("The command was interrupted."));
  });
}
// The program exits if the reader of its output has exited, for example `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

const { stdin, stdout, stderr, env } = process;
const code = await run(process.argv.slice(2), { stdin, stdout, stderr, env, signal: interruption.signal });
process.exitCode = exitCode ?? code;
// An open standard input would keep the process running.
stdin.destroy();
